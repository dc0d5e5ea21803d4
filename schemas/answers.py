"""The questions asked at sign-up, and their answers (spec sections 4.1 to 4.6, contract section 5)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import marshmallow as ma

from schemas.shapes import Answer
from schemas.wire import REQUIRED, TEXT, Form, Spelling, clean

FLAG = "Send true or false."


class AnyText(ma.fields.Field[str]):
    """Text as it comes, hostile characters included: what cannot be used is an answer."""

    default_error_messages = {"required": REQUIRED}  # noqa: RUF012
    spelled: ClassVar[Spelling] = {"type": "string"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int | float):
            return str(clean(value))
        if not isinstance(value, str):
            raise ma.ValidationError(TEXT)
        return value


class ValidateEmail(Form):
    example: ClassVar[Any] = {"email": "ann@example.com", "name": "Ann Lee", "ip": "192.0.2.7"}

    email = AnyText(required=True)
    name = AnyText()
    user_agent = AnyText()
    ip = AnyText()


class ValidateEmailStrictly(ValidateEmail):
    example: ClassVar[Any] = {"email": "ann@example.com", "block_free_providers": True, "wiggleroom": False}

    block_free_providers = ma.fields.Boolean(error_messages={"invalid": FLAG})
    wiggleroom = ma.fields.Boolean(error_messages={"invalid": FLAG})


class ModerateContent(Form):
    example: ClassVar[Any] = {"content": "Hello <script>alert(1)</script>"}

    content = AnyText(required=True)


class GuessGender(Form):
    example: ClassVar[Any] = {"name": "Ann Lee"}

    name = AnyText(required=True)


class GeolocateIp(Form):
    example: ClassVar[Any] = {"ip": "8.8.8.8"}

    ip = AnyText(required=True)


class SearchBlacklists(Form):
    """`ip_address`, `ip` and `ipAddress` are one parameter; one of it and `domain` is needed."""

    example: ClassVar[Any] = {"ip_address": "192.0.2.7"}

    domain = AnyText()
    ip_address = AnyText()
    ip = AnyText()
    ipAddress = AnyText()  # noqa: N815 - as clients spell it

    @ma.post_load
    def one_name(self, data: dict[str, str], **_: Any) -> dict[str, str | None]:
        ip = next((data[name] for name in ("ip_address", "ip", "ipAddress") if name in data), None)
        return {"domain": data.get("domain"), "ip_address": ip}


def reasons() -> ma.fields.List[Any]:
    return ma.fields.List(ma.fields.String(), metadata={"description": "Codes of what was found."})


class Validation(Answer):
    valid = ma.fields.Boolean()
    reasons = reasons()
    score = ma.fields.Float(
        metadata={"description": "0.0 surely bad, 1.0 surely good.", "minimum": 0, "maximum": 1}
    )
    suggestion = ma.fields.String(
        allow_none=True, metadata={"description": "The address that was probably meant."}
    )


class StrictValidation(Answer):
    valid = ma.fields.Boolean()
    reasons = reasons()
    block_free_providers = ma.fields.Boolean(metadata={"description": "The option, as it was used."})
    suggestion = ma.fields.String(
        allow_none=True, metadata={"description": "The address that was probably meant."}
    )


class Moderation(Answer):
    valid = ma.fields.Boolean()
    reasons = reasons()
    safe_original_content = ma.fields.String(metadata={"description": "The content without unsafe markup."})


class Gender(Answer):
    gender = ma.fields.String(validate=ma.validate.OneOf(["male", "female", "unknown"]))
    confidence = ma.fields.Float(metadata={"minimum": 0, "maximum": 1})


MAYBE: dict[str, Any] = {"metadata": {"may_be_absent": True}}


class Place(Answer):
    """Empty where nothing is known of the address."""

    ip = ma.fields.String(**MAYBE)
    country_name = ma.fields.String(**MAYBE)
    region_name = ma.fields.String(**MAYBE)
    city_name = ma.fields.String(**MAYBE)
    latitude = ma.fields.Float(allow_none=True, **MAYBE)
    longitude = ma.fields.Float(allow_none=True, **MAYBE)
    country_code2 = ma.fields.String(**MAYBE)
    country_code3 = ma.fields.String(**MAYBE)
    continent_code = ma.fields.String(**MAYBE)


class BlacklistEntry(Answer):
    query = ma.fields.String(metadata={"description": "The value looked up."})
    description = ma.fields.String()
    results = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.Boolean(),
        metadata={"description": "By provider: whether it lists the value."},
    )
    status = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.String(
            validate=ma.validate.OneOf(["listed", "clear", "unknown", "not_configured", "retired"])
        ),
        metadata={"description": "By provider: what asking it came to."},
    )


class Blacklists(BlacklistEntry):
    """The top level repeats the first entry."""

    data = ma.fields.List(ma.fields.Nested(BlacklistEntry))


def validation(verdict: Any) -> dict[str, Any]:
    return {
        "valid": verdict.valid,
        "reasons": [str(reason) for reason in verdict.reasons],
        "score": verdict.score,
        "suggestion": verdict.suggestion,
    }


def strict_validation(verdict: Any, block_free_providers: bool | None) -> dict[str, Any]:
    return {
        "valid": verdict.valid,
        "reasons": [str(reason) for reason in verdict.reasons],
        "block_free_providers": bool(block_free_providers),
        "suggestion": verdict.suggestion,
    }


def moderation(verdict: Any) -> dict[str, Any]:
    return {
        "valid": verdict.valid,
        "reasons": [str(reason) for reason in verdict.reasons],
        "safe_original_content": verdict.safe_original_content,
    }


def gender(guess: Any) -> dict[str, Any]:
    return {"gender": guess.gender, "confidence": guess.confidence}


def blacklist(entries: Sequence[Any]) -> dict[str, Any]:
    """The top level repeats the first entry."""
    data = [
        {
            "query": entry.query,
            "description": entry.description,
            "results": dict(entry.results),
            "status": dict(entry.status),
        }
        for entry in entries
    ]
    return {"data": data, **data[0]}
