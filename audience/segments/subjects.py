"""The tables of segment rules: subjects, operators and groups, with the readers of their operands.

docs/segments.md shows the tables.
"""

import datetime as dt
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from audience import addresses
from audience.answers.domains import FULL_STOPS, MAX_LENGTH
from audience.subscribers import tags
from schemas.codes import Code, Sentence
from schemas.values import DATE, DATES, NAMES, read_date
from storage.segments.nodes import Instant

MAX_VALUES = 100
MAX_DAYS = 36_500
MAX_ANNIVERSARY = 364
MAX_EVENTS = 1_000_000
MAX_NAME_LENGTH = 255

TEXT = Sentence(Code.WRONG_TYPE, "Send text that is not empty.")
VALUE = Sentence(Code.WRONG_TYPE, "Send text, a number, true or false.")
VALUES = Sentence(Code.OUT_OF_RANGE, f"Send an array of 1 to {MAX_VALUES} values.")
BOUND = Sentence(Code.WRONG_TYPE, "Send a number, or an ISO 8601 date or date-time such as 2026-08-21.")
FLAG = Sentence(Code.WRONG_TYPE, "Send true or false.")
STATUS = Sentence(Code.UNKNOWN_CHOICE, "Send subscribed or unsubscribed.")
DAYS = Sentence(Code.OUT_OF_RANGE, f"Send a whole number of days from 1 to {MAX_DAYS}.")
DAY = Sentence(Code.OUT_OF_RANGE, f"Send a whole number of days from 0 to {MAX_DAYS}.")
ANNIVERSARY = Sentence(Code.OUT_OF_RANGE, f"Send a whole number of days from 0 to {MAX_ANNIVERSARY}.")
COUNT = Sentence(Code.OUT_OF_RANGE, f"Send a whole number from 1 to {MAX_EVENTS}.")


@dataclass(frozen=True)
class Operator:
    """An operator of rules. `operand` is the kind of its operand."""

    operand: str
    meaning: str


OPERATORS = {
    "is": Operator("value", "equals"),
    "is_not": Operator("value", "the opposite of `is`: has another value or none"),
    "in": Operator("values", "equals one of the array"),
    "contains": Operator("text", "contains the text"),
    "starts_with": Operator("text", "starts with the text"),
    "gt": Operator("bound", "greater; later"),
    "gte": Operator("bound", "greater or equal; at that instant or later"),
    "lt": Operator("bound", "less; earlier"),
    "lte": Operator("bound", "less or equal; at that instant or earlier"),
    "within_days": Operator("days", "within the last that many times 24 hours"),
    "not_within_days": Operator("days", "the opposite of `within_days`: longer ago, or never"),
    "days_ago": Operator("day", "on the calendar day that many days ago; 0 is today"),
    "in_next_days": Operator("day", "on a calendar day from today to that many days on"),
    "anniversary_in_next_days": Operator(
        "anniversary", "in an earlier year, with its anniversary on a day from today to that many days on"
    ),
    "exists": Operator("flag", "has a value; with `false`, has none"),
    "missing": Operator("flag", "has no value; with `false`, has one"),
    "at_least": Operator("count", "at least that often; without it, once"),
}
OPPOSITES = {"exists": "missing", "missing": "exists"}
TEXTS = ("is", "is_not", "in", "contains", "starts_with")
BOUNDS = ("gt", "gte", "lt", "lte")
PRESENCE = ("exists", "missing")
CALENDAR = ("days_ago", "in_next_days", "anniversary_in_next_days")
TIMES = (*BOUNDS, "within_days", "not_within_days", "days_ago", *PRESENCE)


def _text(value: Any) -> str:
    """The operand if it is a text. Operand readers raise `ValueError` with a message for the client."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(TEXT)
    return value


def _scalar(value: Any) -> bool | int | float | str:
    """The operand if it is a single value; text in small letters. Raises `ValueError`."""
    if not isinstance(value, bool | int | float | str):
        raise ValueError(VALUE)
    return value.casefold() if isinstance(value, str) else value


def _date(value: Any, zone: dt.tzinfo) -> Instant:
    if not isinstance(value, str):
        raise ValueError(DATE)
    try:
        return Instant(read_date(value, zone))
    except ValueError:  # the first and the last day there is may be none in another zone
        return Instant(read_date(value))


def _number_or_date(value: Any, _: dt.tzinfo) -> int | float | Instant:
    """A number or a date as operand. A date without a zone is in UTC, as stored values are."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(BOUND)
    try:
        return _date(value, dt.UTC) if isinstance(value, str) else value
    except ValueError as error:
        raise ValueError(BOUND) from error


def _status(value: Any) -> str:
    """The operand if it is a status. Raises `ValueError`."""
    if value not in ("subscribed", "unsubscribed"):
        raise ValueError(STATUS)
    return str(value)


def _tag(value: Any) -> str:
    return tags.name_key(_text(value)) or value


def _address(value: Any) -> str:
    text = _text(value).strip()
    try:
        return addresses.identity(text)
    except addresses.MalformedAddress:
        return text.casefold()


def _domain(value: Any) -> str:
    domain = _text(value).strip().translate(FULL_STOPS).removeprefix("@").removesuffix(".")
    return _address(f"x@{domain}").removeprefix("x@")


def _domain_part(value: Any) -> str:
    """The beginning or a part of a domain as operand, in the form in which domains are shown."""
    text = _text(value).strip().lower().translate(FULL_STOPS)
    return text if len(text) > MAX_LENGTH else unicodedata.normalize("NFKC", text)


def _fold(value: Any) -> str:
    return _text(value).casefold()


def _flag(value: Any) -> bool:
    """The operand if it is true or false. Raises `ValueError`."""
    if not isinstance(value, bool):
        raise ValueError(FLAG)
    return value


def whole_number(value: Any, maximum: int, message: str, minimum: int = 1) -> int:
    """The operand if it is from `minimum` to `maximum`. Raises `ValueError` with the message."""
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        raise ValueError(message)
    return value


@dataclass(frozen=True)
class Subject:
    """A subject of conditions. `value`, `text` and `bound` read its operands, `bound` with a time zone.

    With `has_name`, a condition names the subject, such as a field's key, and has its operators beside that.
    """

    operators: tuple[str, ...]
    meaning: str
    example: str
    value: Callable[[Any], Any] = _scalar
    text: Callable[[Any], str] = _fold
    bound: Callable[[Any, dt.tzinfo], Any] = _date
    has_name: bool = False


SUBJECTS = {
    "tag": Subject(("is", "is_not", "in"), "a tag, by name", '{"tag": "vip"}', _tag),
    "field": Subject(
        (*TEXTS, *BOUNDS, *CALENDAR, *PRESENCE),
        f"the value of that custom field, or of {' or '.join(f'`{name}`' for name in NAMES)}",
        '{"field": "plan", "is": "pro"}',
        bound=_number_or_date,
        has_name=True,
    ),
    "created_at": Subject(TIMES, "when the subscriber was created", '{"created_at": {"gt": "2026-01-01"}}'),
    "updated_at": Subject(TIMES, "when the subscriber last changed", '{"updated_at": {"within_days": 7}}'),
    "last_event_at": Subject(
        TIMES, "when the last event occurred", '{"last_event_at": {"not_within_days": 30}}'
    ),
    "unsubscribed_at": Subject(
        TIMES,
        "when the subscriber unsubscribed",
        '{"unsubscribed_at": {"gte": "2026-01-01", "lt": "2026-02-01"}}',
    ),
    "status": Subject(
        ("is", "is_not"), "`subscribed` or `unsubscribed`", '{"status": "subscribed"}', _status
    ),
    "email": Subject(TEXTS, "the address", '{"email": {"starts_with": "info@"}}', _address),
    "email_domain": Subject(
        TEXTS,
        "the part of the address after the @",
        '{"email_domain": "example.com"}',
        _domain,
        _domain_part,
    ),
    "event": Subject(
        ("within_days", "at_least"),
        "an event of exactly that type",
        '{"event": "$purchase", "within_days": 90, "at_least": 2}',
        has_name=True,
    ),
}
MEANT = {name: name for name in ("tag", "email", "email_domain", *DATES)} | {
    "tags": "tag"
}  # no custom fields
GROUPS = {
    "all": "every rule in it holds; an empty array matches every subscriber",
    "any": "at least one rule in it holds; an empty array matches no subscriber",
    "not": "the rule in it does not hold",
}


PLAIN: dict[str, Callable[[Any], Any]] = {
    "flag": _flag,
    "count": lambda value: whole_number(value, MAX_EVENTS, COUNT),
    "day": lambda value: whole_number(value, MAX_DAYS, DAY, 0),
    "anniversary": lambda value: whole_number(value, MAX_ANNIVERSARY, ANNIVERSARY, 0),
}


def values(operand: Any) -> list[Any]:
    if not isinstance(operand, list) or not 1 <= len(operand) <= MAX_VALUES:
        raise ValueError(VALUES)
    return operand
