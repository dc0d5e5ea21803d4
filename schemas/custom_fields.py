"""Forms of custom fields and their values (docs/contract.md, Fields)."""

import re
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import NO_NAME, Form, JsonSchema, Text, as_object, as_text, clean, nested
from schemas.responses import Date, ResponseSchema, listing, resource, single
from schemas.values import NAMES, VALUES_SAMPLE_SIZE, write_date

MAX_KEY_LENGTH = 100
OTHERS = re.compile(r"[^\w\-.$]+")
PLAIN_KEY = re.compile(rf"[\w\-.$]{{1,{MAX_KEY_LENGTH}}}")
STATUS_WORDS = re.compile(  # which some clients search for in error messages
    "401|403|404|422|429|unauthorized|forbidden|not.?found|rate.?limit|timeout|validation|invalid",
    re.IGNORECASE,
)
KEY = f"Send a key of 1 to {MAX_KEY_LENGTH} letters, digits, or any of _ - . $"
NOT_A_NAME = f"Send another key: {' and '.join(NAMES)} are built in, not custom fields."


def field_key(text: str) -> str:
    """`text` as a key: trimmed, other characters replaced by `_`. Raises `ma.ValidationError`."""
    key = OTHERS.sub("_", text.strip())
    if not 1 <= len(key) <= MAX_KEY_LENGTH:
        raise ma.ValidationError(KEY)
    return key


class FieldKey(Text):
    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        return field_key(as_text(value))


class CustomValues(ma.fields.Field[dict[str, Any]]):
    """JSON values by key; `null` changes nothing, and `[]` is `{}`."""

    json_schema: ClassVar[JsonSchema] = {"type": "object", "additionalProperties": True}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        return custom_values(as_object(value))


def custom_values(raw: dict[str, Any]) -> dict[str, Any]:
    """Values by normalized key. Raises `ma.ValidationError` with messages by key."""
    values, messages = {}, {}
    for key, value in raw.items():
        if value is None:
            continue
        try:
            values[field_key(as_text(key))] = clean(value)
        except ma.ValidationError as error:
            messages[key if PLAIN_KEY.fullmatch(key) and not STATUS_WORDS.search(key) else NO_NAME] = (
                error.messages
            )
    if messages:
        raise ma.ValidationError(messages)
    return values


class Flag(ma.fields.Field[bool]):
    """Refuses nothing: `0`, `false` and `no` are false, anything else is true."""

    json_schema: ClassVar[JsonSchema] = {"type": "boolean"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        return str(value).strip().lower() not in ("0", "false", "no")


class NewField(Form):
    key = FieldKey(required=True, validate=ma.validate.NoneOf(NAMES, error=NOT_A_NAME))


class CreateField(Form):
    example: ClassVar[Any] = {"field": {"key": "plan"}}

    field = nested(NewField, required=True)


class ListFields(Form):
    values_ = Flag(data_key="values", attribute="values", load_default=False)


class CommonValue(ResponseSchema):
    value = ma.fields.Raw(metadata={"description": "Text, a number or a boolean."})
    count = ma.fields.Integer(
        strict=True,
        metadata={"description": f"Number of subscribers, among the newest {VALUES_SAMPLE_SIZE:,}."},
    )


class FieldAttributes(ResponseSchema):
    name = ma.fields.String(metadata={"description": "Display name, made from the key."})
    key = ma.fields.String()
    whitelisted = ma.fields.Boolean(allow_none=True)
    created_at = Date()
    values_ = ma.fields.List(
        ma.fields.Nested(CommonValue),
        data_key="values",
        metadata={"description": "The most common values, if requested.", "may_be_absent": True},
    )


CustomFieldSchema = resource("CustomField", "visitors-fields", FieldAttributes)
FieldAnswer = single("FieldAnswer", CustomFieldSchema)
FieldList = listing("FieldList", CustomFieldSchema)


def field(row: Any, values: dict[str, list[tuple[Any, int]]] | None = None) -> dict[str, Any]:
    """The field resource; with `values` (the most common values by key) also those of the field."""
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
