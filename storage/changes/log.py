"""The change log: a row for each write transaction that changed subscribers. Instants are in milliseconds."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from peewee import SQL, BigIntegerField, CompositeKey, IntegerField, TextField

from storage.base_models import BaseModel, SiteOwnedModel, add_partial_index
from storage.database import column, execute, execute_many, row, rows, value
from storage.engines.chosen import engine
from storage.records import Records
from storage.sql import insert_into, rows_of

TAKE = (
    "INSERT INTO site_counters (site_id, accepted, users, unsubscribers, changes, change_bytes) "
    "VALUES (?, 0, 0, 0, ?, ?) ON CONFLICT (site_id) DO UPDATE SET "
    "changes = site_counters.changes + excluded.changes, "
    "change_bytes = site_counters.change_bytes + excluded.change_bytes RETURNING changes"
)
# The row that has the entry with a number is the last one whose own number is not higher.
FROM = (
    "site_id = ? AND count > 0 AND number >= coalesce((SELECT max(number) FROM change_log "
    "WHERE site_id = ? AND count > 0 AND number <= ?), 0)"
)


class LogRow(NamedTuple):
    """A row of the change log: one write transaction. `entries` has `length` packed entries, the first with
    the number `number`; a row without entries has the number of the next row.
    """

    id: int
    number: int
    length: int
    at: int
    source: str
    source_id: int
    entries: bytes


class ChangeLogModel(SiteOwnedModel, table="change_log", record=LogRow):
    length = IntegerField(column_name="count")

    class Meta:
        indexes = ((("site", "id"), False),)


_log: Any = ChangeLogModel
add_partial_index("change_log_site_id_number", _log.site, _log.number, where=SQL("count > 0"))
add_partial_index(
    "change_log_site_id_source",
    _log.site,
    _log.source,
    _log.source_id,
    _log.id,
    where=_log.source.in_(("import", "bulk_act")),
)


class ErasedSubscriberModel(BaseModel, table="erased_subscribers"):
    """An erased subscriber with entries in the change log. `waiting` is 1 until their values are removed."""

    site_id = IntegerField()
    subscriber_id = IntegerField()
    uuid = TextField()
    number = BigIntegerField()
    waiting = IntegerField()

    class Meta:
        primary_key = CompositeKey("site_id", "subscriber_id")
        without_rowid = True


_erased: Any = ErasedSubscriberModel
add_partial_index("erased_subscribers_waiting", _erased.site_id, where=SQL("waiting = 1"))
LOG = Records(ChangeLogModel, LogRow)


def add(site_id: int, count: int, at: int, source: tuple[str, int], entries: bytes) -> int:
    """Adds a row to the change log under the site's next numbers. Returns the first number.

    Call it in the transaction of the changes.
    """
    first = value(TAKE, (site_id, count, len(entries)), 0) - count + 1
    execute(
        "INSERT INTO change_log (site_id, number, count, at, source, source_id, entries) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (site_id, first, count, at, *source, entries),
    )
    return first


def numbers(site_id: int) -> tuple[int, int]:
    """The (newest, oldest) numbers in a site's change log. In an empty log, the oldest is the next one."""
    query = "SELECT changes, oldest_change FROM site_counters WHERE site_id = ?"
    return row(query, (site_id,), keeps_plan=True) or (0, 1)


def raise_to(site_id: int, number: int) -> None:
    """Makes `number` the next and the oldest number of the change log: earlier cursors are then invalid."""
    execute(
        "INSERT INTO site_counters (site_id, accepted, users, unsubscribers, changes, oldest_change) "
        "VALUES (?, 0, 0, 0, ?, ?) ON CONFLICT (site_id) DO UPDATE "
        "SET changes = excluded.changes, oldest_change = excluded.oldest_change",
        (site_id, number - 1, number),
    )


def rows_after(site_id: int, number: int, entries: int) -> list[LogRow]:
    """The rows of the change log that contain the next `entries` entries after a number.

    The first and the last row may contain others, too.
    """
    lengths = rows(
        f"SELECT id, number, count FROM change_log WHERE {FROM} ORDER BY number LIMIT ?",
        (site_id, site_id, number + 1, entries + 1),
    )
    chosen: list[int] = []
    for row_id, first, count in lengths:
        if entries <= 0:
            break
        chosen.append(row_id)
        entries -= max(0, first + count - 1 - max(number, first - 1))
    return _by_id(site_id, chosen)


def _by_id(site_id: int, ids: Sequence[int]) -> list[LogRow]:
    among = engine.among(ids)
    return LOG.find(f"WHERE id {among.text} AND {engine.OF_SITE} ORDER BY id", *among.parameters, site_id)


def at_numbers(site_id: int, numbers: Sequence[int]) -> list[LogRow]:
    """The rows of the change log whose first entry has one of these numbers, oldest first."""
    among = engine.among(numbers)
    numbered = f"AND count > 0 AND number {among.text} ORDER BY number"
    return LOG.find(numbered, *among.parameters, site_id=site_id)


def rows_indexed_as(site_id: int, numbers: Sequence[int]) -> list[LogRow]:
    """The rows of the change log that an index of values names: by the number of their first change or, if
    negative, by their negated id.
    """
    ids, numbered = (
        [-number for number in numbers if number < 0],
        [number for number in numbers if number > 0],
    )
    return _by_id(site_id, ids) + at_numbers(site_id, numbered)


def rewrite(site_id: int, old: LogRow, entries: bytes) -> None:
    """Replaces the entries of a row of the change log by the same number of others."""
    execute("UPDATE change_log SET entries = ? WHERE id = ? AND site_id = ?", (entries, old.id, site_id))
    _grow(site_id, len(entries) - len(old.entries))


def _grow(site_id: int, size: int) -> None:
    execute("UPDATE site_counters SET change_bytes = change_bytes + ? WHERE site_id = ?", (size, site_id))


def erase(site_id: int, subscribers: Iterable[tuple[int, str, int]], number: int) -> None:
    """Marks subscribers, given as (id, uuid, waiting), as erased in the row `number` of the change log.

    `waiting` is 1 as long as the log may have values of the subscriber.
    """
    execute_many(
        insert_into("erased_subscribers", ("site_id", "subscriber_id", "uuid", "number", "waiting")),
        [(site_id, subscriber_id, uuid, number, waiting) for subscriber_id, uuid, waiting in subscribers],
    )


def erased_uuids(site_id: int, subscriber_ids: Collection[int]) -> dict[int, str]:
    """The uuids of the erased subscribers among `subscriber_ids`, by id."""
    return dict(
        rows(
            "SELECT subscriber_id, uuid FROM erased_subscribers "
            f"WHERE site_id = ? AND subscriber_id IN ({engine.IDS})",
            (site_id, json.dumps(list(subscriber_ids))),
        )
    )


def to_blank(site_id: int, limit: int) -> list[int]:
    """The ids of up to `limit` erased subscribers of whom the change log may still have values."""
    query = "SELECT subscriber_id FROM erased_subscribers WHERE site_id = ? AND waiting = 1 LIMIT ?"
    return column(query, (site_id, limit))


def mark_blanked(site_id: int, subscriber_ids: Iterable[int]) -> None:
    """Notes that the change log no longer has values of these erased subscribers."""
    execute_many(
        "UPDATE erased_subscribers SET waiting = 0 WHERE site_id = ? AND subscriber_id = ?",
        [(site_id, subscriber_id) for subscriber_id in subscriber_ids],
    )


def sites_to_blank() -> list[int]:
    """The ids of sites with erased subscribers of whom the change log may still have values."""
    return column("SELECT DISTINCT site_id FROM erased_subscribers WHERE waiting = 1")


def oldest(site_id: int, limit: int) -> list[LogRow]:
    """The first `limit` rows of a site's change log."""
    return LOG.find("ORDER BY id LIMIT ?", limit, site_id=site_id)


def sites_before(instant: int) -> list[int]:
    """The ids of sites whose change log begins before an instant."""
    first = "SELECT at FROM change_log WHERE site_id = c.site_id ORDER BY id LIMIT 1"
    return column(f"SELECT site_id FROM site_counters AS c WHERE ({first}) < ? ORDER BY 1", (instant,))


def drop(site_id: int, old_rows: Sequence[LogRow]) -> None:
    """Deletes rows of a site's change log, which must be the oldest, in order."""
    oldest, newest_at = old_rows[-1].number + old_rows[-1].length, max(old.at for old in old_rows)
    among = engine.among([old.id for old in old_rows])
    execute(f"DELETE FROM change_log WHERE site_id = ? AND id {among.text}", [site_id, *among.parameters])
    execute(
        "UPDATE site_counters SET change_bytes = change_bytes - ?, "
        "oldest_change = CASE WHEN oldest_change < ? THEN ? ELSE oldest_change END, "
        "dropped_change_at = CASE WHEN dropped_change_at < ? THEN ? ELSE dropped_change_at END "
        "WHERE site_id = ?",
        (sum(len(old.entries) for old in old_rows), oldest, oldest, newest_at, newest_at, site_id),
    )


def newest_dropped_at(site_id: int) -> int:
    """The newest instant of the rows deleted from a site's change log; 0 if none were."""
    return value("SELECT dropped_change_at FROM site_counters WHERE site_id = ?", (site_id,), 0)


def drop_erased(site_id: int) -> None:
    """Deletes the marks of erased subscribers whose erasure is no longer in the change log."""
    execute(
        "DELETE FROM erased_subscribers WHERE site_id = ? AND waiting = 0 "
        "AND number < coalesce((SELECT number FROM change_log WHERE site_id = ? ORDER BY id LIMIT 1), "
        "(SELECT changes + 1 FROM site_counters WHERE site_id = ?))",
        (site_id, site_id, site_id),
    )


def size(site_id: int | None) -> tuple[int, int | None]:
    """The (bytes of all entries, instant of the oldest or None) of a site, or of all."""
    of = rows_of(site_id)
    total = f"SELECT CAST(coalesce(sum(change_bytes), 0) AS bigint) FROM site_counters WHERE {of.text}"
    oldest = f"SELECT at FROM change_log WHERE {of.text} ORDER BY id LIMIT 1"
    return value(total, of.parameters, 0), value(oldest, of.parameters, None)
