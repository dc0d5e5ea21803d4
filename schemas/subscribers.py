"""Forms that take subscribers, and the subscriber resource (docs/contract.md, Subscribers)."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import unquote

import marshmallow as ma

from schemas import cursors, links
from schemas.base import (
    NO_NAME,
    JsonSchema,
    RequestSchema,
    Text,
    Uuid,
    as_text,
    clean,
    clean_each,
    describe,
    is_clean_text,
    nested,
    with_dashes,
)
from schemas.codes import Code, Sentence
from schemas.custom_fields import CustomValues, FurtherValues, StoredValues, check_number, field_key
from schemas.pages import PageMeta
from schemas.responses import Date, Id, ResponseSchema, listing, resource, single
from schemas.tags import TagNames
from schemas.values import DATES, NAMES, compact_json, trim, write_date

RESERVED = frozenset({
    "email", "id", "uuid", "type", "tags", "remove_tags", "fields", "command", "site_uuid", "site_id",
    "cached_tag_ids", "navigation_url", *DATES, *links.RESERVED,
})  # fmt: skip


MAX_SOUGHT = 1_000
SOUGHT = Sentence(
    Code.OUT_OF_RANGE, f"Send 1 to {MAX_SOUGHT:,} texts in all, in the arrays emails and uuids."
)


class OfAddress(Text):
    """The uuid sent beside an address, which must be of the same subscriber. A value that is no text becomes
    "".
    """

    json_schema: ClassVar[JsonSchema] = {
        "type": "string",
        "description": "Refused if it belongs to another subscriber than `email`; otherwise ignored.",
    }

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        sent = clean(value)
        return with_dashes(sent) if isinstance(sent, str) else ""


def plain_uuid(value: Any) -> str | None:
    """The uuid that `OfAddress` would read; None for a value that is no storable text."""
    return with_dashes(value) if type(value) is str and is_clean_text(value) else None


class SubscriberInput(RequestSchema):
    """A subscriber to create or import. Unknown keys are custom values; `fields` overrides them."""

    email = Text(required=True, strip=True, blank=False)
    vars().update({name: links.PersonName() for name in NAMES})
    tags = TagNames()
    remove_tags = TagNames()
    uuid = OfAddress()
    fields_ = CustomValues(data_key="fields")
    further = FurtherValues(data_key=NO_NAME)

    def known_values(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Sorts the keys of a subscriber: the form's, custom values, and reserved ones, which are only
        checked.

        A key that is spelled exactly overrides others that mean the same.
        """
        values: dict[str, Any] = {}
        further, ignored = [], []
        for index, (key, value) in enumerate(data.items()):
            name = built_in(key)
            if name is None:
                further.append((index, key, value))
            elif name not in self.keys:
                ignored.append((index, (key, value)))
            elif value is not None and (key == name or name not in values):
                values[name] = value
        clean_each(ignored)
        return values | {NO_NAME: further}

    @ma.post_load
    def item(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        values = check_number(data.pop("further", {}) | data.pop("fields_", {}))
        return _without_empty(data | names_in(values) | {"fields": values})


def built_in(key: str) -> str | None:
    """The reserved key or name column that a key means, as `created at` means `created_at`; else None."""
    with suppress(ma.ValidationError):
        key = field_key(as_text(key))
    return key if key in RESERVED or key in NAMES else None


def names_in(values: dict[str, Any]) -> dict[str, str]:
    """Removes the names from `values`. Returns those that are not empty. Raises `ma.ValidationError`."""
    texts = {}
    for name in NAMES:
        if name in values:
            try:
                texts[name] = links.PersonName().deserialize(values.pop(name))
            except ma.ValidationError as error:
                raise ma.ValidationError({"fields": {name: error.messages}}) from error
    return {name: text for name, text in texts.items() if text}


def _without_empty(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if value not in ("", [], {})}


class CreateSubscriber(RequestSchema):
    """The subscriber to create: `{"subscriber": {...}}`, or the same keys flat."""

    subscriber = nested(SubscriberInput, required=True)

    @ma.pre_load
    def unflatten(self, data: Any, **_: Any) -> Any:
        if isinstance(data, Mapping) and data.get("subscriber") is None and "email" in data:
            return {"subscriber": data}
        return data


class FindSubscriber(RequestSchema):
    """The parameters of find. Refuses nothing: a value other than text matches no subscriber."""

    email = ma.fields.Raw(**describe("Address to look up.", type="string"))
    uuid = ma.fields.Raw(**describe("Subscriber UUID; overrides `email`.", type="string"))

    def load(self, data: Any, **_: Any) -> dict[str, str]:
        """Loads the values without marshmallow, whose fields would not change them."""
        return self.normalize(self.known_values(data))

    def normalize(self, data: dict[str, Any]) -> dict[str, str]:
        """The values as looked up: addresses encoded twice are decoded; uuids are as stored, or ""."""
        texts = {key: value if isinstance(value, str) else str(value) for key, value in data.items()}
        if "email" in texts:
            texts["email"] = decode_address(texts["email"])
        if "uuid" in texts:
            texts["uuid"] = Uuid().deserialize(texts["uuid"]) if is_clean_text(texts["uuid"]) else ""
        return texts


class Sought(ma.fields.Field[list[str]]):
    """Texts to look up, each brought into its stored form by `form`, without repetitions."""

    json_schema: ClassVar[JsonSchema] = {"type": "array", "items": {"type": "string"}, "maxItems": MAX_SOUGHT}

    def __init__(self, form: Callable[[str], str], **options: Any) -> None:
        super().__init__(**options)
        self.form = form

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[str]:
        if not isinstance(value, list) or len(value) > MAX_SOUGHT:
            raise ma.ValidationError(SOUGHT)
        texts: dict[str, int] = {}
        messages = {}
        for index, item in enumerate(value):
            try:
                texts[self.form(as_text(item))] = index
            except ma.ValidationError as error:
                messages[index] = error.messages
        if messages:
            raise ma.ValidationError(messages)
        return list(texts)


class FindSubscribers(RequestSchema):
    """Addresses, uuids or both: 1 to 1,000 together."""

    emails = Sought(str, load_default=list)
    uuids = Sought(with_dashes, load_default=list)

    @ma.validates_schema
    def check_number(self, data: dict[str, list[str]], **_: Any) -> None:
        if not 1 <= len(data["emails"]) + len(data["uuids"]) <= MAX_SOUGHT:
            raise ma.ValidationError({"emails": [SOUGHT]})


class FindWithLinks(FindSubscriber):
    """As `FindSubscriber`, perhaps with links."""

    links = links.switch()

    def load(self, data: Any, **_: Any) -> dict[str, Any]:
        values = self.known_values(data)
        asked = values.pop("links", None)
        try:
            links = asked is not None and self.fields["links"].deserialize(asked)
        except ma.ValidationError as error:
            raise ma.ValidationError({"links": error.messages}) from error
        return self.normalize(values) | {"links": links}


def decode_address(email: str) -> str:
    """The address that a client meant, if it was encoded twice or its `+` was not encoded."""
    return with_plus(_decode_again(email))


def _decode_again(email: str) -> str:
    """The address, decoded once more if it was encoded twice. A `+` in it stays."""
    decoded = unquote(email)
    return decoded if "@" not in email and "@" in decoded else email


def with_plus(email: str) -> str:
    """The address with `+` for each blank, which decoding makes of a `+` that was not encoded."""
    return trim(email).replace(" ", "+")


def with_lost_plus(email: str) -> str:
    """The address with `+` for blanks in its local part: the client did not encode the `+`.

    Unchanged if two blanks are adjacent, or one is at an end: no `+` was lost, and validation can report the
    fault.
    """
    local, at, domain = trim(email).rpartition("@")
    words = local.split(" ")
    return f"{'+'.join(words)}{at}{domain}" if all(words) else email


class SubscriberAttributes(ResponseSchema):
    uuid = ma.fields.UUID()
    email = ma.fields.String()
    fields_ = StoredValues(keys=ma.fields.String(), data_key="fields")
    cached_tag_ids = ma.fields.List(Id())
    unsubscribed_at = Date(allow_none=True)
    navigation_url = ma.fields.String()
    vars().update({name: ma.fields.String(allow_none=True) for name in NAMES})
    created_at = Date()
    updated_at = Date()
    last_event_at = Date(allow_none=True)


SubscriberSchema = resource("Subscriber", "visitors", SubscriberAttributes)
SubscriberAnswer = single("SubscriberAnswer", SubscriberSchema)
LinkedSubscriber = resource("LinkedSubscriber", "visitors", SubscriberAttributes, links=links.links())
FoundSubscriber = single("FoundSubscriber", LinkedSubscriber, or_null=True, links_note=links.note())


class Missing(ResponseSchema):
    """What nobody of the site has: addresses as they were sent, uuids with their dashes."""

    emails = ma.fields.List(ma.fields.String())
    uuids = ma.fields.List(ma.fields.String())


class FindMeta(ResponseSchema):
    not_found = ma.fields.Nested(Missing)


SubscriberList = listing("SubscriberList", SubscriberSchema, meta=ma.fields.Nested(FindMeta))


class SearchMeta(PageMeta):
    change = Id(**describe("The number of the last change that the page certainly includes."))
    next = cursors.next_field()
    links_note = links.note()


FoundSubscribers = listing("FoundSubscribers", LinkedSubscriber, meta=ma.fields.Nested(SearchMeta))


def pages(public_url: str, site_uuid: str) -> str:
    """The URL of the subscribers' pages of a site, to which a uuid is appended."""
    return f"{public_url}/console/sites/{site_uuid}/subscribers/"


def subscriber(subscriber: Any, public_url: str, site_uuid: str) -> dict[str, Any]:
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
            "navigation_url": f"{pages(public_url, site_uuid)}{subscriber.uuid}",
            **{name: value or None for name, value in names.items()},
            "created_at": write_date(subscriber.created_at),
            "updated_at": write_date(subscriber.updated_at),
            "last_event_at": write_date(subscriber.last_event_at),
        },
    }


def find_answer(text: str | None) -> str:
    """The answer of find as JSON. `text` is the resource's JSON; None if there is no such subscriber."""
    return f'{{"data":{text or "null"}}}\n'


def page_text(texts: bytes, meta: Mapping[str, Any]) -> bytes:
    """The answer of search as JSON. `texts` is the resources' JSON, separated by commas."""
    return b'{"data":[%b],"meta":%b}\n' % (texts, compact_json(meta).encode())
