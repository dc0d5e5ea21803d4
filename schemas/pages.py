"""Answers in pages: the parameter `page`, and the `meta` of an answer (docs/contract.md, Search)."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import Form, JsonSchema
from schemas.responses import ResponseSchema, integer
from schemas.values import DATES, write_date

PAGE = "Send a whole number, 1 or more."
WHOLE = re.compile(r"([0-9]{1,19})(?:\.0*)?")
MAX_IGNORED = 100


class PageNumber(ma.fields.Field[int]):
    json_schema: ClassVar[JsonSchema] = {
        "type": "integer",
        "minimum": 1,
        "description": "From 1, the default.",
    }

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        digits = WHOLE.fullmatch(str(value).strip()) if type(value) in (int, float, str) else None
        number = int(digits[1]) if digits else 0
        if not 1 <= number < 2**63:
            raise ma.ValidationError(PAGE)
        return number


class Paged(Form):
    """The parameters of an endpoint with pages. The loaded values tell which keys were `ignored`."""

    page = PageNumber(load_default=1)

    @ma.post_load(pass_original=True)
    def present_and_ignored(self, data: dict[str, Any], original: Any, **_: Any) -> dict[str, Any]:
        present = {key: value for key, value in data.items() if value != ""}
        return present | {"ignored": ignored_keys(self, original)}


def ignored_keys(form: Form, original: Mapping[str, Any]) -> list[str]:
    """The keys of a request that its form does not know; at most `MAX_IGNORED`."""
    sent = [key for key, value in original.items() if value is not None]
    return [key for key in sent if key not in form.keys and key != "site_uuid"][:MAX_IGNORED]


class PageMeta(ResponseSchema):
    page = integer()
    query = ma.fields.Dict(
        keys=ma.fields.String(), metadata={"description": "The filters that were applied."}
    )
    per_page = integer()
    has_more = ma.fields.Boolean()
    ignored = ma.fields.List(
        ma.fields.String(), metadata={"description": "Parameters of the request that are not known."}
    )


def page_meta(form: Mapping[str, Any], per_page: int, has_more: bool) -> dict[str, Any]:
    """The `meta` of a page: the filters that were applied, and the parameters that were ignored."""
    query = {
        key: {side: write_date(instant) for side, instant in value.items()} if key in DATES else value
        for key, value in form.items()
        if key not in ("page", "ignored") and value
    }
    return {
        "page": form["page"],
        "query": query,
        "per_page": per_page,
        "has_more": has_more,
        "ignored": form["ignored"],
    }
