"""Values that forms and the domain share. Free of marshmallow, so that every room may import it.

The parser of dates and difflib are imported only where they are used, so that commands start at once.
"""

import datetime as dt
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Any

import orjson

from schemas.codes import Code, Sentence, code_of

NAMES = ("first_name", "last_name")  # plain text columns of a subscriber, in the order of `Change`
SUBSCRIBED, UNSUBSCRIBED, UNCONFIRMED = STATES = ("subscribed", "unsubscribed", "unconfirmed")  # of consent
LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pt")  # of the pages for people
DATES = ("created_at", "updated_at", "last_event_at", "unsubscribed_at")
MAX_FOUND, MAX_FOUND_LENGTH = 20, 100  # names of what an error found
MAX_SENT_NAME = 1_000  # characters of a key or a tag's name, before it is brought to its form
MAX_PAGE = 10**9  # of a list: nothing is on a later one
VALUES_SAMPLE_SIZE = 10_000  # newest subscribers among whom common values are counted
DATE = Sentence(
    Code.MALFORMED_DATE, "Send an ISO 8601 date or date-time, such as 2026-08-21 or 2026-08-21T02:08:30Z."
)

# Blanks, control and invisible characters, by first and last: `str.isspace`, categories Cc and Cf of Unicode.
UNSEEN_RANGES = (
    (0, 0x20), (0x7F, 0xA0), (0xAD, 0xAD), (0x600, 0x605), (0x61C, 0x61C), (0x6DD, 0x6DD), (0x70F, 0x70F),
    (0x890, 0x891), (0x8E2, 0x8E2), (0x1680, 0x1680), (0x180E, 0x180E), (0x2000, 0x200F), (0x2028, 0x202F),
    (0x205F, 0x2064), (0x2066, 0x206F), (0x3000, 0x3000), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB),
    (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x13438), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A),
    (0xE0001, 0xE0001), (0xE0020, 0xE007F),
)  # fmt: skip
UNSEEN = "".join(chr(code) for first, last in UNSEEN_RANGES for code in range(first, last + 1))

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
EPOCH_OF_UTC = EPOCH.replace(tzinfo=None)
MILLISECOND = dt.timedelta(milliseconds=1)
# Stricter than isoparse, which would also read `+8` as a month and ` 8` as a minute.
DATE_TIME = re.compile(r"(\d{4}[\dW-]*)(?:[T ]([\d:.,]+) ?(Z|[+-][\d:]+)?)?", re.ASCII)
PLAIN = re.compile(r"\d{4}-\d\d-\d\d(?:T(?!24)\d\d:\d\d:\d\d(?:\.\d{3})?Z?)?", re.ASCII)
COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
LOST_PLUS = re.compile(r"(:\d\d(?:\.\d+)?) (\d\d:?\d\d)$")  # a `+` in a query string is a blank


class OnExisting(StrEnum):
    """What an import may change of existing subscribers: everything, blank values only, or nothing."""

    MERGE = "merge"
    FILL = "fill"
    SKIP = "skip"


@dataclass(frozen=True)
class FieldError:
    """A refused value: its path in the request (`subscribers[3].email`), and what to send, as a message.

    `unknown` has the unknown names that were sent there, `did_you_mean` the valid names that are probably
    meant.
    """

    field: str
    message: str
    unknown: tuple[str, ...] = ()
    did_you_mean: tuple[str, ...] = ()

    @property
    def code(self) -> Code:
        return code_of(self.message, Code.REFUSED_VALUE)


def error_names(errors: Iterable[FieldError]) -> dict[str, list[str]]:
    """The names in errors by key, `unknown` and `did_you_mean`; a key without names is left out."""
    named: dict[str, dict[str, None]] = {"unknown": {}, "did_you_mean": {}}
    for error in errors:
        for key, names in named.items():
            names |= dict.fromkeys(name[:MAX_FOUND_LENGTH] for name in getattr(error, key))
    return {key: list(names)[:MAX_FOUND] for key, names in named.items() if names}


def closest(unknown: Iterable[str], valid: Iterable[str]) -> tuple[str, ...]:
    """The valid names that the unknown ones probably mean: at most one each."""
    from difflib import get_close_matches

    words = list(valid)
    names = (name[:MAX_FOUND_LENGTH] for name in islice(unknown, MAX_FOUND))
    near = (get_close_matches(name, words, n=1, cutoff=0.65) for name in names)
    return tuple(dict.fromkeys(chain.from_iterable(near)))


def index_of(error: FieldError) -> int:
    """The index in the path of an error: 3 for `subscribers[3].email`."""
    return int(error.field.partition("[")[2].partition("]")[0])


class FormError(Exception):
    """A form refuses values: `problems` are the errors. `found` has values by key, which a response also
    shows.
    """

    code = Code.VALIDATION_FAILED

    def __init__(self, problems: list[FieldError], found: Mapping[str, list[str]] | None = None) -> None:
        super().__init__("form")
        self.problems = problems
        self.found: dict[str, Any] = dict(found or {})

    @property
    def page_found(self) -> dict[str, Any]:
        """The part of `found` that the console stores."""
        return self.found


class WholeDay(int):
    """A date without a time: the milliseconds since 1970 of its midnight, and the `date` itself."""

    date: dt.date

    @classmethod
    def at_midnight(cls, date: dt.date, midnight: int) -> "WholeDay":
        day = cls(midnight)
        day.date = date
        return day


@cache
def _iso_parser() -> Any:
    from dateutil.parser import isoparser

    return isoparser(sep="T")


def _parse(text: str) -> dt.datetime:
    """The date in an ISO 8601 text. Raises `ValueError`.

    Python's own parser, which is fast, reads texts of the form `PLAIN`, on which it agrees with dateutil's.
    """
    parse = dt.datetime.fromisoformat if PLAIN.fullmatch(text) else _iso_parser().isoparse
    instant: dt.datetime = parse(text)
    return instant


def milliseconds(instant: dt.datetime, zone: dt.tzinfo, whole_day: bool) -> int:
    """The milliseconds since 1970 of an instant, in `zone` unless it has its own; a `WholeDay` if
    `whole_day`.

    Raises `OverflowError` beyond the year 9999.
    """
    at = (instant.replace(tzinfo=instant.tzinfo or zone).astimezone(dt.UTC) - EPOCH) // MILLISECOND
    return WholeDay.at_midnight(instant.date(), at) if whole_day else at


def read_date(text: str, zone: dt.tzinfo = dt.UTC) -> int:
    """The milliseconds since 1970 of an ISO 8601 date or date-time, in `zone` unless it has its own.

    A date without a time becomes a `WholeDay`. Raises `ValueError` with the sentence `DATE`.
    """
    match = DATE_TIME.fullmatch(LOST_PLUS.sub(r"\1+\2", text.strip().upper()))
    day, time, offset = match.groups("") if match else ("", "", "")
    try:
        return milliseconds(_parse(f"{day}T{time}{offset}" if time else day), zone, not time)
    except (ValueError, OverflowError) as error:
        raise ValueError(DATE) from error


@lru_cache(maxsize=1_000)
def write_date(milliseconds: int | None) -> str | None:
    """An instant in milliseconds as RFC 3339 in UTC, such as `2026-08-21T02:08:30.364Z`.

    The result is cached, because the subscribers of one import share instants.
    """
    if milliseconds is None:
        return None
    instant = EPOCH_OF_UTC + dt.timedelta(milliseconds=milliseconds)
    return f"{instant.isoformat(timespec='milliseconds')}Z"


def json_bytes(value: Any) -> bytes:
    """The JSON of `compact_json` as UTF-8, several times as fast."""
    try:
        return orjson.dumps(value)
    except TypeError:  # an integer beyond 64 bits, of before such were refused
        return compact_json(value).encode()


def compact_json(value: Any) -> str:
    return COMPACT.encode(value)


def trim(text: str) -> str:
    """`text` without blanks, control and invisible characters at its ends."""
    stripped = text.strip()
    plain = stripped.isascii() and stripped.isprintable()
    return stripped if plain else stripped.strip(UNSEEN)


def normal_text(text: str) -> str | None:
    """The text, trimmed and in NFC; None beyond `MAX_SENT_NAME`, because NFC takes quadratic time."""
    trimmed = trim(text)
    if len(trimmed) > MAX_SENT_NAME:
        return None
    return trimmed if trimmed.isascii() else unicodedata.normalize("NFC", trimmed)
