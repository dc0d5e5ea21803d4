"""Request schemas of custom fields and their values (docs/contract.md, Fields)."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import JsonSchema, RequestSchema, Text, as_object, as_text, clean, describe, nested
from schemas.codes import Code, Sentence
from schemas.links import without_link
from schemas.pages import PagedList, list_meta
from schemas.responses import Date, ResponseSchema, integer, listing, resource, single, string
from schemas.values import NAMES, VALUES_SAMPLE_SIZE, compact_json, normal_text, write_date

MAX_KEY_LENGTH = 100
MAX_VALUE_BYTES = 2**16
MAX_OF_ONE = 10_000  # one row is written at once, while others wait
SMALL = (MAX_VALUE_BYTES - 2) // 6  # characters of a text that is surely small enough, all of them escaped
OTHERS = re.compile(r"[^\w\-.$]+")
PLAIN_KEY = re.compile(rf"[\w\-.$]{{1,{MAX_KEY_LENGTH}}}")
KEY = Sentence(Code.MALFORMED_KEY, f"Send a key of 1 to {MAX_KEY_LENGTH} letters, digits, or any of _ - . $")
TOO_LARGE = Sentence(Code.TOO_LONG, f"Send a value of at most {MAX_VALUE_BYTES // 1024} KiB as JSON.")
TOO_MANY = Sentence(Code.TOO_MANY, f"Send at most {MAX_OF_ONE:,} custom values for one person at once.")
CUSTOM_VALUE: JsonSchema = {
    "description": "Text, a number, a boolean, an array or an object.",
    "anyOf": [
        {"type": "string"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "array", "items": {}},
        {"type": "object", "additionalProperties": True},
    ],
}
CUSTOM_VALUES: JsonSchema = {
    "type": "object",
    "additionalProperties": {"$ref": "#/components/schemas/CustomValue"},
}
NOT_A_NAME = Sentence(
    Code.RESERVED_KEY, f"Send another key: {' and '.join(NAMES)} are built in, not custom fields."
)


def field_key(text: str) -> str:
    """The key of a custom field, made from a text: trimmed, in NFC, with `_` for characters that a key must
    not have.

    Raises `ma.ValidationError` if it is empty or too long.
    """
    key = OTHERS.sub("_", normal_text(text) or "")
    if not 1 <= len(key) <= MAX_KEY_LENGTH:
        raise ma.ValidationError(KEY)
    return key


class FieldKey(Text):
    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        return field_key(as_text(value))


class CustomValues(ma.fields.Field[dict[str, Any]]):
    """Custom values by key. `null` values are left out; `[]` is `{}`."""

    json_schema = CUSTOM_VALUES

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        return custom_values(enumerate_fields(as_object(value)))


class FurtherValues(CustomValues):
    """Custom values that are sent beside the form's own keys, as tuples (index in the object, key, value)."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        return custom_values(value)


class StoredValues(ma.fields.Dict):
    """Custom values in a response, with the subscriber's first and last name if set."""

    json_schema: ClassVar[JsonSchema] = {
        **CUSTOM_VALUES,
        "description": "Custom values by key, and the names if they are set, as text.",
    }


Placed = tuple[int, str, Any]  # place in the object, key, value


def enumerate_fields(raw: dict[str, Any]) -> Iterator[Placed]:
    return ((index, key, value) for index, (key, value) in enumerate(raw.items()))


def custom_values(raw: Iterable[Placed]) -> dict[str, Any]:
    """Validated custom values by normalized key, without `null`. Raises `ma.ValidationError`, by index in the
    object.
    """
    values, messages = {}, {}
    for index, key, value in raw:
        if value is None:
            continue
        try:
            values[field_key(as_text(key))] = custom_value(value)
        except ma.ValidationError as error:
            messages[index] = error.messages
    if messages:
        raise ma.ValidationError(messages)
    return values


def check_number(values: dict[str, Any]) -> dict[str, Any]:
    """Returns a subscriber's custom values unchanged. Raises `ma.ValidationError` if they are too many."""
    if len(values) > MAX_OF_ONE:
        raise ma.ValidationError({"fields": [TOO_MANY]})
    return values


def custom_value(value: Any) -> Any:
    """Returns `value`.

    Raises `ma.ValidationError` if it cannot be a custom value, or contains a link that acts for a subscriber.
    """
    clean(value)
    text = value if is_surely_small(value) else compact_json(value)
    if text is not value and len(text.encode()) > MAX_VALUE_BYTES:
        raise ma.ValidationError(TOO_LARGE)
    if isinstance(text, str):
        without_link(text)
    return value


def is_surely_small(value: Any) -> bool:
    """Whether a custom value is certainly small enough. False if only its encoding can tell."""
    if isinstance(value, str):
        return len(value) <= SMALL
    return not isinstance(value, dict | list)


class Flag(ma.fields.Field[bool]):
    """A boolean that never fails: `0`, `false` and `no` are false, anything else is true."""

    json_schema: ClassVar[JsonSchema] = {"type": "boolean"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        return str(value).strip().lower() not in ("0", "false", "no")


class NewField(RequestSchema):
    key = FieldKey(required=True, validate=ma.validate.NoneOf(NAMES, error=NOT_A_NAME))


class CreateField(RequestSchema):
    field = nested(NewField, required=True)


class ListFields(PagedList):
    values_ = Flag(data_key="values", attribute="values", load_default=False)


class CommonValue(ResponseSchema):
    value = ma.fields.Raw(**describe("Text, a number or a boolean."))
    count = integer(f"Number of subscribers, among the newest {VALUES_SAMPLE_SIZE:,}.")


class FieldAttributes(ResponseSchema):
    name = string("Display name, made from the key.")
    key = ma.fields.String()
    whitelisted = ma.fields.Boolean(allow_none=True)
    created_at = Date()
    values_ = ma.fields.List(
        ma.fields.Nested(CommonValue),
        data_key="values",
        **describe("The most common values, if requested.", may_be_absent=True),
    )


CustomFieldSchema = resource("CustomField", "visitors-fields", FieldAttributes)
FieldAnswer = single("FieldAnswer", CustomFieldSchema)
DeletedField = single("DeletedField", CustomFieldSchema, message=ma.fields.String())
FieldList = listing("FieldList", CustomFieldSchema, meta=list_meta())


def field(row: Any, values: dict[str, list[tuple[Any, int]]] | None = None) -> dict[str, Any]:
    """The resource of a custom field. If `values` has the most common values by key, includes the field's."""
    listed = [{"value": value, "count": count} for value, count in (values or {}).get(row.key, [])]
    return {
        "id": str(row.id),
        "type": "visitors-fields",
        "attributes": {
            "name": row.name,
            "key": row.key,
            "whitelisted": row.whitelisted,
            "created_at": write_date(row.created_at),
            **({} if values is None else {"values": listed}),
        },
    }
