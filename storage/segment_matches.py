"""Whether one subscriber meets conditions, as the count of a segment compiles them."""

from collections.abc import Sequence

from storage.database import row
from storage.sql import Sql, join


def met(site_id: int, subscriber_id: int, conditions: Sequence[Sql]) -> list[bool]:
    """For each condition on `subscribers`, whether it holds; all are false for somebody who is gone."""
    each = join(", ", [Sql(f"({part.text}) IS TRUE", part.parameters) for part in conditions])
    found = row(
        f"SELECT {each.text} FROM subscribers WHERE subscribers.id = ? AND subscribers.site_id = ?",
        (*each.parameters, subscriber_id, site_id),
    )
    return [bool(value) for value in found] if found else [False] * len(conditions)
