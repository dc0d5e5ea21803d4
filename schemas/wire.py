"""How values are spelled on the wire, and how a refusal is worded (contract section 1).

Messages tell what to send, and never repeat what was sent.
"""

import datetime as dt
import math
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import marshmallow as ma

REQUIRED = "Send this value: it is required."
TEXT = "Send text."
UNCLEAN = "Send text without NUL and without half surrogate pairs."
OBJECT = "Send an object."
NUMBER = "Send numbers that are finite, and integers that fit into 64 bits."
DATE = "Send an ISO 8601 date or date-time, such as 2026-08-21 or 2026-08-21T02:08:30Z."

DEEPEST = 64  # levels of a JSON value
CONTAINERS = (dict, list)
MOST_PROBLEMS = 1_000  # listed of one request
NO_NAME = "?"  # a key of messages that adds nothing to the path

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MILLISECOND = dt.timedelta(milliseconds=1)
LOST_PLUS = re.compile(r"(:\d\d(?:\.\d+)?) (\d\d:?\d\d)$")
REDUCED = re.compile(r"(\d{4})(?:-(\d\d))?")
ORDINAL = re.compile(r"(\d{4})-?(\d{3})(?=[T ]|$)")
MIDNIGHT = re.compile(r"[T ]24(?=(:?00){0,2}([.,]0+)?(Z|[+-]|$))")


@dataclass(frozen=True)
class Problem:
    """One refused value: where, and what to send."""

    field: str
    message: str


def errors(refused: Iterable[Any]) -> list[dict[str, str]]:
    """Refused values as an answer lists them: `Problem`, or what has `field` and `message` like it."""
    return [{"field": each.field, "message": each.message} for each in refused]


class FormError(Exception):
    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("form")
        self.problems = problems


Spelling = Mapping[str, Any]  # JSON Schema of a value, for the API's description


class Form(ma.Schema):
    """An object of the wire: `null` is absent, `[]` is `{}`, unknown keys are ignored."""

    example: ClassVar[Any] = None  # for the API's description
    error_messages = {"type": OBJECT}  # noqa: RUF012 - marshmallow's own interface

    class Meta:
        unknown = ma.EXCLUDE

    @ma.pre_load
    def drop_nulls(self, data: Any, **_: Any) -> Any:
        if data == []:
            return {}
        if not isinstance(data, Mapping):
            return data
        return {key: value for key, value in data.items() if value is not None}


def load(form: Form, data: Any) -> Any:
    """The form's values. Raises `FormError`, with the first `MOST_PROBLEMS`."""
    try:
        return form.load(data)
    except ma.ValidationError as error:
        raise FormError(list(islice(problems(error.messages), MOST_PROBLEMS))) from error


def present(form: Form, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a query string: an empty one is absent, unless the form requires it."""
    required = {name for name, field in form.load_fields.items() if field.required}
    return {name: value for name, value in values.items() if value != "" or name in required}


def problems(messages: Any, path: str = "") -> Iterator[Problem]:
    """marshmallow's nested messages, flattened to paths such as `subscribers[3].email`."""
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            yield from problems(inner, path if key in ("_schema", NO_NAME) else _join(path, key))
    else:
        for message in messages:
            yield Problem(path, message)


def _join(path: str, key: str | int) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def nested(form: type[Form], **options: Any) -> ma.fields.Nested:
    return ma.fields.Nested(form, error_messages={"required": REQUIRED}, **options)


class Text(ma.fields.Field[str]):
    """Text; a number or a boolean is read as its text."""

    spelled: ClassVar[Spelling] = {"type": "string"}
    default_error_messages = {"required": REQUIRED, "type": TEXT}  # noqa: RUF012

    def __init__(self, *, strip: bool = False, blank: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self.strip = strip
        self.blank = blank

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        text = as_text(value)
        text = text.strip() if self.strip else text
        if not self.blank and not text.strip():
            raise ma.ValidationError(REQUIRED)
        return text


def as_object(value: Any) -> dict[str, Any]:
    """An object; `[]` is `{}` (PHP's empty map). Raises `ma.ValidationError`."""
    if value == []:
        return {}
    if not isinstance(value, dict):
        raise ma.ValidationError(OBJECT)
    return value


def as_text(value: Any) -> str:
    """Raises `ma.ValidationError`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        clean(value)
        return str(value)
    if not isinstance(value, str):
        raise ma.ValidationError(TEXT)
    if not is_clean_text(value):
        raise ma.ValidationError(UNCLEAN)
    return value


def is_clean_text(text: str) -> bool:
    if "\0" in text:
        return False
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def clean(value: Any) -> Any:
    """A JSON value that can be stored and read again, as it is. Raises `ma.ValidationError`."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            if not is_clean_text(each):
                raise ma.ValidationError(UNCLEAN)
        elif isinstance(each, dict):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, list):
            waiting += each
        elif not is_storable_number(each):
            raise ma.ValidationError(NUMBER)
    return value


def is_storable_number(value: Any) -> bool:
    """For a JSON scalar that is not text; booleans and null pass."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or -(2**63) <= value < 2**63


def depth(value: Any) -> int:
    """How many levels of objects and arrays there are: one for `{}`, none for a scalar."""
    levels, level = 0, [value] if type(value) in CONTAINERS else []
    while level:
        levels += 1
        level = [
            inner
            for each in level
            for inner in (each.values() if type(each) is dict else each)
            if type(inner) in CONTAINERS
        ]
    return levels


class Uuid(Text):
    """A UUID with or without dashes; other text is kept as it is, and matches nothing."""

    spelled: ClassVar[Spelling] = {"type": "string", "format": "uuid"}

    def _deserialize(self, value: Any, *arguments: Any, **options: Any) -> str:
        text = super()._deserialize(value, *arguments, **options)
        return dashed(text)


def dashed(text: str) -> str:
    try:
        return str(uuid.UUID(text.strip()))
    except ValueError:
        return text


class Instant(ma.fields.Field[int]):
    """An ISO 8601 date or date-time as milliseconds since 1970; UTC and midnight where it does not say."""

    spelled: ClassVar[Spelling] = {"type": "string", "examples": ["2026-08-21", "2026-08-21T02:08:30Z"]}
    default_error_messages = {"required": REQUIRED}  # noqa: RUF012

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        text = as_text(value).strip().upper()
        try:
            instant = _parse_date(LOST_PLUS.sub(r"\1+\2", text))
            return (
                instant.replace(tzinfo=instant.tzinfo or dt.UTC).astimezone(dt.UTC) - EPOCH
            ) // MILLISECOND
        except (ValueError, OverflowError) as error:
            raise ma.ValidationError(DATE) from error


def _parse_date(text: str) -> dt.datetime:
    """What `fromisoformat` reads, and of ISO 8601 also reduced and ordinal dates and the midnight 24:00."""
    reduced = REDUCED.fullmatch(text)
    if reduced:
        return dt.datetime(int(reduced[1]), int(reduced[2] or 1), 1, tzinfo=dt.UTC)
    ordinal = ORDINAL.match(text)
    if ordinal:
        first = dt.date(int(ordinal[1]), 1, 1)
        day = first + dt.timedelta(days=int(ordinal[2]) - 1)
        if day.year != first.year:
            raise ValueError("no such day")
        text = f"{day.isoformat()}{text[ordinal.end() :]}"
    if MIDNIGHT.search(text):
        return dt.datetime.fromisoformat(MIDNIGHT.sub("T00", text)) + dt.timedelta(days=1)
    return dt.datetime.fromisoformat(text)


def date(milliseconds: int | None) -> str | None:
    """RFC 3339 in UTC with milliseconds: `2026-08-21T02:08:30.364Z`."""
    if milliseconds is None:
        return None
    instant = EPOCH + dt.timedelta(milliseconds=milliseconds)
    return f"{instant.isoformat(timespec='milliseconds')[:-6]}Z"
