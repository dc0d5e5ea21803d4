"""The questions asked at sign-up, and their answers (spec sections 4.1 to 4.6, contract section 5)."""

from collections.abc import Sequence
from typing import Any

import marshmallow as ma

from schemas.wire import REQUIRED, TEXT, Form, clean

FLAG = "Send true or false."


class AnyText(ma.fields.Field[str]):
    """Text as it comes, hostile characters included: what cannot be used is an answer."""

    default_error_messages = {"required": REQUIRED}  # noqa: RUF012

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int | float):
            return str(clean(value))
        if not isinstance(value, str):
            raise ma.ValidationError(TEXT)
        return value


class ValidateEmail(Form):
    email = AnyText(required=True)
    name = AnyText()
    user_agent = AnyText()
    ip = AnyText()


class ValidateEmailStrictly(ValidateEmail):
    block_free_providers = ma.fields.Boolean(error_messages={"invalid": FLAG})
    wiggleroom = ma.fields.Boolean(error_messages={"invalid": FLAG})


class ModerateContent(Form):
    content = AnyText(required=True)


class GuessGender(Form):
    name = AnyText(required=True)


class GeolocateIp(Form):
    ip = AnyText(required=True)


class SearchBlacklists(Form):
    """One parameter has three names."""

    domain = AnyText()
    ip_address = AnyText()
    ip = AnyText()
    ipAddress = AnyText()  # noqa: N815 - as clients spell it

    @ma.post_load
    def one_name(self, data: dict[str, str], **_: Any) -> dict[str, str | None]:
        ip = next((data[name] for name in ("ip_address", "ip", "ipAddress") if name in data), None)
        return {"domain": data.get("domain"), "ip_address": ip}


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
