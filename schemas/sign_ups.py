"""Requests about sign-ups, and their resource (docs/contract.md, Sign-ups)."""

import json
from collections.abc import Callable
from typing import Any

import marshmallow as ma

from schemas.base import REQUIRED, Choice, Form, InstantField, Text, nested
from schemas.change_log import BoundedNumber
from schemas.links import PersonName
from schemas.responses import Date, Id, ResponseSchema, dump, integer, listing, resource, shape, single
from schemas.values import ASKED_NAMES, LANGUAGES

OPEN = ("waiting", "sent", "held", "failed")
STATUSES = (*OPEN, "confirmed", "declined", "ended")
ID = "Send the number of a form, as GET /v1/fetch/forms answers it."
AFTER = "Send the id of the last one that you have, or leave it out."
IDS = "Send up to 1,000 ids of sign-ups."
CHOSEN = "Send `ids`, or an instant `before`: those that are held and were asked for earlier."
MAX_IDS, MAX_ID = 1_000, 2**53


class NewSignUp(Form):
    email = Text(required=True, error_messages={"required": REQUIRED})
    form_id = BoundedNumber(1, MAX_ID, ID, required=True, error_messages={"required": REQUIRED})
    vars().update({name: PersonName(strip=True) for name in ASKED_NAMES})
    language = Choice(LANGUAGES, metadata={"description": "Without it, that of the form."})
    page = Text(strip=True, metadata={"description": "The page that the visitor saw."})
    ip = Text(strip=True, metadata={"description": "Of the visitor; only its network is kept."})
    user_agent = Text(strip=True)


class SaveSignUp(Form):
    sign_up = nested(NewSignUp, required=True)


class ListSignUps(Form):
    status = Choice(STATUSES)
    email = Text(strip=True, blank=False)
    after = BoundedNumber(0, MAX_ID, AFTER, load_default=0, metadata={"description": "The id to go on from."})


class ChosenSignUps(Form):
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


class SignUpStatus(ResponseSchema):
    status = ma.fields.String(validate=ma.validate.Equal("waiting"))


class SignUpAttributes(ResponseSchema):
    status = ma.fields.String(validate=ma.validate.OneOf(STATUSES))
    reason = ma.fields.String(metadata={"description": "Why it is held or failed."})
    email = ma.fields.String(metadata={"description": "Empty once it is over."})
    vars().update({name: ma.fields.String() for name in ASKED_NAMES})
    form_id = Id()
    tags = ma.fields.List(ma.fields.String())
    version = integer("Of the wording.")
    language = ma.fields.String()
    origin = ma.fields.String(metadata={"description": "The website, if it is one of the form's."})
    network = ma.fields.String()
    country = ma.fields.String()
    asked_by = ma.fields.String(metadata={"description": "`form`, or `key:` and a publishable key."})
    requested_at = Date()
    expires_at = Date()
    tries = integer()
    next_try_at = Date(allow_none=True)
    said = ma.fields.String(metadata={"description": "What the mail server answered last."})
    sent_at = Date(allow_none=True)
    confirmed_at = Date(allow_none=True)
    confirm_url = ma.fields.String(
        allow_none=True, metadata={"description": "Whoever has it can confirm. Null once it is over."}
    )


class SignUpsMeta(ResponseSchema):
    next = Id(metadata={"description": "The id to go on from."})
    has_more = ma.fields.Boolean()


AcceptedSignUp = single("AcceptedSignUp", resource("SignUpAccepted", "sign_ups", SignUpStatus))
SignUpSchema = resource("SignUp", "sign_ups", SignUpAttributes)
SignUpAnswer = single("SignUpAnswer", SignUpSchema)
SignUpList = listing("SignUpList", SignUpSchema, meta=ma.fields.Nested(SignUpsMeta))
ChangedSignUps = shape("ChangedSignUps", results=integer("How many."))


def accepted(row: Any) -> dict[str, Any]:
    return {"data": {"id": str(row.id), "type": "sign_ups", "attributes": {"status": row.status}}}


def sign_up(row: Any, url: Callable[[Any], str]) -> dict[str, Any]:
    confirm_url = url(row) if row.status in OPEN else None
    return dump("sign_ups", SignUpAttributes, row, tags=json.loads(row.tags), confirm_url=confirm_url)


def page(rows: list[Any], after: int, limit: int, url: Callable[[Any], str]) -> dict[str, Any]:
    meta = {"next": str(rows[-1].id if rows else after), "has_more": len(rows) == limit}
    return {"data": [sign_up(row, url) for row in rows], "meta": meta}
