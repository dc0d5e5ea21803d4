"""Request and response schemas of a page of the record of changes (docs/contract.md, Changes)."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import marshmallow as ma
import orjson

from schemas import links
from schemas.base import JsonSchema, RequestSchema, describe
from schemas.codes import Code, Sentence
from schemas.numbers import BoundedNumber, number_up_to
from schemas.responses import (
    OPTIONAL,
    Date,
    Id,
    ResponseSchema,
    dump,
    integer,
    listing,
    resource,
    single,
    string,
    values,
)
from schemas.values import DATES, NAMES, json_bytes, write_date

MAX_LIMIT = 1_000
AFTER = Sentence(
    Code.MALFORMED_VALUE, "Send a number that `meta.next` of an answer gave you, or leave it out."
)
AsText = orjson.Fragment  # of JSON that is answered as it is stored
LinksOf = Callable[[str, str], Mapping[str, str]]  # by uuid and address
KINDS = ("created", "updated", "subscribed", "unsubscribed", "erased", "reset")
NO_REASON = ("link", "word")  # source and reason of who unsubscribed by a link and gave none


class ListChanges(RequestSchema):
    """The parameters of a page of changes. Without `after`, only the bounds of the record are answered."""

    after = BoundedNumber(0, 2**53, AFTER, **describe("Changes after this number."))
    links = links.switch()
    limit = number_up_to(MAX_LIMIT, load_default=100, **describe("The number of changes, 100 by default."))


class ChangeSource(ResponseSchema):
    type = string("What made the change, such as `import`.")
    id = string(
        "The key, or the id of the import, bulk action or operator; null if there is none.", allow_none=True
    )


class ChangedValues(ma.fields.Dict):
    json_schema: ClassVar[JsonSchema] = {
        "type": "object",
        "additionalProperties": True,
        "description": "Custom values by key; null if the value was removed.",
    }


class NewValues(ResponseSchema):
    """The new values of a change; for a created subscriber, all values as they are now."""

    email = ma.fields.String(**OPTIONAL)
    vars().update({name: ma.fields.String(**OPTIONAL) for name in NAMES})
    fields_ = ChangedValues(data_key="fields", **OPTIONAL)
    tags_added = ma.fields.List(ma.fields.String(), **OPTIONAL)
    tags_removed = ma.fields.List(ma.fields.String(), **OPTIONAL)
    created_at = Date(**OPTIONAL)
    updated_at = Date(**OPTIONAL)
    last_event_at = Date(allow_none=True, **OPTIONAL)
    unsubscribed_at = Date(allow_none=True, **OPTIONAL)


class ChangeAttributes(ResponseSchema):
    at = Date()
    kind = ma.fields.String(validate=ma.validate.OneOf(KINDS))
    source = ma.fields.Nested(ChangeSource)
    uuid = ma.fields.UUID(allow_none=True)
    email = string(
        "The present address; null if the subscriber is erased, and for a `reset`.", allow_none=True
    )
    changed = ma.fields.Nested(NewValues)


class ChangesMeta(ResponseSchema):
    next = Id(**describe("Send it as `after` for the next changes."))
    has_more = ma.fields.Boolean()
    newest = Id(**describe("The number of the newest change."))
    oldest = Id(**describe("The lowest number that the record still has."))
    links_note = links.note()


ChangeSchema = resource("Change", "changes", ChangeAttributes, links=links.links())
ChangeList = listing("ChangeList", ChangeSchema, meta=ma.fields.Nested(ChangesMeta))


def change(logged: Any, links_of: LinksOf | None = None) -> dict[str, Any]:
    """The resource of a change. It has links if `links_of` is given and the subscriber still exists."""
    number, at, kind, source, uuid, email, changed = logged
    more = {"links": links_of(uuid, email)} if links_of and email is not None else {}
    return more | {
        "id": str(number),
        "type": "changes",
        "attributes": {
            "at": write_date(at),
            "kind": kind,
            "source": {"type": source[0], "id": source[1]},
            "uuid": uuid,
            "email": email,
            "changed": _with_dates(changed),
        },
    }


def _with_dates(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a change, with dates as text in place of milliseconds."""
    shown = dict(values)
    for name in DATES:
        if name in shown:
            shown[name] = write_date(shown[name])
    return shown


def page(page_: Any, links_of: LinksOf | None = None, links_note: str = "") -> bytes:
    """A page of changes and its `meta`, as JSON. `links_of` makes the links of a subscriber, `links_note`
    explains them.
    """
    numbers = {name: str(getattr(page_, name)) for name in ("next", "newest", "oldest")}
    meta = numbers | {"has_more": page_.has_more} | links.note_part(links_note)
    return json_bytes({"data": [change(entry, links_of) for entry in page_.changes], "meta": meta}) + b"\n"


class ConsentAttributes(ResponseSchema):
    """A change of consent: the subscriber subscribed or unsubscribed."""

    at = Date()
    subscribed = ma.fields.Boolean()
    source = ma.fields.Nested(ChangeSource)
    reason = string(
        "What decided it, such as `word` or `date`; empty if the subscriber used a link and gave no reason."
    )


class HistorySchema(ResponseSchema):
    """The history of a subscriber: the newest 100 changes, newest first, and all changes of consent, oldest
    first.
    """

    created_by = ma.fields.Nested(ChangeSource)
    changes = ma.fields.List(ma.fields.Nested(ChangeSchema))
    consents = ma.fields.List(ma.fields.Nested(ConsentAttributes))


class ConsentProof(ResponseSchema):
    """A confirmation by email: what was agreed to, who asked for it, and who confirmed it."""

    wording = string("The text that the subscriber agreed to.")
    form_id = Id()
    version = integer("The version of the wording.")
    language = ma.fields.String()
    origin = string("The website that the sign-up request came from.")
    asked_by = string(
        "Who requested the sign-up: `form`, `operator`, or `key:` and a key, whose server "
        "states the other values."
    )
    requested_at = Date()
    requested_from = string("The network that the sign-up request came from.")
    country = ma.fields.String()
    confirmed_at = Date()
    confirmed_from = string("The network that the confirmation came from.")
    confirmed_by = string("`script` or `click`.")
    seconds = integer("Seconds from the opening of the page to the confirmation.")
    agent = ma.fields.String()
    delivery = string(
        "`smtp`: the service mailed the link; `webhook`: your server states that it mailed the link."
    )


class ConsentRecordAttributes(ResponseSchema):
    """What is known of a subscriber's consent. `events` are all changes of it, and `proofs` those of
    confirmations, oldest first.
    """

    uuid = ma.fields.UUID()
    email = ma.fields.String()
    created_at = Date()
    created_by = ma.fields.Nested(ChangeSource)
    unsubscribed_at = Date(allow_none=True)
    events = ma.fields.List(ma.fields.Nested(ConsentAttributes))
    proofs = ma.fields.List(ma.fields.Nested(ConsentProof))


ConsentAnswer = single("ConsentAnswer", resource("Consent", "consents", ConsentRecordAttributes))


def consent(record: Any) -> dict[str, Any]:
    """The resource with all that is stored about a subscriber's consent."""
    subscriber = record.subscriber
    created_by, events = _source(record.created_by), _consents(record)
    proofs = [values(ConsentProof, proof, wording=wording) for proof, wording in record.proofs]
    shown = {"created_by": created_by, "events": events, "proofs": proofs}
    return dump("consents", ConsentRecordAttributes, subscriber, **shown)


def history(record: Any) -> dict[str, Any]:
    return {
        "created_by": _source(record.consent.created_by),
        "changes": [change(entry) for entry in record.changes],
        "consents": _consents(record.consent),
    }


def _consents(record: Any) -> list[dict[str, Any]]:
    return [
        {
            "at": write_date(event.at),
            "subscribed": event.subscribed,
            "source": _source(source),
            "reason": "" if (source[0], event.reason) == NO_REASON else event.reason,
        }
        for source, event in record.events
    ]


def _source(source: tuple[str, str | None]) -> dict[str, str | None]:
    return dict(zip(("type", "id"), source, strict=True))
