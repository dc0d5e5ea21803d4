"""What the record of changes has of one import or act, and of what came after it."""

from storage.changes.log import COLUMNS, LogRow
from storage.database import execute, row, rows

OF_SOURCE = (  # the first condition is that of the partial index
    "source IN ('import', 'bulk_act') AND site_id = ? AND source = ? AND source_id = ?"
)


def first_of(site_id: int, source: tuple[str, int]) -> tuple[int, int, int] | None:
    """(id, number, instant) of the first row of an import or act."""
    record = row(
        f"SELECT id, number, at FROM change_log WHERE {OF_SOURCE} ORDER BY id LIMIT 1", (site_id, *source)
    )
    return tuple(record) if record else None


def entries_of(site_id: int, source: tuple[str, int]) -> int:
    """How many entries an import or act has."""
    query = f"SELECT CAST(coalesce(sum(count), 0) AS bigint) FROM change_log WHERE {OF_SOURCE}"
    return int(row(query, (site_id, *source))[0])


def next_of(site_id: int, source: tuple[str, int], row_id: int) -> LogRow | None:
    """The first row of an import or act from an id on."""
    query = f"SELECT {COLUMNS} FROM change_log WHERE {OF_SOURCE} AND id >= ? ORDER BY id LIMIT 1"
    record = row(query, (site_id, *source, row_id))
    return LogRow(*record) if record else None


def after_row(site_id: int, row_id: int, limit: int) -> list[LogRow]:
    """The rows of a site's record after an id."""
    records = rows(
        f"SELECT {COLUMNS} FROM change_log WHERE site_id = ? AND id > ? ORDER BY id LIMIT ?",
        (site_id, row_id, limit),
    )
    return [LogRow(*record) for record in records]


def newest_row(site_id: int) -> int:
    """The id of the newest row of a site's record; 0 before the first."""
    record = row("SELECT id FROM change_log WHERE site_id = ? ORDER BY id DESC LIMIT 1", (site_id,))
    return int(record[0]) if record else 0


def put_at(site_id: int, source: tuple[str, int], at: int) -> None:
    """Moves what a source did to another instant."""
    execute(
        "UPDATE change_log SET at = ? WHERE site_id = ? AND source = ? AND source_id = ?",
        (at, site_id, *source),
    )
