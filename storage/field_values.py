"""Custom values, beside the JSON of each subscriber: what segments and reports compare and count."""

from collections.abc import Iterable
from typing import NamedTuple

from storage.database import execute_many

MAX_LENGTH = 200  # characters of a text, after which it is cut
TEXT, NUMBER, BOOLEAN, OTHER = range(4)  # kinds; OTHER is an array or object without a scalar
COLUMNS = "folded, label, kind, number, instant, site_id, field_id, subscriber_id"


class Value(NamedTuple):
    """`label` is the text as it was sent, "" where it is equal to `folded`; `instant` is in milliseconds."""

    folded: str
    label: str
    kind: int
    number: int | float | None
    instant: int | None


Row = tuple[str, str, int, int | float | None, int | None, int, int, int]  # `COLUMNS`


def add(rows: Iterable[Row]) -> None:
    execute_many(
        f"INSERT INTO field_values ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", rows
    )


def remove(rows: Iterable[Row]) -> None:
    execute_many(
        "DELETE FROM field_values WHERE folded = ? AND label = ? AND kind = ? "
        "AND site_id = ? AND field_id = ? AND subscriber_id = ?",
        ((*row[:3], *row[5:]) for row in rows),
    )
