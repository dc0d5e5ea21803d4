"""Requests about sign-ups, and their resource (docs/contract.md, Sign-ups)."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import (
    REQUIRED,
    Choice,
    InstantField,
    JsonSchema,
    RequestSchema,
    Text,
    as_object,
    as_text,
    describe,
    nested,
)
from schemas.codes import Code, Sentence
from schemas.custom_fields import field_key
from schemas.links import PersonName, without_link
from schemas.numbers import BoundedNumber
from schemas.responses import (
    Date,
    Id,
    ResponseSchema,
    dump,
    integer,
    listing,
    resource,
    shape,
    single,
    string,
)
from schemas.values import LANGUAGES, NAMES, trim

OPEN = ("waiting", "sent", "held", "failed")
DELIVERIES = SMTP, WEBHOOK = "smtp", "webhook"
STATUSES = (*OPEN, "confirmed", "declined", "ended")
ID = Sentence(Code.MALFORMED_VALUE, "Send the id of a form, from GET /v1/fetch/forms.")
AFTER = Sentence(Code.MALFORMED_VALUE, "Send the id of the last sign-up that you have, or leave it out.")
IDS = Sentence(Code.OUT_OF_RANGE, "Send up to 1,000 ids of sign-ups.")
CHOSEN = Sentence(
    Code.REQUIRED, "Send `ids`, or `before` to choose the sign-ups that were requested before an instant."
)
MAX_IDS, MAX_ID, MAX_TYPED = 1_000, 2**53, 200
TYPED = Sentence(Code.TOO_LONG, f"Send at most {MAX_TYPED} characters.")


class TypedFields(ma.fields.Field[dict[str, str]]):
    """Short texts by key of the custom field. `null` and blank texts are left out."""

    json_schema: ClassVar[JsonSchema] = {
        "type": "object",
        "additionalProperties": {"type": "string", "maxLength": MAX_TYPED},
    }

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, str]:
        typed, errors = {}, {}
        for name, text in as_object(value).items():
            try:
                typed[field_key(name)] = _typed("" if text is None else text)
            except ma.ValidationError as error:
                errors[name] = error.messages
        if errors:
            raise ma.ValidationError(errors)
        return {key: text for key, text in typed.items() if text}


def _typed(value: Any) -> str:
    text = without_link(trim(as_text(value)))
    if len(text) > MAX_TYPED:
        raise ma.ValidationError(TYPED)
    return text


NAME_LENGTH = ma.validate.Length(max=MAX_TYPED, error=TYPED)


class NewSignUp(RequestSchema):
    email = Text(required=True, error_messages={"required": REQUIRED})
    form_id = BoundedNumber(1, MAX_ID, ID, required=True, error_messages={"required": REQUIRED})
    vars().update({name: PersonName(strip=True, validate=NAME_LENGTH) for name in NAMES})
    fields_ = TypedFields(
        data_key="fields", attribute="fields", **describe("Values for the other fields of the form, by key.")
    )
    language = Choice(
        LANGUAGES,
        **describe("The language of the email and the pages; by default, the language of the form."),
    )
    page = Text(strip=True, **describe("The URL of the page that the visitor saw."))
    ip = Text(strip=True, **describe("The visitor's IP address, of which only the network is kept."))
    user_agent = Text(strip=True)


class SaveSignUp(RequestSchema):
    sign_up = nested(NewSignUp, required=True)


class ListSignUps(RequestSchema):
    status = Choice(STATUSES)
    email = Text(strip=True, blank=False)
    after = BoundedNumber(
        0, MAX_ID, AFTER, load_default=0, **describe("The `meta.next` of the previous page.")
    )


class ChosenSignUps(RequestSchema):
    ids = ma.fields.List(
        BoundedNumber(1, MAX_ID, IDS),
        validate=ma.validate.Length(max=MAX_IDS, error=IDS),
        error_messages={"invalid": IDS},
    )
    before = InstantField()

    @ma.validates_schema
    def check(self, data: dict[str, Any], **_: Any) -> None:
        if not data.keys() & {"ids", "before"}:
            raise ma.ValidationError({"ids": [CHOSEN]})


class StoredFields(ma.fields.Dict):
    json_schema = TypedFields.json_schema


class ReleasedSignUps(ChosenSignUps):
    status = Choice(("held", "failed"), load_default="held", **describe("`held` (the default) or `failed`."))


class SignUpStatus(ResponseSchema):
    status = ma.fields.String(validate=ma.validate.Equal("waiting"))


class SignUpAttributes(ResponseSchema):
    status = ma.fields.String(validate=ma.validate.OneOf(STATUSES))
    reason = string("Why the sign-up is held or has failed.")
    email = string("The visitor's address; empty once the sign-up is over.")
    vars().update({name: ma.fields.String() for name in NAMES})
    fields_ = StoredFields(data_key="fields")
    form_id = Id()
    tags = ma.fields.List(ma.fields.String())
    version = integer("The version of the wording.")
    language = ma.fields.String()
    origin = string("The website where the visitor signed up, if it is one of the form's; otherwise empty.")
    network = ma.fields.String()
    country = ma.fields.String()
    asked_by = string("`form`, `operator`, or `key:` and a publishable key.")
    requested_at = Date()
    expires_at = Date()
    tries = integer()
    next_try_at = Date(allow_none=True)
    delivery = ma.fields.String(validate=ma.validate.OneOf(DELIVERIES))
    said = string("The last answer of the mail server or the receiver.")
    sent_at = Date(allow_none=True)
    confirmed_at = Date(allow_none=True)
    confirm_url = string(
        "The link to confirm; anybody who has it can confirm. Null when the sign-up is over.", allow_none=True
    )


class SignUpsMeta(ResponseSchema):
    next = Id(**describe("Send it as `after` for the next page."))
    has_more = ma.fields.Boolean()


AcceptedSignUp = single("AcceptedSignUp", resource("SignUpAccepted", "sign_ups", SignUpStatus))
SignUpSchema = resource("SignUp", "sign_ups", SignUpAttributes)
SignUpAnswer = single("SignUpAnswer", SignUpSchema)
SignUpList = listing("SignUpList", SignUpSchema, meta=ma.fields.Nested(SignUpsMeta))
ChangedSignUps = shape("ChangedSignUps", results=integer("How many."))


def accepted(row: Any) -> dict[str, Any]:
    return {"data": {"id": str(row.id), "type": "sign_ups", "attributes": {"status": row.status}}}


def sign_up(row: Any, url: Callable[[Any], str]) -> dict[str, Any]:
    fields = json.loads(row.fields)
    names = {name: fields.pop(name, "") for name in NAMES}
    shown = names | {"fields_": fields, "tags": json.loads(row.tags)}
    confirm_url = url(row) if row.status in OPEN else None
    return dump("sign_ups", SignUpAttributes, row, confirm_url=confirm_url, **shown)


def page(rows: list[Any], after: int, limit: int, url: Callable[[Any], str]) -> dict[str, Any]:
    """A page of `rows`, which are after the id `after`; if there are `limit` rows, there may be more."""
    meta = {"next": str(rows[-1].id if rows else after), "has_more": len(rows) == limit}
    return {"data": [sign_up(row, url) for row in rows], "meta": meta}
