"""An index of the change log by subscriber: which of its rows changed a subscriber.

The index is divided into parts by the rows' numbers. Subscribers that change together have scattered ids, but
only a few pages are written, those of the newest part.
"""

import json
from collections.abc import Collection, Iterable

from peewee import BigIntegerField, CompositeKey, IntegerField

from storage.base_models import BaseModel
from storage.changes.log import LogRow
from storage.database import column, execute_many, row, rows
from storage.engines.chosen import engine
from storage.sql import insert_into

PART = 65_536  # numbers; must stay, because stored rows have parts of this size


class ChangedSubscriberModel(BaseModel, table="changed_subscribers"):
    """The rows of the change log with an entry about a subscriber, except that of its creation. No foreign
    keys.

    `number` is the row's number or, for a row that repeats a consent, its negative id. `part` is always that
    of the row's number.
    """

    site_id = IntegerField()
    part = BigIntegerField()
    subscriber_id = IntegerField()
    number = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("site_id", "part", "subscriber_id", "number")
        without_rowid = True


def add(site_id: int, number: int, subscriber_ids: Iterable[int]) -> None:
    """Stores that the row of the change log with this number changed these subscribers."""
    _add(site_id, number // PART, number, subscriber_ids)


def add_unnumbered(site_id: int, number: int, subscriber_ids: Iterable[int]) -> None:
    """Stores which subscribers have a repeated or ignored consent event in the newest row of the change log.

    They are stored under the row's negative id, because a row without entries has no number of its own.
    `number` only chooses the part of the index.
    """
    newest = row("SELECT id FROM change_log WHERE site_id = ? ORDER BY id DESC LIMIT 1", (site_id,))
    _add(site_id, number // PART, -newest[0], subscriber_ids)


def _add(site_id: int, part: int, number: int, subscriber_ids: Iterable[int]) -> None:
    execute_many(
        insert_into("changed_subscribers", ("site_id", "part", "subscriber_id", "number")),
        [(site_id, part, subscriber_id, number) for subscriber_id in sorted(subscriber_ids)],
    )


def numbers_of(site_id: int, subscriber_id: int, limit: int) -> list[int]:
    """The numbers of the newest rows of the change log that changed a subscriber, then negative row ids.

    The latter are those of `add_unnumbered`.
    """
    return column(
        f"SELECT number FROM changed_subscribers WHERE site_id = ? AND part IN ({engine.IDS}) "
        "AND subscriber_id = ? ORDER BY number DESC LIMIT ?",
        (site_id, _parts(site_id), subscriber_id, limit),
    )


def newest(site_id: int, limit: int) -> list[int]:
    """The ids of up to `limit` subscribers that the newest `limit` rows of the change log changed."""
    first = row(
        "SELECT min(number) FROM (SELECT number FROM change_log WHERE site_id = ? AND count > 0 "
        "ORDER BY number DESC LIMIT ?) AS newest",
        (site_id, limit),
    )
    since = first[0] or 0
    return column(
        "SELECT DISTINCT subscriber_id FROM changed_subscribers "
        "WHERE site_id = ? AND part >= ? AND number >= ? LIMIT ?",
        (site_id, since // PART, since, limit),
    )


def rows_of(site_id: int, subscriber_ids: Collection[int], since: int = 0) -> dict[int, list[int]]:
    """The ids among `subscriber_ids` that each row of the change log changed, by the row's number.

    Rows before the number `since` are left out. A row with a repeated or ignored consent event has its
    negative id as key, whatever `since` is.
    """
    ids_by_number: dict[int, list[int]] = {}
    for number, subscriber_id in rows(
        f"SELECT number, subscriber_id FROM changed_subscribers WHERE site_id = ? AND part IN ({engine.IDS}) "
        f"AND subscriber_id IN ({engine.IDS}) AND (number >= ? OR number < 0) ORDER BY number",
        (site_id, _parts(site_id, since), json.dumps(list(subscriber_ids)), since),
    ):
        ids_by_number.setdefault(number, []).append(subscriber_id)
    return ids_by_number


def remove(site_id: int, log_row: LogRow, subscriber_ids: Collection[int]) -> None:
    """Removes a row of the change log from the index of these subscribers.

    A row with a repeated or ignored consent event is also indexed under its negative id; a row without
    entries, only there.
    """
    number = log_row.number if log_row.length else -log_row.id
    execute_many(
        "DELETE FROM changed_subscribers WHERE site_id = ? AND part = ? AND subscriber_id = ? "
        "AND number IN (?, ?)",
        [
            (site_id, log_row.number // PART, subscriber_id, number, -log_row.id)
            for subscriber_id in subscriber_ids
        ],
    )


def _parts(site_id: int, since: int = 0) -> str:
    """The parts of a site's index that have numbers from `since` on, as a JSON array.

    Each part is found from the one before, because a restore leaves a wide gap between numbers.
    """
    parts = column(
        "WITH RECURSIVE found (part) AS ("
        "SELECT min(part) FROM changed_subscribers WHERE site_id = ? AND part >= ? UNION ALL "
        "SELECT (SELECT min(part) FROM changed_subscribers WHERE site_id = ? AND part > found.part) "
        "FROM found WHERE found.part IS NOT NULL) SELECT part FROM found WHERE part IS NOT NULL",
        (site_id, since // PART, site_id),
    )
    return json.dumps(parts)
