"""Custom fields on the wire (spec section 2.1, contract section 3)."""

import re
from typing import Any, ClassVar

import marshmallow as ma

from schemas.shapes import Answer, Date, many, one, resource
from schemas.wire import NO_NAME, Form, Spelling, Text, as_object, as_text, clean, date, nested

OTHERS = re.compile(r"[^\w\-.$]+")
PLAIN_KEY = re.compile(r"[\w\-.$]{1,100}")
TELLING = re.compile(  # what some clients search an error for (contract section 1)
    "401|403|404|422|429|unauthorized|forbidden|not.?found|rate.?limit|timeout|validation|invalid",
    re.IGNORECASE,
)
KEY_CHARACTERS = 100
NAMES = ("first_name", "last_name")
KEY = "Send a key of 1 to 100 letters, digits, or any of _ - . $"
NOT_A_NAME = "Send another key: first_name and last_name are there for everyone, and no custom fields."


def field_key(text: str) -> str:
    """The shape of a key. Raises `ma.ValidationError`."""
    key = OTHERS.sub("_", text.strip())
    if not 1 <= len(key) <= KEY_CHARACTERS:
        raise ma.ValidationError(KEY)
    return key


class FieldKey(Text):
    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        return field_key(as_text(value))


class CustomValues(ma.fields.Field[dict[str, Any]]):
    """Key to JSON value; `null` changes nothing, and `[]` is `{}`."""

    spelled: ClassVar[Spelling] = {"type": "object", "additionalProperties": True}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        return custom_values(as_object(value))


def custom_values(given: dict[str, Any]) -> dict[str, Any]:
    """Raises `ma.ValidationError` with the messages by key."""
    values, messages = {}, {}
    for key, value in given.items():
        if value is None:
            continue
        try:
            values[field_key(as_text(key))] = clean(value)
        except ma.ValidationError as error:
            messages[key if PLAIN_KEY.fullmatch(key) and not TELLING.search(key) else NO_NAME] = (
                error.messages
            )
    if messages:
        raise ma.ValidationError(messages)
    return values


class Flag(ma.fields.Field[bool]):
    """Never refuses: `0`, `false` and `no` are false, anything else is true."""

    spelled: ClassVar[Spelling] = {"type": "boolean"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        return str(value).strip().lower() not in ("0", "false", "no")


class NewField(Form):
    key = FieldKey(required=True, validate=ma.validate.NoneOf(NAMES, error=NOT_A_NAME))


class CreateField(Form):
    example: ClassVar[Any] = {"field": {"key": "plan"}}

    field = nested(NewField, required=True)


class ListFields(Form):
    values_ = Flag(data_key="values", attribute="values", load_default=False)


class CommonValue(Answer):
    value = ma.fields.Raw(metadata={"description": "Text, a number or a boolean."})
    count = ma.fields.Integer(strict=True, metadata={"description": "How many of the newest 10,000 people."})


class FieldAttributes(Answer):
    name = ma.fields.String(metadata={"description": "The key in words."})
    key = ma.fields.String()
    whitelisted = ma.fields.Boolean(allow_none=True)
    created_at = Date()
    values_ = ma.fields.List(
        ma.fields.Nested(CommonValue),
        data_key="values",
        metadata={"description": "The commonest values, where they are asked for.", "may_be_absent": True},
    )


CustomField = resource("CustomField", "visitors-fields", FieldAttributes)
FieldAnswer = one("FieldAnswer", CustomField)
FieldList = many("FieldList", CustomField)


def field(row: Any, values: dict[str, list[tuple[Any, int]]] | None = None) -> dict[str, Any]:
    """The field resource; with the commonest values by key, also its `values`."""
    listed = [{"value": value, "count": count} for value, count in (values or {}).get(row.key, [])]
    return {
        "id": str(row.id),
        "type": "visitors-fields",
        "attributes": {
            "name": row.name,
            "key": row.key,
            "whitelisted": row.whitelisted,
            "created_at": date(row.created_at),
            **({} if values is None else {"values": listed}),
        },
    }
