"""Custom values, beside the JSON of each subscriber: what segments and reports compare and count."""

import json
from collections.abc import Iterable
from operator import itemgetter
from typing import Any, NamedTuple

from storage.database import execute_many, rows, value
from storage.engines.chosen import engine
from storage.sql import PASSED_OVER, delete_from, insert_into

MAX_LENGTH = 200  # characters of a text, after which it is cut
TEXT, NUMBER, BOOLEAN, OTHER = range(4)  # kinds; OTHER is an array or object without a scalar


class Value(NamedTuple):
    """A custom value as it is compared. `label` is the text as it was sent, "" if it equals `folded`;
    `instant` is in milliseconds.
    """

    folded: str
    label: str
    kind: int
    number: int | float | None
    instant: int | None


COLUMNS = ("site_id", "field_id", *Value._fields, "subscriber_id")
Row = tuple[int, int, str, str, int, int | float | None, int | None, int]  # plain: a batch has thousands
KEY = ("site_id", "field_id", "folded", "label", "kind", "subscriber_id")
key_of = itemgetter(*map(COLUMNS.index, KEY))


def add(rows: Iterable[Row]) -> None:
    """Adds rows to `field_values`. Rows in the order of the table are added faster."""
    execute_many(insert_into("field_values", COLUMNS, PASSED_OVER), rows)


def remove(rows: Iterable[Row]) -> None:
    execute_many(delete_from("field_values", KEY), map(key_of, rows))


def of_subscribers(site_id: int, ids: Iterable[int]) -> set[Row]:
    """The rows of `field_values` of subscribers. Reads all rows of the site, which have no index by
    subscriber.
    """
    chosen = f"site_id = ? AND subscriber_id IN ({engine.IDS})"
    query = f"SELECT {', '.join(COLUMNS)} FROM field_values WHERE {chosen}"
    return set(rows(query, (site_id, json.dumps(list(ids)))))


def count_gone(site_id: int) -> int:
    """The number of deleted subscribers that still have rows in `field_values`. Reads all rows of
    the site.
    """
    query = "SELECT count(DISTINCT subscriber_id) FROM field_values v WHERE site_id = ? AND NOT EXISTS "
    return value(
        f"{query} (SELECT 1 FROM subscribers s WHERE s.id = v.subscriber_id AND s.site_id = v.site_id)",
        (site_id,),
        0,
    )


def values_after(site_id: int, after: str, limit: int) -> list[tuple[int, str, dict[str, Any]]]:
    """The (id, uuid, custom values) of the next subscribers after a uuid."""
    records = rows(
        "SELECT id, uuid, fields FROM subscribers WHERE site_id = ? AND uuid > ? ORDER BY uuid LIMIT ?",
        (site_id, after, limit),
    )
    return [(subscriber_id, uuid, json.loads(fields)) for subscriber_id, uuid, fields in records]


def newest(site_id: int, limit: int) -> list[tuple[int, dict[str, Any]]]:
    """The (id, custom values) of the newest subscribers."""
    records = rows(
        "SELECT id, fields FROM subscribers WHERE site_id = ? ORDER BY created_at DESC, id DESC LIMIT ?",
        (site_id, limit),
    )
    return [(subscriber_id, json.loads(fields)) for subscriber_id, fields in records]
