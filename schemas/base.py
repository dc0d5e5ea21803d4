"""Base schema, field types, validation errors (docs/contract.md, Errors).

Messages say what to send and never repeat a value of the request.
"""

import math
import uuid
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, ClassVar

import marshmallow as ma

from schemas.values import DATE, FieldError, read_date

REQUIRED = "Send this value: it is required."
TEXT = "Send text."
UNCLEAN = "Send text without NUL and without half surrogate pairs."
OBJECT = "Send an object."
NUMBER = "Send numbers that are finite, and integers that fit into 64 bits."

MAX_DEPTH = 64  # levels of a JSON value
CONTAINERS = (dict, list)
MAX_PROBLEMS = 1_000  # listed per request
NO_NAME = "?"  # a key of messages that is left out of the path


def errors(refused: Iterable[FieldError]) -> list[dict[str, str]]:
    """Errors as a response lists them."""
    return [{"field": error.field, "message": error.message} for error in refused]


class FormError(Exception):
    """Values that a form refuses; `found` is named beside the error, under keys of its own."""

    def __init__(self, problems: list[FieldError], found: Mapping[str, list[str]] | None = None) -> None:
        super().__init__("form")
        self.problems = problems
        self.found = dict(found or {})


JsonSchema = Mapping[str, Any]  # of a field, for the OpenAPI document


class Form(ma.Schema):
    """A JSON object of a request: `null` is an absent key, `[]` is `{}`, unknown keys are ignored."""

    example: ClassVar[Any] = None  # for the OpenAPI document
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
    """The form's values. Raises `FormError` with the first `MAX_PROBLEMS` errors."""
    try:
        return form.load(data)
    except ma.ValidationError as error:
        raise FormError(list(islice(problems(error.messages), MAX_PROBLEMS))) from error


def present(form: Form, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a query string, without empty ones unless the form requires them."""
    required = {name for name, field in form.load_fields.items() if field.required}
    return {name: value for name, value in values.items() if value != "" or name in required}


def problems(messages: Any, path: str = "") -> Iterator[FieldError]:
    """marshmallow's nested messages, flattened to paths such as `subscribers[3].email`."""
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            yield from problems(inner, path if key in ("_schema", NO_NAME) else _join(path, key))
    else:
        for message in messages:
            yield FieldError(path, message)


def _join(path: str, key: str | int) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def nested(form: type[Form], **options: Any) -> ma.fields.Nested:
    return ma.fields.Nested(form, error_messages={"required": REQUIRED}, **options)


class Text(ma.fields.Field[str]):
    """Text; a number or a boolean is read as its text."""

    json_schema: ClassVar[JsonSchema] = {"type": "string"}
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
    """`value`, if it is JSON that can be stored without loss. Raises `ma.ValidationError`."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if not is_clean_text(item):
                raise ma.ValidationError(UNCLEAN)
        elif isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            waiting += item
        elif not is_storable_number(item):
            raise ma.ValidationError(NUMBER)
    return value


def is_storable_number(value: Any) -> bool:
    """For a JSON scalar other than text; true for booleans and null."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or -(2**63) <= value < 2**63


def depth(value: Any) -> int:
    """The number of nested objects and arrays: 1 for `{}`, 0 for a scalar."""
    levels, level = 0, [value] if type(value) in CONTAINERS else []
    while level:
        levels += 1
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) in CONTAINERS
        ]
    return levels


class Uuid(Text):
    """A UUID with or without dashes; other text is kept, and matches nothing."""

    json_schema: ClassVar[JsonSchema] = {"type": "string", "format": "uuid"}

    def _deserialize(self, value: Any, *arguments: Any, **options: Any) -> str:
        text = super()._deserialize(value, *arguments, **options)
        return dashed(text)


def dashed(text: str) -> str:
    try:
        return str(uuid.UUID(text.strip()))
    except ValueError:
        return text


class InstantField(ma.fields.Field[int]):
    """An ISO 8601 date or date-time, in milliseconds since 1970 (`values.read_date`)."""

    json_schema: ClassVar[JsonSchema] = {"type": "string", "examples": ["2026-08-21", "2026-08-21T02:08:30Z"]}
    default_error_messages = {"required": REQUIRED}  # noqa: RUF012

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        try:
            return read_date(as_text(value))
        except ValueError as error:
            raise ma.ValidationError(DATE) from error
