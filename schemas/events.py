"""Request and response schemas for recording events (docs/contract.md, Events)."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import (
    InstantField,
    JsonSchema,
    RequestSchema,
    Switch,
    Text,
    as_object,
    as_text,
    clean,
    describe,
    errors,
)
from schemas.change_log import HistorySchema
from schemas.codes import Code, Sentence
from schemas.custom_fields import CustomValues, check_number, custom_values, enumerate_fields
from schemas.imports import ImportRows, load_row, too_late, too_late_counts
from schemas.pages import Paged, PageMeta
from schemas.responses import OPTIONAL, Date, ResponseSchema, integer, listing, problems, resource
from schemas.subscribers import OfAddress, names_in
from schemas.tags import TagName
from schemas.values import FieldError, write_date

MAX_EVENTS = 1_000
MAX_VALUES = 50_000  # of all events of a request, which are written at once, while others wait
TOO_MANY = Sentence(
    Code.TOO_MANY,
    f"One request may have at most {MAX_VALUES:,} custom values: send this event in another request.",
)
EVENTS = Sentence(Code.OUT_OF_RANGE, f"Send an event object, or an array of 1 to {MAX_EVENTS:,} of them.")
MAX_LENGTH = 255  # of a type and of a unique key
TOO_LONG = Sentence(Code.TOO_LONG, f"Send text of at most {MAX_LENGTH} characters.")
TAG = Sentence(Code.REQUIRED, "Send the name of the tag as details.tag.")
TAGGING = frozenset({"$tag", "$remove_tag"})
DETAILS_ARE_FIELDS = frozenset({"$subscribe", "$update_fields"})


class Details(ma.fields.Field[dict[str, Any]]):
    json_schema: ClassVar[JsonSchema] = {"type": "object", "additionalProperties": True}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        details: dict[str, Any] = clean(as_object(value))
        return details


class EventSchema(RequestSchema):
    email = Text(required=True, strip=True, blank=False)
    type = Text(
        required=True,
        strip=True,
        blank=False,
        validate=ma.validate.Length(max=MAX_LENGTH, error=TOO_LONG),
    )
    fields_ = CustomValues(data_key="fields")
    details = Details()
    date = InstantField()
    uuid = OfAddress()

    @ma.post_load
    def item(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        details = data.get("details", {})
        values = data.pop("fields_", {})
        if data["type"] in DETAILS_ARE_FIELDS:
            settings = {"unique"} | ({"if_unset"} if details.get("if_unset") is True else set())
            further = [item for item in enumerate_fields(details) if item[1] not in settings]
            values = _at("details", custom_values, further) | values
        if data["type"] in TAGGING:
            data["tag"] = _at("details", _tag, details)
        if isinstance(details.get("unique"), Mapping) and details["unique"].get("key") is not None:
            data["unique_key"] = _at("details", _unique_key, details["unique"]["key"])
        return data | names_in(values) | {"fields": check_number(values)}


def _at(field: str, read: Any, value: Any) -> Any:
    try:
        return read(value)
    except ma.ValidationError as error:
        raise ma.ValidationError({field: error.messages}) from error


def _tag(details: dict[str, Any]) -> str:
    name = details.get("tag")
    tag = "" if name is None else TagName().deserialize(name)
    if not tag:
        raise ma.ValidationError(TAG)
    return str(tag)


def _unique_key(value: Any) -> str:
    key = as_text(value)
    if len(key) > MAX_LENGTH:
        raise ma.ValidationError(TOO_LONG)
    return key


class EventRows(ma.fields.Field[ImportRows]):
    """The events of a request, each validated on its own: an error refuses only that event."""

    default_error_messages = {"required": EVENTS}  # noqa: RUF012 - marshmallow's own interface
    json_schema: ClassVar[JsonSchema] = {"type": "array", "minItems": 1, "maxItems": MAX_EVENTS}
    item = EventSchema

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> ImportRows:
        events = [value] if isinstance(value, dict) else value
        if not isinstance(events, list) or not 1 <= len(events) <= MAX_EVENTS:
            raise ma.ValidationError(EVENTS)
        rows, form, values = ImportRows(len(events)), EventSchema(), 0
        for index, row in enumerate(events):
            item = load_row(form, row, f"events[{index}]", rows.problems)
            if item is None:
                continue
            if values + len(item["fields"]) > MAX_VALUES:
                rows.problems.append(FieldError(f"events[{index}].fields", TOO_MANY))
                continue
            values += len(item["fields"])
            rows.items.append((index, item))
        return rows


class RecordEvents(RequestSchema):
    """The events to record: `{"events": [...]}`; a single event may replace the array or the whole object."""

    events = EventRows(required=True)

    @ma.pre_load
    def unflatten(self, data: Any, **_: Any) -> Any:
        if isinstance(data, Mapping) and data.get("events") is None and "type" in data:
            return {"events": data}
        return data


class Recorded(ResponseSchema):
    results = integer("Number of recorded events.")
    failed = integer("Number of refused events.")
    errors = problems()
    unsubscribes_ignored = too_late("Unsubscribes")
    subscribes_ignored = too_late("Subscribes")


def record_response(total: int, done: Any) -> dict[str, Any]:
    return {
        "results": done.accepted,
        "failed": total - done.accepted,
        "errors": errors(done.errors),
        **too_late_counts(done),
    }


class ListEvents(Paged):
    history = Switch(**describe("With `1`, the answer also says what changed in the subscriber."))


class EventAttributes(ResponseSchema):
    type = ma.fields.String()
    details = ma.fields.Dict(keys=ma.fields.String(), **describe("The details, as they were sent."))
    date = Date(**describe("When the event occurred."))
    created_at = Date(**describe("When the event was recorded."))


EventResource = resource("RecordedEvent", "events", EventAttributes)
EventList = listing(
    "EventList",
    EventResource,
    meta=ma.fields.Nested(PageMeta),
    history=ma.fields.Nested(HistorySchema, **OPTIONAL),
)


def event_resource(row: Any) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "type": "events",
        "attributes": event(row) | {"created_at": write_date(row.created_at)},
    }


def event(row: Any) -> dict[str, Any]:
    """An event of a subscriber, for `audience subscriber export`."""
    return {"type": row.type, "date": write_date(row.occurred_at), "details": json.loads(row.details)}
