"""The rows that one import or bulk action has in the change log, and the rows after them.

A `source` is the (kind, id) of that import or bulk action.
"""

from storage.changes.log import LOG, LogRow
from storage.database import execute, row, value

OF_SOURCE = (  # the first condition is that of the partial index
    "source IN ('import', 'bulk_act') AND site_id = ? AND source = ? AND source_id = ?"
)


def first_of(site_id: int, source: tuple[str, int]) -> tuple[int, int, int] | None:
    """The (id, number, instant) of a source's first row in the change log; None if it has no row."""
    query = f"SELECT id, number, at FROM change_log WHERE {OF_SOURCE} ORDER BY id LIMIT 1"
    first: tuple[int, int, int] | None = row(query, (site_id, *source))
    return first


def entries_of(site_id: int, source: tuple[str, int]) -> int:
    """The number of entries of a source in the change log."""
    query = f"SELECT CAST(coalesce(sum(count), 0) AS bigint) FROM change_log WHERE {OF_SOURCE}"
    return value(query, (site_id, *source), 0)


def next_of(site_id: int, source: tuple[str, int], row_id: int) -> LogRow | None:
    """A source's first row in the change log with an id of at least `row_id`; None if there is none."""
    found = LOG.find(f"WHERE {OF_SOURCE} AND id >= ? ORDER BY id LIMIT 1", site_id, *source, row_id)
    return found[0] if found else None


def rows_after(site_id: int, row_id: int, limit: int) -> list[LogRow]:
    """At most `limit` rows of a site's change log with ids above `row_id`, oldest first."""
    return LOG.find("AND id > ? ORDER BY id LIMIT ?", row_id, limit, site_id=site_id)


def newest_row(site_id: int) -> int:
    """The id of the newest row of a site's change log; 0 if the log is empty."""
    return value("SELECT id FROM change_log WHERE site_id = ? ORDER BY id DESC LIMIT 1", (site_id,), 0)


def put_at(site_id: int, source: tuple[str, int], at: int) -> None:
    """Moves a source's rows in the change log to another instant."""
    execute(
        "UPDATE change_log SET at = ? WHERE site_id = ? AND source = ? AND source_id = ?",
        (at, site_id, *source),
    )
