"""Who subscribed or left, when and by what. The first word of most people is `subscribers.created_by`."""

from collections.abc import Iterable
from typing import NamedTuple

from storage.database import execute, execute_many, row, rows


class ConsentChange(NamedTuple):
    """`source` is what brought it: api, import, event, operator or migration; `source_id` the id of that."""

    at: int
    subscribed: bool
    source: str
    source_id: int
    reason: str


Row = tuple[int, int, int, bool, str, int, str]  # site id, subscriber id, and a `ConsentChange`


def add(changes: Iterable[Row]) -> None:
    execute_many(
        "INSERT INTO consent_changes (site_id, subscriber_id, at, subscribed, source, source_id, reason) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        changes,
    )


def put_reason(site_id: int, subscriber_id: int, source: str, reason: str) -> None:
    """Of a subscriber's newest change, if it is an unsubscribe from that source."""
    execute(
        "UPDATE consent_changes SET reason = ? WHERE site_id = ? AND id = (SELECT max(id) "
        "FROM consent_changes WHERE site_id = ? AND subscriber_id = ?) AND source = ? AND NOT subscribed",
        (reason, site_id, site_id, subscriber_id, source),
    )


def of_subscriber(site_id: int, subscriber_id: int) -> list[ConsentChange]:
    """Oldest first, in the order in which they were written."""
    records = rows(
        "SELECT at, subscribed, source, source_id, reason FROM consent_changes "
        "WHERE site_id = ? AND subscriber_id = ? ORDER BY id",
        (site_id, subscriber_id),
    )
    return [ConsentChange(at, bool(subscribed), *rest) for at, subscribed, *rest in records]


def created_by(site_id: int, subscriber_id: int) -> str:
    """What brought a subscriber first, such as `import 12`; empty if it is not known."""
    record = row("SELECT created_by FROM subscribers WHERE site_id = ? AND id = ?", (site_id, subscriber_id))
    return str(record[0]) if record else ""
