"""Request and response schemas of the stateless endpoints (docs/contract.md, Answers)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import REQUIRED, TEXT, JsonSchema, RequestSchema, clean, describe
from schemas.codes import Code, Sentence
from schemas.responses import OPTIONAL, ResponseSchema, shape, string, values

FLAG = Sentence(Code.WRONG_TYPE, "Send true or false.")


class AnyText(ma.fields.Field[str]):
    """Any text, even with NUL or half surrogate pairs: the answer says whether it can be used."""

    default_error_messages = {"required": REQUIRED}  # noqa: RUF012 - marshmallow's own interface
    json_schema: ClassVar[JsonSchema] = {"type": "string"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int | float):
            return str(clean(value))
        if not isinstance(value, str):
            raise ma.ValidationError(TEXT)
        return value


class ValidateEmail(RequestSchema):
    email = AnyText(required=True)
    name = AnyText()
    user_agent = AnyText()
    ip = AnyText()


class ValidateEmailStrictly(ValidateEmail):
    block_free_providers = ma.fields.Boolean(error_messages={"invalid": FLAG})
    wiggleroom = ma.fields.Boolean(error_messages={"invalid": FLAG})


class ModerateContent(RequestSchema):
    content = AnyText(required=True)


class GuessGender(RequestSchema):
    name = AnyText(required=True)


class GeolocateIp(RequestSchema):
    ip = AnyText(required=True)


class SearchBlacklists(RequestSchema):
    """The parameters of a look-up. `ip_address`, `ip` and `ipAddress` are the same parameter; send it,
    `domain`, or both.
    """

    domain = AnyText()
    ip_address = AnyText()
    ip = AnyText()
    ipAddress = AnyText()  # noqa: N815 - some clients send it

    @ma.post_load
    def merge_ip_names(self, data: dict[str, str], **_: Any) -> dict[str, str | None]:
        ip = next((data[name] for name in ("ip_address", "ip", "ipAddress") if name in data), None)
        return {"domain": data.get("domain"), "ip_address": ip}


def reasons() -> ma.fields.List[Any]:
    return ma.fields.List(ma.fields.String(), **describe("Reason codes; see docs/answers.md."))


class Validation(ResponseSchema):
    valid = ma.fields.Boolean()
    reasons = reasons()
    score = ma.fields.Float(
        **describe("From 0.0 (certainly bad) to 1.0 (certainly good).", minimum=0, maximum=1)
    )
    suggestion = string("The address that was probably intended.", allow_none=True)


class StrictValidation(ResponseSchema):
    valid = ma.fields.Boolean()
    reasons = reasons()
    block_free_providers = ma.fields.Boolean(**describe("The option that was applied."))
    suggestion = string("The address that was probably intended.", allow_none=True)


class Moderation(ResponseSchema):
    valid = ma.fields.Boolean()
    reasons = reasons()
    safe_original_content = string("The content, without unsafe markup.")


BASES = ("title", "census", "social_security", "world", "compound", "origin")


class GenderGuess(ResponseSchema):
    gender = ma.fields.String(validate=ma.validate.OneOf(["male", "female", "unknown"]))
    confidence = ma.fields.Float(metadata={"minimum": 0, "maximum": 1})
    basis = string(
        "What the guess rests on: a title, or which table.",
        allow_none=True,
        validate=ma.validate.OneOf(BASES),
    )


class PlaceSchema(ResponseSchema):
    """The place of an address; empty if it is unknown."""

    ip = ma.fields.String(**OPTIONAL)
    country_name = ma.fields.String(**OPTIONAL)
    region_name = ma.fields.String(**OPTIONAL)
    city_name = ma.fields.String(**OPTIONAL)
    latitude = ma.fields.Float(allow_none=True, **OPTIONAL)
    longitude = ma.fields.Float(allow_none=True, **OPTIONAL)
    country_code2 = ma.fields.String(**OPTIONAL)
    country_code3 = ma.fields.String(**OPTIONAL)
    continent_code = ma.fields.String(**OPTIONAL)
    city_detail = ma.fields.String(**OPTIONAL)


PROVIDERS = ("just_registered", "spamhaus", "nordspam", "spfbl", "sorbs", "abusix")
OUTCOMES = ("listed", "clear", "unknown", "does_not_apply", "not_configured", "retired")

BlacklistFlags = shape("BlacklistFlags", **{name: ma.fields.Boolean() for name in PROVIDERS})
BlacklistOutcomes = shape(
    "BlacklistOutcomes",
    **{name: ma.fields.String(validate=ma.validate.OneOf(OUTCOMES)) for name in PROVIDERS},
)


class BlacklistEntry(ResponseSchema):
    query = string("The domain or IP address.")
    description = ma.fields.String()
    results = ma.fields.Nested(BlacklistFlags, **describe("Whether the provider lists the value."))
    status = ma.fields.Nested(BlacklistOutcomes, **describe("Outcome of the query."))


class Blacklists(BlacklistEntry):
    """The results of a look-up. The top level repeats the first entry."""

    data = ma.fields.List(ma.fields.Nested(BlacklistEntry))


def validation(result: Any) -> dict[str, Any]:
    return values(Validation, result, reasons=_codes(result))


def strict_validation(result: Any, block_free_providers: bool | None) -> dict[str, Any]:
    applied = bool(block_free_providers)
    return values(StrictValidation, result, reasons=_codes(result), block_free_providers=applied)


def moderation(result: Any) -> dict[str, Any]:
    return values(Moderation, result, reasons=_codes(result))


def _codes(result: Any) -> list[str]:
    return [str(reason) for reason in result.reasons]


def gender(result: Any) -> dict[str, Any]:
    return values(GenderGuess, result, basis=result.basis or None)


def blacklist(entries: Sequence[Any]) -> dict[str, Any]:
    """The answer to a look-up: all entries under `data`, and the keys of the first, which must exist, at the
    top level.
    """
    data = [
        values(BlacklistEntry, entry, results=dict(entry.results), status=dict(entry.status))
        for entry in entries
    ]
    return {"data": data, **data[0]}
