"""Base schema, field types, validation errors (docs/contract.md, Errors).

Messages say what to send and never repeat a value of the request.
"""

import math
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, Self

import marshmallow as ma

from schemas.codes import Code, Sentence, code_of
from schemas.values import DATE, FieldError, closest, error_names, read_date, trim
from schemas.values import FormError as FormError

REQUIRED = Sentence(Code.REQUIRED, "Send this value: it is required.")
TEXT = Sentence(Code.WRONG_TYPE, "Send text.")
UNCLEAN = Sentence(Code.UNSTORABLE, "Send text without NUL and without half surrogate pairs.")
UNCLEAN_CHARACTER = re.compile("[\0\ud800-\udfff]")
OBJECT = Sentence(Code.WRONG_TYPE, "Send an object.")
TWICE = Sentence(
    Code.REPEATED_KEY, "This key is in the request several times, with different values: send it once."
)
SEVERAL = Sentence(Code.REPEATED_KEY, "This parameter is in the request several times: send it once.")
SWITCH = Sentence(Code.WRONG_TYPE, "Send 1 or 0.")
TRUTH = Sentence(Code.WRONG_TYPE, "Send true or false.")
CHOICE = Sentence(Code.UNKNOWN_CHOICE, "Send {}.")
NUMBER = Sentence(Code.UNSTORABLE, "Send numbers that are finite, and integers that fit into 64 bits.")

MAX_DEPTH = 64  # levels of a JSON value
CONTAINERS = (dict, list)
DASHED = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MAX_PROBLEMS = 1_000  # listed per request
NO_NAME = "?"  # a key of messages that is left out of the path


def errors(refused: Iterable[FieldError]) -> list[dict[str, str]]:
    """The errors as a response lists them."""
    return [{"field": error.field, "message": error.message, "code": error.code} for error in refused]


JsonSchema = Mapping[str, Any]  # of a field, for the OpenAPI document


class UnknownKeys(Sentence):
    """A message about unknown keys: their `names`, and the valid ones that are probably meant."""

    names: tuple[tuple[str, ...], tuple[str, ...]]

    def __new__(cls, message: str, unknown: Iterable[str], valid: Iterable[str]) -> Self:
        text = super().__new__(cls, code_of(message, Code.UNKNOWN_KEY), message)
        listed = tuple(unknown)
        text.names = listed, closest(listed, valid)
        return text


class Doubled(dict[str, Any]):
    """A JSON object in which keys occur twice with different values. As a dict it has the last value of each
    key; `doubled` has all values of such keys.
    """

    def __init__(self, values: Mapping[str, Any], doubled: Mapping[str, list[Any]]) -> None:
        super().__init__(values)
        self.doubled = doubled


class RequestSchema(ma.Schema):
    """A JSON object of a request: `null` is an absent key, `[]` is `{}`, unknown keys are ignored.

    Text that could not be stored is refused even under unknown keys.

    Parameters called `form` are request schemas.
    """

    error_messages = {"type": OBJECT}  # noqa: RUF012 - marshmallow's own interface

    class Meta:
        unknown = ma.EXCLUDE

    @ma.pre_load
    def without_nulls(self, data: Any, **_: Any) -> Any:  # hooks run by name: this after `unflatten`
        if data == []:
            return {}
        if not isinstance(data, Mapping):
            return data
        if isinstance(data, Doubled):
            self.refuse_doubled(data)
        return self.known_values(data)

    def refuse_doubled(self, data: Doubled) -> None:
        """Raises `ma.ValidationError` for keys that occur twice with different values.

        A doubled `type` is ignored unless the form has that key.
        """
        if named := [key for key in data.doubled if key != "type" or key in self.keys]:
            raise ma.ValidationError({key: [TWICE] for key in named})

    def known_values(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the form's keys, without `null`.

        Raises `ma.ValidationError`, by index of the key, if an unknown key or its value cannot be stored.
        """
        clean_each((index, item) for index, item in enumerate(data.items()) if item[0] not in self.keys)
        return {key: value for key, value in data.items() if key in self.keys and value is not None}

    @cached_property
    def empty_values(self) -> Any:
        """The values of an empty request. Raises `ma.ValidationError` if the form requires a value."""
        return self.load({})

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(self.fields_by_key)

    @cached_property
    def fields_by_key(self) -> dict[str, Any]:
        return {field.data_key or name: field for name, field in self.load_fields.items()}


def load(form: RequestSchema, data: Any) -> Any:
    """Validates `data` by a form. Returns the values. Raises `FormError` with at most `MAX_PROBLEMS`."""
    try:
        return deepcopy(form.empty_values) if data == {} else form.load(data)
    except ma.ValidationError as error:
        listed = list(islice(problems(error.messages), MAX_PROBLEMS))
        raise FormError(listed, error_names(listed)) from error


class Repeated(list[str]):
    """The non-empty values of a parameter that is repeated in a query string."""


def last(values: Repeated) -> str:
    return values[-1]


def query_values(form: RequestSchema, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a query string. Empty values are left out, unless the form requires them.

    The last value of a repeated parameter counts, unless its field joins them all (`join_repeated`).
    """
    fields = form.fields_by_key
    return {
        name: getattr(fields.get(name), "join_repeated", last)(value)
        if isinstance(value, Repeated)
        else value
        for name, value in values.items()
        if value != "" or (name in fields and fields[name].required)
    }


def problems(messages: Any, path: str = "") -> Iterator[FieldError]:
    """The errors in marshmallow's nested messages, each with its path, such as `subscribers[3].email`.

    `path` is that of `messages` itself.
    """
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            yield from problems(inner, path if key in ("_schema", NO_NAME) else _join(path, key))
    else:
        for message in messages:
            yield FieldError(path, str(message), *getattr(message, "names", ()))


def _join(path: str, key: str | int) -> str:
    return join_paths(path, f"[{key}]" if isinstance(key, int) else key)


def join_paths(path: str, rest: str) -> str:
    """The path `path` followed by `rest`: a key, an index such as `[3]`, a path, or nothing."""
    return f"{path}.{rest}" if path and rest and not rest.startswith("[") else f"{path}{rest}"


def describe(description: str, **more: Any) -> dict[str, Any]:
    """The options of a field that has a description, and `more`, in the OpenAPI document."""
    return {"metadata": {"description": description, **more}}


def nested(form: type[RequestSchema], **options: Any) -> ma.fields.Nested:
    return ma.fields.Nested(form, error_messages={"required": REQUIRED, "null": OBJECT}, **options)


class Text(ma.fields.Field[str]):
    """A text. A number or boolean is converted to text. `strip` trims it. Unless `blank`, a blank text is
    refused.
    """

    json_schema: ClassVar[JsonSchema] = {"type": "string"}
    default_error_messages = {"required": REQUIRED, "type": TEXT}  # noqa: RUF012 - marshmallow's own interface

    def __init__(self, *, strip: bool = False, blank: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self.strip = strip
        self.blank = blank

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        text = as_text(value)
        text = trim(text) if self.strip else text
        if not self.blank and not trim(text):
            raise ma.ValidationError(REQUIRED)
        return text


class Once(Text):
    """A parameter that may be repeated in a query string only with the same value."""

    @staticmethod
    def join_repeated(values: Repeated) -> str | Repeated:
        """The value that all repetitions have. If they differ, returns all of them, which validation then
        refuses.
        """
        return values if len({*values}) > 1 else values[0]

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if isinstance(value, Repeated):
            raise ma.ValidationError(SEVERAL)
        return super()._deserialize(value)


class Switch(Once):
    """A parameter that is `1` or `0`; `true` and `false` are accepted, too."""

    json_schema: ClassVar[JsonSchema] = {"type": "string", "enum": ["0", "1"]}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        text = super()._deserialize(value)
        if text.strip().lower() not in ("0", "1", "true", "false"):
            raise ma.ValidationError(SWITCH)
        return text.strip().lower() in ("1", "true")


class Truth(ma.fields.Field[bool]):
    """A boolean, as JSON or as its text; 1 and 0 are accepted, too."""

    json_schema: ClassVar[JsonSchema] = {"type": "boolean"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        word = as_text(value).strip().lower()
        if word not in ("true", "false", "1", "0"):
            raise ma.ValidationError(TRUTH)
        return word in ("true", "1")


class Choice(Text):
    """One of the texts in `choices`."""

    def __init__(
        self, choices: Iterable[str], *, metadata: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        self.choices = tuple(choices)
        super().__init__(strip=True, metadata={**(metadata or {}), "enum": [*self.choices]}, **options)

    def _deserialize(self, value: Any, *arguments: Any, **options: Any) -> str:
        text = super()._deserialize(value, *arguments, **options)
        if text not in self.choices:
            raise ma.ValidationError(UnknownKeys(CHOICE.format(_words(self.choices)), [text], self.choices))
        return text


def _words(choices: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))


def as_object(value: Any) -> dict[str, Any]:
    """The value if it is an object; `[]`, PHP's empty map, becomes `{}`. Else raises `ma.ValidationError`."""
    if value == []:
        return {}
    if not isinstance(value, dict):
        raise ma.ValidationError(OBJECT)
    return value


def as_text(value: Any) -> str:
    """The text of a text, number or boolean. Raises `ma.ValidationError` for any other value, and for text
    that cannot be stored.
    """
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
    if text.isascii():
        return "\0" not in text
    return UNCLEAN_CHARACTER.search(text) is None


def clean(value: Any) -> Any:
    """Returns `value`. Raises `ma.ValidationError` unless it is JSON that can be stored without loss."""
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


def clean_each(items: Iterable[tuple[int, tuple[str, Any]]]) -> None:
    """Raises `ma.ValidationError`, by index, if a key or its value cannot be stored.

    `items` are (index, (key, value)).
    """
    messages = {}
    for index, (key, value) in items:
        try:
            clean([key, value])
        except ma.ValidationError as error:
            messages[index] = error.messages
    if messages:
        raise ma.ValidationError(messages)


def is_storable_number(value: Any) -> bool:
    """Whether a JSON value other than text, object or array can be stored. True for booleans and null."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or -(2**63) <= value < 2**63


def depth(value: Any) -> int:
    """How deeply objects and arrays are nested in a JSON value: 0 for a scalar, 1 for `{}`, 2 for `[[]]`."""
    levels, level = 0, [value] if isinstance(value, CONTAINERS) else []
    while level:
        levels += 1
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if type(inner) in CONTAINERS
        ]
    return levels


class Uuid(Text):
    """A UUID with or without dashes. Any other text is kept as it is: no subscriber has it."""

    json_schema: ClassVar[JsonSchema] = {"type": "string", "format": "uuid"}

    def _deserialize(self, value: Any, *arguments: Any, **options: Any) -> str:
        text = super()._deserialize(value, *arguments, **options)
        return with_dashes(text)


def with_dashes(text: str) -> str:
    if DASHED.fullmatch(text):
        return text
    try:
        return str(uuid.UUID(trim(text)))
    except ValueError:
        return text


class InstantField(ma.fields.Field[int]):
    """An ISO 8601 date or date-time, in milliseconds since 1970 (`values.read_date`)."""

    json_schema: ClassVar[JsonSchema] = {"type": "string", "examples": ["2026-08-21", "2026-08-21T02:08:30Z"]}
    default_error_messages = {"required": REQUIRED}  # noqa: RUF012 - marshmallow's own interface

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        try:
            return read_date(as_text(value))
        except ValueError as error:
            raise ma.ValidationError(DATE) from error
