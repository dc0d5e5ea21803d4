"""Request schemas and resources of webhooks, and the log of deliveries (docs/contract.md, Webhooks)."""

import json
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import REQUIRED, JsonSchema, RequestSchema, Text, Truth, describe, nested
from schemas.change_log import AFTER, KINDS, ChangeSchema
from schemas.codes import Code, Sentence
from schemas.imports import ImportCounts
from schemas.numbers import BoundedNumber
from schemas.pages import PageMeta
from schemas.patches import Patch
from schemas.responses import Date, Id, ResponseSchema, dump, integer, listing, resource, single, string

IMPORT_FINISHED = "import_finished"
ASKED = (*KINDS, IMPORT_FINISHED)  # the last is no change, and sent only where it is named
DELIVERED = ("changes", "test", "sign_ups", "alarm", IMPORT_FINISHED)
KINDS_ASKED = Sentence(
    Code.UNKNOWN_CHOICE, f"Send an array of some of {', '.join(ASKED)}, or leave it out for all changes."
)
PAUSES = ("operator", "gone", "failing", "restored")


class Kinds(ma.fields.Field[list[str]]):
    """The kinds that a webhook asks for, without repetitions."""

    json_schema: ClassVar[JsonSchema] = {
        "type": "array",
        "items": {"type": "string", "enum": list(ASKED)},
        "minItems": 1,
    }

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[str]:
        if not isinstance(value, list) or not value or any(kind not in ASKED for kind in value):
            raise ma.ValidationError(KINDS_ASKED)
        return list(dict.fromkeys(value))


class NewWebhook(RequestSchema):
    url = Text(required=True, strip=True, blank=False)
    kinds = Kinds(
        **describe(
            "The kinds to send. `erased` and `reset` are always sent; `import_finished` only if you name it."
        )
    )
    segment_id = Text(
        strip=True,
        blank=False,
        **describe(
            "Send only changes of subscribers in this segment; `unsubscribed` and `erased` are always sent."
        ),
    )
    paused = Truth()
    links = Truth(
        **describe("Whether messages include the links of subscribers; this needs an `https://` URL.")
    )
    sign_ups = Truth(
        **describe("Whether forms may name this webhook as their `delivery`, and send sign-ups to it.")
    )


class SaveWebhook(RequestSchema):
    webhook = nested(NewWebhook, required=True)


class PatchWebhook(RequestSchema):
    webhook = Patch(NewWebhook)


class ReplayWebhook(RequestSchema):
    after = BoundedNumber(
        0,
        2**53,
        AFTER,
        required=True,
        error_messages={"required": REQUIRED},
        **describe("The number of the last change that is not sent again; sending starts after it."),
    )


class WebhookAttributes(ResponseSchema):
    url = ma.fields.String()
    kinds = ma.fields.List(
        ma.fields.String(validate=ma.validate.OneOf(ASKED)),
        allow_none=True,
        **describe("The kinds that are sent; null for all changes."),
    )
    segment_id = Id(allow_none=True)
    paused = ma.fields.Boolean()
    paused_because = string(
        "`gone`: the receiver answered 410; `failing`: it failed for three days.",
        validate=ma.validate.OneOf(PAUSES),
        allow_none=True,
    )
    links = ma.fields.Boolean(**describe("Whether messages include the links of subscribers."))
    sign_ups = ma.fields.Boolean(**describe("Whether forms may send sign-ups to this webhook."))
    delivered = Id(**describe("Changes up to this number are delivered."))
    failures = integer("Failed tries since the last success.")
    created_at = Date()
    updated_at = Date()


class SignedAttributes(WebhookAttributes):
    secret = string(
        "The secret that signs the deliveries. Null in the answer to a repeated request.", allow_none=True
    )


class DeliveryAttributes(ResponseSchema):
    """A try to deliver a message to a webhook."""

    at = Date()
    kind = ma.fields.String(validate=ma.validate.OneOf(DELIVERED))
    message_id = string("The `webhook-id` of the message, the same for each attempt.")
    first = Id(
        allow_none=True, **describe("The lowest number of the changes in the message; null for a test.")
    )
    last = Id(allow_none=True, **describe("The highest number of the changes in the message."))
    changes = integer("How many changes were sent.")
    status = integer("The status of the answer; null if there was no answer.", allow_none=True)
    milliseconds = integer()
    answer = string("The first KiB of the answer, for a test or a failure; addresses are left out.")
    failure = string("What went wrong; null if nothing did.", allow_none=True)


WebhookSchema = resource("Webhook", "webhooks", WebhookAttributes)
WebhookAnswer = single("WebhookAnswer", WebhookSchema)
WebhookList = listing("WebhookList", WebhookSchema)
SignedWebhook = single("SignedWebhook", resource("WebhookWithSecret", "webhooks", SignedAttributes))
DeliverySchema = resource("Delivery", "webhook-deliveries", DeliveryAttributes)
DeliveryAnswer = single("DeliveryAnswer", DeliverySchema)
DeliveryList = listing("DeliveryList", DeliverySchema, meta=ma.fields.Nested(PageMeta))


class WebhookMessage(ResponseSchema):
    """The message to a receiver: changes in the form of GET /v1/fetch/changes; none in a test."""

    type = ma.fields.String(validate=ma.validate.OneOf(("changes", "test")))
    timestamp = Date(**describe("When the last change, or the test, was made."))
    data = ma.fields.List(ma.fields.Nested(ChangeSchema), validate=ma.validate.Length(max=500))


class HandedOverSignUp(ResponseSchema):
    """A sign-up to confirm: mail the links to the address, and keep neither."""

    id = Id()
    email = ma.fields.String()
    confirm_url = string("The link to confirm: whoever opens it is subscribed.")
    decline_url = string("The link for people who did not sign up: whoever opens it gets no more emails.")
    expires_at = Date(**describe("The links work at least until this instant."))
    form = Id()
    language = ma.fields.String()
    page = string("The website where the visitor signed up, if it is one of the form's.", allow_none=True)
    requested_at = Date()
    is_test = ma.fields.Boolean(**describe("Whether this is a test form: the address is then an owner's."))


class SignUpsMessage(ResponseSchema):
    """The message to a webhook with `sign_ups`: a sign-up, or that the alarm is on, without data."""

    type = ma.fields.String(validate=ma.validate.OneOf(("sign_ups", "alarm")))
    timestamp = Date(**describe("When the sign-up was requested, or when the alarm began."))
    data = ma.fields.List(ma.fields.Nested(HandedOverSignUp))


class EndedImport(ImportCounts):
    """An import that has ended, with the counts of `GET /v1/batch/imports/{id}`."""

    id = Id()
    status = ma.fields.String(validate=ma.validate.OneOf(("finished", "failed")))


class ImportFinishedMessage(ResponseSchema):
    """The message to a webhook that names `import_finished`: one import, and nobody's data."""

    type = ma.fields.String(validate=ma.validate.OneOf((IMPORT_FINISHED,)))
    timestamp = Date(**describe("When it ended."))
    data = ma.fields.List(ma.fields.Nested(EndedImport), validate=ma.validate.Length(equal=1))


def webhook(row: Any) -> dict[str, Any]:
    return dump(
        "webhooks", WebhookAttributes, row, kinds=json.loads(row.kinds) or None, paused=bool(row.paused),
        paused_because=row.paused or None, links=bool(row.links), sign_ups=bool(row.sign_ups),
        delivered=row.place,
    )  # fmt: skip


def webhook_with_secret(row: Any, secret: str | None) -> dict[str, Any]:
    """A webhook with its secret, or null in place of it."""
    resource = webhook(row)
    return resource | {"attributes": resource["attributes"] | {"secret": secret}}


def delivery(row: Any) -> dict[str, Any]:
    first, last = (row.first, row.last) if row.changes else (None, None)
    failure = row.failure or None
    return dump("webhook-deliveries", DeliveryAttributes, row, first=first, last=last, failure=failure)
