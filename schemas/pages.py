"""Answers in pages: the parameter `page`, and the `meta` of an answer (docs/contract.md, Search)."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import marshmallow as ma

from schemas import cursors
from schemas.base import JsonSchema, RequestSchema, describe
from schemas.codes import Code, Sentence
from schemas.cursors import CURSOR, CursorField
from schemas.numbers import number_up_to
from schemas.responses import OPTIONAL, ResponseSchema, error_values_field, integer
from schemas.values import DATES, FieldError, FormError, closest, error_names, write_date

PAGE = Sentence(Code.OUT_OF_RANGE, "Send a whole number, 1 or more.")
UNKNOWN = Sentence(Code.UNKNOWN_KEY, "This parameter is unknown: leave it out, or correct its name.")
WHOLE = re.compile(r"([0-9]{1,19})(?:\.0*)?")
MAX_IGNORED = 100
PER_PAGE, MAX_PER_PAGE = 100, 500
NO_FILTERS = ("page", "per_page", "cursor", "ignored", "did_you_mean")  # keys of loaded values


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


class Listed(RequestSchema):
    """The parameters of a list. Loading adds the unknown keys as `ignored`.

    `did_you_mean` has the known keys that these probably mean.
    """

    @ma.post_load(pass_original=True)
    def present_and_ignored(self, data: dict[str, Any], original: Any, **_: Any) -> dict[str, Any]:
        present = {key: value for key, value in data.items() if value != ""}
        ignored = ignored_keys(self, original)
        near = closest(ignored, sorted(self.keys)) if ignored else ()
        return present | {"ignored": ignored, "did_you_mean": list(near)}


class Paged(Listed):
    """The parameters of an endpoint with numbered pages."""

    page = PageNumber(load_default=1)


class PagedList(Listed):
    """The parameters of a list that comes whole, unless `per_page` or `cursor` is sent."""

    per_page = number_up_to(MAX_PER_PAGE)
    cursor = CursorField(1)


def ignored_keys(form: RequestSchema, original: Mapping[str, Any]) -> list[str]:
    """Up to `MAX_IGNORED` keys of a request that its form does not know."""
    sent = [key for key, value in original.items() if value is not None]
    return [key for key in sent if key not in form.keys and key != "site_uuid"][:MAX_IGNORED]


def refuse_ignored(form: RequestSchema, original: Mapping[str, Any]) -> None:
    """Raises `FormError` if a request has parameters that its form does not know."""
    keys = sorted(form.keys)
    errors = [FieldError(key, UNKNOWN, (key,), closest([key], keys)) for key in ignored_keys(form, original)]
    if errors:
        raise FormError(errors, error_names(errors))


class PageMeta(ResponseSchema):
    page = integer()
    query = ma.fields.Dict(keys=ma.fields.String(), **describe("The filters that were applied."))
    per_page = integer()
    has_more = ma.fields.Boolean()
    ignored = ma.fields.List(ma.fields.String(), **describe("Parameters of the request that are not known."))
    did_you_mean = error_values_field("The parameters that were probably meant, if any.")


class ListMeta(ResponseSchema):
    per_page = integer()
    has_more = ma.fields.Boolean()
    next = cursors.next_field()


def page_meta(form: Mapping[str, Any], per_page: int, has_more: bool) -> dict[str, Any]:
    """The `meta` of a page: the filters that were applied, and the parameters that were ignored."""
    query = {
        key: {side: write_date(instant) for side, instant in value.items()} if key in DATES else value
        for key, value in form.items()
        if key not in NO_FILTERS and value
    }
    return {
        "page": form["page"],
        "query": query,
        "per_page": per_page,
        "has_more": has_more,
        "ignored": form["ignored"],
        **({"did_you_mean": form["did_you_mean"]} if form["did_you_mean"] else {}),
    }


def list_meta() -> ma.fields.Nested:
    """The `meta` of a list that is paged only on request."""
    return ma.fields.Nested(ListMeta, **OPTIONAL)


def rows_asked(form: Mapping[str, Any], name: str) -> dict[str, int]:
    """The arguments by which a list is read: `limit` rows with ids `before`, one row more than the page;
    empty for all rows.

    Raises `FormError` for a cursor of another list.
    """
    if "cursor" in form and form["cursor"].sort != name:
        raise FormError([FieldError("cursor", CURSOR)])
    if "per_page" not in form and "cursor" not in form:
        return {}
    before = form["cursor"].position[0] if "cursor" in form else cursors.LIMIT - 1
    return {"limit": form.get("per_page", PER_PAGE) + 1, "before": before}


def list_answer(form: Mapping[str, Any], name: str, resources: list[dict[str, Any]]) -> dict[str, Any]:
    """The answer with the rows of `rows_asked`. A row beyond the page is left out: it only shows that there
    are more.
    """
    if not (asked := rows_asked(form, name)):
        return {"data": resources}
    per_page = asked["limit"] - 1
    has_more = len(resources) > per_page
    cursor = cursors.write(name, (int(resources[per_page - 1]["id"]),)) if has_more else None
    return {
        "data": resources[:per_page],
        "meta": {"per_page": per_page, "has_more": has_more, "next": cursor},
    }
