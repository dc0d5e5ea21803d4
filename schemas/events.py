"""Events on the wire (contract section 3)."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import marshmallow as ma

from schemas.custom_fields import CustomValues, custom_values
from schemas.imports import Rows, load_row
from schemas.shapes import Answer, problems
from schemas.subscribers import names_in
from schemas.wire import Form, Instant, Spelling, Text, as_object, as_text, clean, date

MOST = 1_000
EVENTS = "Send an event object, or an array of 1 to 1,000 of them."
TAG = "Send the name of the tag as details.tag."
TAGGING = frozenset({"$tag", "$remove_tag"})
DETAILS_ARE_FIELDS = frozenset({"$subscribe", "$update_fields"})


class Details(ma.fields.Field[dict[str, Any]]):
    spelled: ClassVar[Spelling] = {"type": "object", "additionalProperties": True}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        details: dict[str, Any] = clean(as_object(value))
        return details


class Event(Form):
    email = Text(required=True, strip=True, blank=False)
    type = Text(required=True, strip=True, blank=False)
    fields_ = CustomValues(data_key="fields")
    details = Details()
    date = Instant()

    @ma.post_load
    def item(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        details = data.get("details", {})
        values = data.pop("fields_", {})
        if data["type"] in DETAILS_ARE_FIELDS:
            further = {key: value for key, value in details.items() if key != "unique"}
            values = _at("details", custom_values, further) | values
        if data["type"] in TAGGING:
            data["tag"] = _at("details", _tag, details)
        if isinstance(details.get("unique"), Mapping) and details["unique"].get("key") is not None:
            data["unique_key"] = _at("details", as_text, details["unique"]["key"])
        return data | names_in(values) | {"fields": values}


def _at(field: str, read: Any, value: Any) -> Any:
    try:
        return read(value)
    except ma.ValidationError as error:
        raise ma.ValidationError({field: error.messages}) from error


def _tag(details: dict[str, Any]) -> str:
    given = details.get("tag")
    tag = "" if given is None else as_text(given).strip()
    if not tag:
        raise ma.ValidationError(TAG)
    return tag


class EventRows(ma.fields.Field[Rows]):
    """Each event by itself: a mistake in one refuses that one."""

    default_error_messages = {"required": EVENTS}  # noqa: RUF012
    spelled: ClassVar[Spelling] = {"type": "array", "minItems": 1, "maxItems": MOST}
    item = Event

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Rows:
        events = [value] if isinstance(value, dict) else value
        if not isinstance(events, list) or not 1 <= len(events) <= MOST:
            raise ma.ValidationError(EVENTS)
        rows, form = Rows(len(events)), Event()
        for index, given in enumerate(events):
            item = load_row(form, given, f"events[{index}]", rows.problems)
            if item is not None:
                rows.items.append((index, item))
        return rows


class RecordEvents(Form):
    """`{"events": [...]}`, or one event in place of the array or of the whole."""

    example: ClassVar[Any] = {
        "events": [
            {"email": "ann@example.com", "type": "$purchase", "details": {"total": 25}, "date": "2026-08-21"}
        ]
    }

    events = EventRows(required=True)

    @ma.pre_load
    def unflatten(self, data: Any, **_: Any) -> Any:
        if isinstance(data, Mapping) and "events" not in data and "type" in data:
            return {"events": dict(data)}
        return data


class Recorded(Answer):
    results = ma.fields.Integer(strict=True, metadata={"description": "How many were recorded."})
    failed = ma.fields.Integer(strict=True, metadata={"description": "How many were refused."})
    errors = problems()


def event(row: Any) -> dict[str, Any]:
    """An event as it is shown of a person."""
    return {"type": row.type, "date": date(row.occurred_at), "details": json.loads(row.details)}
