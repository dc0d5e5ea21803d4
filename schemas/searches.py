"""The request schema of a search (docs/contract.md, Search)."""

from collections.abc import Mapping
from typing import Any, ClassVar

import marshmallow as ma

from schemas import cursors, links
from schemas.base import (
    TWICE,
    Choice,
    InstantField,
    JsonSchema,
    RequestSchema,
    Text,
    UnknownKeys,
    as_object,
    as_text,
    nested,
)
from schemas.codes import Code, Sentence
from schemas.cursors import OTHER_SORT, WITH_PAGE, CursorField
from schemas.custom_fields import field_key
from schemas.numbers import number_up_to
from schemas.pages import MAX_PER_PAGE, Paged, page_meta
from schemas.subscribers import with_plus
from schemas.tags import TagNames, tag_name
from schemas.values import DATES, trim

BOUNDS = Sentence(
    Code.UNKNOWN_KEY,
    'Send gt, lt or both, each with a date, such as {"gt": "2026-01-01"} or created_at[gt]=2026-01-01.',
)
MAX_TAGS = 100
TOO_MANY_TAGS = Sentence(Code.TOO_MANY, f"Send at most {MAX_TAGS} tags.")
MAX_FIELDS = 20
FIELDS = Sentence(
    Code.OUT_OF_RANGE,
    f'Send 1 to {MAX_FIELDS} fields, each with one value, such as {{"plan": "pro"}} or field[plan]=pro.',
)
FIELD_OPERATOR = Sentence(Code.MALFORMED_KEY, FIELDS)
FIELD_VALUE = Sentence(Code.WRONG_TYPE, "Send text that is not empty, a number, true or false.")
SORTS = ("created_at", "last_event_at", "unsubscribed_at")
NEWEST = "-created_at"
STATUSES = ("subscribed", "unsubscribed")


class Bounds(RequestSchema):
    error_messages = {"type": Sentence(Code.WRONG_TYPE, BOUNDS)}  # noqa: RUF012 - marshmallow's own interface
    gt = InstantField()
    lt = InstantField()

    def known_values(self, data: Mapping[str, Any]) -> dict[str, Any]:
        values = super().known_values(data)
        if unknown := [key for key in data if key not in self.keys]:
            raise ma.ValidationError(UnknownKeys(BOUNDS, unknown, self.keys))
        return values


class SoughtTagNames(TagNames):
    """Tag names as `TagNames` reads them, but one without visible characters stays: no subscriber has it."""

    def _trim(self, names: list[str]) -> list[str]:
        return [tag_name(name) or name for name in map(str.strip, names) if name]


class SingleTagNames(SoughtTagNames):
    """One tag name, or an array of names. A name is never split."""

    json_schema: ClassVar[JsonSchema] = {**TagNames.json_schema, "examples": ["vip"]}

    def join_repeated(self, values: list[str]) -> Any:
        return values

    def _texts(self, value: Any) -> list[str]:
        return super()._texts(value if isinstance(value, list) else [value])


class TagIds(ma.fields.Field[list[str]]):
    """Tag ids, separated by commas or in an array."""

    json_schema: ClassVar[JsonSchema] = {**TagNames.json_schema, "examples": ["12,15"]}
    joined = ",".join

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[str]:
        ids = value if isinstance(value, list) else as_text(value).split(",")
        return [trim(as_text(tag_id)) for tag_id in ids]


class FieldValues(ma.fields.Field[dict[str, Any]]):
    """The value of each custom field, by key: text, a number or a boolean."""

    json_schema: ClassVar[JsonSchema] = {
        "type": "object",
        "additionalProperties": {"type": ["string", "number", "boolean"]},
        "maxProperties": MAX_FIELDS,
        "examples": [{"plan": "pro"}],
    }

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        if not isinstance(value, dict) or not 1 <= len(as_object(value)) <= MAX_FIELDS:
            raise ma.ValidationError(FIELDS)
        values: dict[str, Any] = {}
        for key, sought in value.items():
            if "][" in key:
                raise ma.ValidationError({key: [FIELD_OPERATOR]})
            if values.setdefault(field_key(key), sought) != sought:
                raise ma.ValidationError({key: [TWICE]})
        return {key: self._value(sought) for key, sought in values.items()}

    def _value(self, value: Any) -> Any:
        text = as_text(value)
        if not trim(text):
            raise ma.ValidationError(FIELD_VALUE)
        return value


def tag_limit() -> Any:
    return ma.validate.Length(max=MAX_TAGS, error=TOO_MANY_TAGS)


class SearchSubscribers(Paged):
    """The parameters of a search. Bounds are exclusive; a match has all tags. `q` is the beginning of an
    address, domain or name. A `sort` by a date lists those who have it; with `-`, the latest is first.
    """

    created_at = nested(Bounds)
    updated_at = nested(Bounds)
    last_event_at = nested(Bounds)
    unsubscribed_at = nested(Bounds)
    email = Text(strip=True)
    tags = SoughtTagNames(validate=tag_limit())
    tag_names = SingleTagNames(validate=tag_limit())
    tag_ids = TagIds(validate=tag_limit())
    segment_id = Text(strip=True)
    q = Text(strip=True)
    status = Choice(STATUSES)
    field = FieldValues()
    sort = Choice([sign + name for name in SORTS for sign in ("", "-")])
    per_page = number_up_to(MAX_PER_PAGE)
    cursor = CursorField(3)
    links = links.switch()

    @ma.validates_schema
    def check_cursor(self, data: dict[str, Any], **_: Any) -> None:
        if "cursor" not in data:
            return
        if data["cursor"].sort != data.get("sort", NEWEST):
            raise ma.ValidationError({"cursor": [OTHER_SORT]})
        if data["page"] != 1:
            raise ma.ValidationError({"cursor": [WITH_PAGE]})

    @ma.post_load
    def restore_plus(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return data | ({"email": with_plus(data["email"])} if "email" in data else {})


def bounds(form: Mapping[str, Any], side: str) -> dict[str, int]:
    """The bounds at one `side` (`gt` or `lt`), in milliseconds since 1970, by column."""
    return {name: form[name][side] for name in DATES if side in form.get(name, {})}


def order(form: Mapping[str, Any]) -> tuple[str, tuple[int, ...] | None]:
    """The (sort, position after which the page begins) of a search."""
    return form.get("sort", NEWEST), form["cursor"].position if "cursor" in form else None


def search_meta(
    form: Mapping[str, Any], per_page: int, last: tuple[int, ...] | None, change: int
) -> dict[str, Any]:
    """The `meta` of a page of a search. `last` is the position of its last row, None on the last page."""
    cursor = cursors.write(form.get("sort", NEWEST), last) if last else None
    return page_meta(form, per_page, last is not None) | {"next": cursor, "change": str(change)}
