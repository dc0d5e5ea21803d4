"""Forms that take subscribers, and the subscriber resource (docs/contract.md, Subscribers)."""

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import unquote

import marshmallow as ma

from schemas.base import (
    NO_NAME,
    Form,
    InstantField,
    JsonSchema,
    Text,
    Uuid,
    is_clean_text,
    nested,
)
from schemas.custom_fields import CustomValues
from schemas.responses import Date, Id, ResponseSchema, listing, resource, single
from schemas.tags import TagNames
from schemas.values import DATES, NAMES, write_date

COLUMNS = ("email", *NAMES, "tags", "remove_tags", "fields", "command")
RESERVED = frozenset({
    "email", "id", "uuid", "type", "tags", "remove_tags", "fields", "command", "site_uuid", "site_id",
    "cached_tag_ids", "navigation_url", *DATES,
})  # fmt: skip
PAGE = "Send a whole number, 1 or more."
MAX_PAGE = 2**40
MAX_TAGS = 100
TOO_MANY_TAGS = f"Send at most {MAX_TAGS} tags."


class SubscriberInput(Form):
    """A subscriber to create or import. Unknown keys are custom values; `fields` overrides them."""

    email = Text(required=True, strip=True, blank=False)
    first_name = Text()
    last_name = Text()
    tags = TagNames()
    remove_tags = TagNames()
    fields_ = CustomValues(data_key="fields")
    further = CustomValues(data_key=NO_NAME)

    @ma.pre_load
    def gather(self, data: Any, **_: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        further = {key: value for key, value in data.items() if key not in RESERVED and key not in NAMES}
        return {key: value for key, value in data.items() if key in COLUMNS} | {NO_NAME: further}

    @ma.post_load
    def item(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        values = data.pop("further", {}) | data.pop("fields_", {})
        return _without_empty(data | names_in(values) | {"fields": values})


def names_in(values: dict[str, Any]) -> dict[str, str]:
    """Moves the text columns out of `values`. Raises `ma.ValidationError`."""
    texts = {}
    for name in NAMES:
        if name in values:
            try:
                texts[name] = Text().deserialize(values.pop(name))
            except ma.ValidationError as error:
                raise ma.ValidationError({"fields": {name: error.messages}}) from error
    return {name: text for name, text in texts.items() if text}


def _without_empty(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if value not in ("", [], {})}


class CreateSubscriber(Form):
    """`{"subscriber": {...}}`, or the same keys flat."""

    example: ClassVar[Any] = {
        "subscriber": {
            "email": "ann@example.com",
            "first_name": "Ann",
            "tags": "vip, newsletter",
            "fields": {"plan": "pro"},
        }
    }

    subscriber = nested(SubscriberInput, required=True)

    @ma.pre_load
    def unflatten(self, data: Any, **_: Any) -> Any:
        if isinstance(data, Mapping) and "subscriber" not in data and "email" in data:
            return {"subscriber": dict(data)}
        return data


class FindSubscriber(Form):
    """Refuses nothing: a value other than text matches no subscriber."""

    email = ma.fields.Raw(metadata={"description": "Address to look up.", "type": "string"})
    uuid = ma.fields.Raw(metadata={"description": "Subscriber UUID; overrides `email`.", "type": "string"})

    @ma.post_load
    def texts(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        texts = {key: value if isinstance(value, str) else str(value) for key, value in data.items()}
        if "email" in texts:
            texts["email"] = _decoded_twice(texts["email"])
        if "uuid" in texts:
            texts["uuid"] = Uuid().deserialize(texts["uuid"]) if is_clean_text(texts["uuid"]) else ""
        return texts


def _decoded_twice(email: str) -> str:
    """Decodes an address that a client has encoded twice; a `+` stays a `+`."""
    decoded = unquote(email)
    return decoded if "@" not in email and "@" in decoded else email


class PageNumber(ma.fields.Field[int]):
    json_schema: ClassVar[JsonSchema] = {"type": "integer", "minimum": 1}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        digits = str(value).strip()
        if isinstance(value, bool) or not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
            raise ma.ValidationError(PAGE)
        if not 1 <= int(digits) <= MAX_PAGE:
            raise ma.ValidationError(PAGE)
        return int(digits)


class Bounds(Form):
    gt = InstantField()
    lt = InstantField()


class SearchSubscribers(Form):
    """Bounds are exclusive; a match has all of the tags."""

    example: ClassVar[Any] = {"page": 1, "created_at": {"gt": "2026-01-01", "lt": "2026-07-01"}}

    page = PageNumber(load_default=1)
    created_at = nested(Bounds)
    updated_at = nested(Bounds)
    last_event_at = nested(Bounds)
    unsubscribed_at = nested(Bounds)
    email = Text(strip=True)
    tags = TagNames(validate=ma.validate.Length(max=MAX_TAGS, error=TOO_MANY_TAGS))
    segment_id = Text(strip=True)

    @ma.post_load
    def drop_empty(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {key: value for key, value in data.items() if value != ""}


class SubscriberAttributes(ResponseSchema):
    uuid = ma.fields.UUID()
    email = ma.fields.String()
    fields_ = ma.fields.Dict(
        keys=ma.fields.String(),
        data_key="fields",
        metadata={"description": "Custom values, and the names that are set."},
    )
    cached_tag_ids = ma.fields.List(Id())
    unsubscribed_at = Date(allow_none=True)
    navigation_url = ma.fields.String()
    first_name = ma.fields.String(allow_none=True)
    last_name = ma.fields.String(allow_none=True)
    created_at = Date()
    updated_at = Date()
    last_event_at = Date(allow_none=True)


class SearchMeta(ResponseSchema):
    page = ma.fields.Integer(strict=True)
    query = ma.fields.Dict(
        keys=ma.fields.String(), metadata={"description": "The filters that were applied."}
    )
    per_page = ma.fields.Integer(strict=True)
    has_more = ma.fields.Boolean()


SubscriberSchema = resource("Subscriber", "visitors", SubscriberAttributes)
SubscriberAnswer = single("SubscriberAnswer", SubscriberSchema)
FoundSubscriber = single("FoundSubscriber", SubscriberSchema, or_null=True)
FoundSubscribers = listing("FoundSubscribers", SubscriberSchema, meta=ma.fields.Nested(SearchMeta))


def bounds(form: Mapping[str, Any], side: str) -> dict[str, int]:
    """The bounds of one side (`gt` or `lt`) in milliseconds, by column."""
    return {name: form[name][side] for name in DATES if side in form.get(name, {})}


def search_meta(form: Mapping[str, Any], per_page: int, has_more: bool) -> dict[str, Any]:
    """`meta` of a search: the page and the filters that were applied."""
    query = {
        key: {side: write_date(instant) for side, instant in value.items()} if key in DATES else value
        for key, value in form.items()
        if key != "page" and value
    }
    return {"page": form["page"], "query": query, "per_page": per_page, "has_more": has_more}


def subscriber(subscriber: Any, public_url: str) -> dict[str, Any]:
    """The subscriber resource."""
    names = {name: getattr(subscriber, name) for name in NAMES}
    return {
        "id": str(subscriber.id),
        "type": "visitors",
        "attributes": {
            "uuid": subscriber.uuid,
            "email": subscriber.email,
            "fields": subscriber.fields | {name: value for name, value in names.items() if value},
            "cached_tag_ids": [str(tag_id) for tag_id in subscriber.tag_ids],
            "unsubscribed_at": write_date(subscriber.unsubscribed_at),
            "navigation_url": f"{public_url}/console/people/{subscriber.uuid}",
            **{name: value or None for name, value in names.items()},
            "created_at": write_date(subscriber.created_at),
            "updated_at": write_date(subscriber.updated_at),
            "last_event_at": write_date(subscriber.last_event_at),
        },
    }
