"""People on the wire: the forms that name them, and the subscriber resource (spec section 2.2)."""

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import unquote

import marshmallow as ma

from schemas.custom_fields import NAMES, PLAIN_KEY, CustomValues
from schemas.shapes import Answer, Date, Id, many, one, resource
from schemas.tags import TagNames, trimmed
from schemas.wire import (
    NO_NAME,
    Form,
    Instant,
    Spelling,
    Text,
    Uuid,
    date,
    is_clean_text,
    is_storable_number,
    nested,
)

COLUMNS = ("email", *NAMES, "tags", "remove_tags", "fields", "command")
RESERVED = frozenset({
    "email", "id", "uuid", "type", "tags", "remove_tags", "fields", "command", "site_uuid", "site_id",
    "cached_tag_ids", "navigation_url", "created_at", "updated_at", "last_event_at", "unsubscribed_at",
})  # fmt: skip
DATES = ("created_at", "updated_at", "last_event_at", "unsubscribed_at")
PAGE = "Send a whole number, 1 or more."
LARGEST_PAGE = 2**40
MOST_TAGS = 100
TOO_MANY_TAGS = f"Send at most {MOST_TAGS} tags."
CONSENT = "Send subscribe or unsubscribe, or leave the command out."


class SubscriberInput(Form):
    """A person as import and create take one. Further keys are custom values; `fields` wins over them."""

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
    """Takes the two names out of custom values. Raises `ma.ValidationError`."""
    found = {}
    for name in NAMES:
        if name in values:
            try:
                found[name] = Text().deserialize(values.pop(name))
            except ma.ValidationError as error:
                raise ma.ValidationError({"fields": {name: error.messages}}) from error
    return {name: text for name, text in found.items() if text}


def _without_empty(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if value not in ("", [], {})}


class ImportItem(SubscriberInput):
    command = Text(validate=ma.validate.OneOf(["subscribe", "unsubscribe"], error=CONSENT))


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


def plain_item(item: Any) -> dict[str, Any] | None:
    """What `ImportItem` makes of an item without mistakes and oddities; None for any other item."""
    if type(item) is not dict:
        return None
    row: dict[str, Any] = {}
    further: dict[str, Any] = {}
    for key, value in item.items():
        if value is None:
            continue
        if key in COLUMNS:
            if not _plain_column(key, value, row):
                return None
        elif key not in RESERVED:
            further[key] = value
    values = further | row.pop("fields", {})
    if "email" not in row or not _plain_values(values):
        return None
    if values:
        row["fields"] = values
    return row


def _plain_column(key: str, value: Any, row: dict[str, Any]) -> bool:
    if key == "fields":
        row[key] = (
            {name: each for name, each in value.items() if each is not None} if type(value) is dict else None
        )
        return row[key] is not None
    if type(value) is not str or key == "command" or not is_clean_text(value):
        return False
    if key == "email":
        value = value.strip()
        row[key] = value
        return bool(value)
    if key in NAMES:
        found: Any = value
    else:
        found = trimmed(value.split(","))
    if found:
        row[key] = found
    return True


def _plain_values(values: dict[str, Any]) -> bool:
    return all(
        (is_clean_text(value) if type(value) is str else type(value) in SCALARS and is_storable_number(value))
        and PLAIN_KEY.fullmatch(key)
        and key not in NAMES
        for key, value in values.items()
    )


SCALARS = (bool, int, float)


class FindSubscriber(Form):
    """Never refuses: a value that is not text matches nobody."""

    email = ma.fields.Raw(metadata={"description": "Address to look up.", "type": "string"})
    uuid = ma.fields.Raw(metadata={"description": "Subscriber UUID; wins over `email`.", "type": "string"})

    @ma.post_load
    def texts(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        texts = {key: value if isinstance(value, str) else str(value) for key, value in data.items()}
        if "email" in texts:
            texts["email"] = _decoded_twice(texts["email"])
        if "uuid" in texts:
            texts["uuid"] = Uuid().deserialize(texts["uuid"]) if is_clean_text(texts["uuid"]) else ""
        return texts


def _decoded_twice(email: str) -> str:
    """One client encodes the address twice; a `+` stays a `+`."""
    decoded = unquote(email)
    return decoded if "@" not in email and "@" in decoded else email


class Page(ma.fields.Field[int]):
    spelled: ClassVar[Spelling] = {"type": "integer", "minimum": 1}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        digits = str(value).strip()
        if isinstance(value, bool) or not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
            raise ma.ValidationError(PAGE)
        if not 1 <= int(digits) <= LARGEST_PAGE:
            raise ma.ValidationError(PAGE)
        return int(digits)


class Bounds(Form):
    gt = Instant()
    lt = Instant()


class SearchSubscribers(Form):
    """Bounds are exclusive; a person has all of the tags."""

    example: ClassVar[Any] = {"page": 1, "created_at": {"gt": "2026-01-01", "lt": "2026-07-01"}}

    page = Page(load_default=1)
    created_at = nested(Bounds)
    updated_at = nested(Bounds)
    last_event_at = nested(Bounds)
    unsubscribed_at = nested(Bounds)
    email = Text(strip=True)
    tags = TagNames(validate=ma.validate.Length(max=MOST_TAGS, error=TOO_MANY_TAGS))
    segment_id = Text(strip=True)

    @ma.post_load
    def drop_empty(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {key: value for key, value in data.items() if value != ""}


class SubscriberAttributes(Answer):
    uuid = ma.fields.UUID()
    email = ma.fields.String()
    fields_ = ma.fields.Dict(
        keys=ma.fields.String(), data_key="fields", metadata={"description": "Custom values, and the names."}
    )
    cached_tag_ids = ma.fields.List(Id())
    unsubscribed_at = Date(allow_none=True)
    navigation_url = ma.fields.String()
    first_name = ma.fields.String(allow_none=True)
    last_name = ma.fields.String(allow_none=True)
    created_at = Date()
    updated_at = Date()
    last_event_at = Date(allow_none=True)


class SearchMeta(Answer):
    page = ma.fields.Integer(strict=True)
    query = ma.fields.Dict(keys=ma.fields.String(), metadata={"description": "The filters as applied."})
    per_page = ma.fields.Integer(strict=True)
    has_more = ma.fields.Boolean()


Subscriber = resource("Subscriber", "visitors", SubscriberAttributes)
SubscriberAnswer = one("SubscriberAnswer", Subscriber)
FoundSubscriber = one("FoundSubscriber", Subscriber, or_null=True)
FoundSubscribers = many("FoundSubscribers", Subscriber, meta=ma.fields.Nested(SearchMeta))


def bounds(form: Mapping[str, Any], side: str) -> dict[str, int]:
    """The bounds of one side, `gt` or `lt`, by date."""
    return {name: form[name][side] for name in DATES if side in form.get(name, {})}


def search_meta(form: Mapping[str, Any], per_page: int, has_more: bool) -> dict[str, Any]:
    """`meta` of a search: the filters as applied."""
    query = {
        key: {side: date(instant) for side, instant in value.items()} if key in DATES else value
        for key, value in form.items()
        if key != "page" and value
    }
    return {"page": form["page"], "query": query, "per_page": per_page, "has_more": has_more}


def subscriber(person: Any, public_url: str) -> dict[str, Any]:
    """The subscriber resource, the same everywhere (contract section 2)."""
    names = {name: getattr(person, name) for name in NAMES}
    return {
        "id": str(person.id),
        "type": "visitors",
        "attributes": {
            "uuid": person.uuid,
            "email": person.email,
            "fields": person.fields | {name: value for name, value in names.items() if value},
            "cached_tag_ids": [str(tag_id) for tag_id in person.tag_ids],
            "unsubscribed_at": date(person.unsubscribed_at),
            "navigation_url": f"{public_url}/console/people/{person.uuid}",
            **{name: value or None for name, value in names.items()},
            "created_at": date(person.created_at),
            "updated_at": date(person.updated_at),
            "last_event_at": date(person.last_event_at),
        },
    }
