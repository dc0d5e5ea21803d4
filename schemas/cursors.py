"""Cursors of lists: the position after which a page goes on, as opaque text."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, ClassVar, NamedTuple

import marshmallow as ma

from schemas.base import JsonSchema, as_text
from schemas.codes import Code, Sentence
from schemas.responses import string
from schemas.values import trim

CURSOR = Sentence(Code.MALFORMED_VALUE, "Send the `meta.next` of an earlier page, unchanged.")
NEXT = "Send it as `cursor` for the next page; null on the last one."
OTHER_SORT = Sentence(
    Code.MALFORMED_VALUE,
    "This cursor is from a list with another `sort`: send that `sort`, or begin again without a cursor.",
)
WITH_PAGE = Sentence(Code.REFUSED_VALUE, "Send `cursor` or `page`, not both.")
MAX_LENGTH = 200
LIMIT = 2**63


class Cursor(NamedTuple):
    """A position in a list: the `sort` of the list, and the values by which its last row is ordered."""

    sort: str
    position: tuple[int, ...]


def write(sort: str, position: tuple[int, ...]) -> str:
    """The text of a cursor."""
    text = " ".join((sort, *map(str, position)))
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read(text: str) -> Cursor:
    """The cursor in a text. Raises `ValueError`."""
    if len(text) > MAX_LENGTH:
        raise ValueError
    sort, *numbers = urlsafe_b64decode(f"{text}===").decode("ascii").split(" ")
    position = tuple(map(int, numbers))
    if write(sort, position) != text or not all(-LIMIT <= number < LIMIT for number in position):
        raise ValueError
    return Cursor(sort, position)


class CursorField(ma.fields.Field[Cursor]):
    """The position after which a list with a `sort` goes on. Its rows are ordered by `length` values."""

    json_schema: ClassVar[JsonSchema] = {
        "type": "string",
        "description": "The `meta.next` of the previous page.",
    }

    def __init__(self, length: int, **options: Any) -> None:
        super().__init__(**options)
        self.length = length

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Cursor:
        try:
            cursor = read(trim(as_text(value)))
        except (ValueError, binascii.Error, UnicodeError) as error:
            raise ma.ValidationError(CURSOR) from error
        if len(cursor.position) != self.length:
            raise ma.ValidationError(CURSOR)
        return cursor


def next_field() -> ma.fields.String:
    return string(NEXT, allow_none=True)
