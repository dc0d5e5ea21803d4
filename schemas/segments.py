"""Request schemas of segments, and the segment resource. `audience.segments.rules` reads the rules."""

import json
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import (
    MAX_DEPTH,
    OBJECT,
    REQUIRED,
    JsonSchema,
    RequestSchema,
    Text,
    as_text,
    clean,
    depth,
    describe,
    nested,
)
from schemas.codes import Code, Sentence
from schemas.custom_fields import field_key
from schemas.pages import list_meta
from schemas.patches import Patch
from schemas.responses import Date, ResponseSchema, dump, listing, resource, single
from schemas.stats import CountsSchema
from schemas.subscribers import SubscriberSchema
from schemas.values import trim

RULE: JsonSchema = {"$ref": "#/components/schemas/Rule"}
TOO_DEEP = Sentence(Code.TOO_DEEP, f"Send rules of at most {MAX_DEPTH} levels of JSON.")
NO_JSON = Sentence(
    Code.MALFORMED_VALUE, 'The rule is not a JSON object: write one such as {"tag": "vip"}.'
)  # typed, outside a request
TEXTS = ("tag", "field", "event", "contains", "starts_with")  # keys of rules whose values are text


class Rules(ma.fields.Field[dict[str, Any]]):
    """The rules of a segment: a JSON object that can be stored."""

    json_schema = RULE
    default_error_messages = {"required": REQUIRED}  # noqa: RUF012 - marshmallow's own interface

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ma.ValidationError(OBJECT)
        if depth(value) > MAX_DEPTH:
            raise ma.ValidationError(TOO_DEEP)
        rules: dict[str, Any] = without_nulls(clean(value))
        return rules


def without_nulls(value: Any) -> Any:
    """`value` without keys whose value is `null`, at any depth.

    Values of keys in `TEXTS` become text, and names get their stored form.
    """
    if isinstance(value, dict):
        return {key: _value(key, item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def _value(key: str, item: Any) -> Any:
    if key not in TEXTS:
        return without_nulls(item)
    text = texts(item)
    return NAMED[key](text) if key in NAMED and isinstance(text, str) else text


def _key(text: str) -> str:
    """The key of a custom field that a text means. A text that cannot be one stays: no subscriber has it."""
    try:
        return field_key(text)
    except ma.ValidationError:
        return text


NAMED = {"field": _key, "event": trim}  # what these rules name, in the form in which it is stored


def texts(value: Any) -> Any:
    """`value` with its numbers and booleans as text, at any depth."""
    if isinstance(value, dict):
        return {key: texts(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [texts(item) for item in value]
    return as_text(value) if isinstance(value, int | float) else value


class StoredRules(ma.fields.Dict):
    """The rules of a segment in an answer, as they were stored."""

    json_schema = RULE


class RulesOnly(RequestSchema):
    rules = Rules(required=True)


class NewSegment(RulesOnly):
    name = Text(required=True, strip=True, blank=False)
    description = Text(strip=True)


class SaveSegment(RequestSchema):
    segment = nested(NewSegment, required=True)


class PatchSegment(RequestSchema):
    segment = Patch(NewSegment)


class PreviewSegment(RequestSchema):
    segment = nested(RulesOnly, required=True)


class SegmentId(RequestSchema):
    segment_id = Text(required=True, strip=True)


class SegmentAttributes(ResponseSchema):
    name = ma.fields.String()
    description = ma.fields.String()
    rules = StoredRules()
    created_at = Date()
    updated_at = Date()


SegmentSchema = resource("Segment", "segments", SegmentAttributes)
SegmentAnswer = single("SegmentAnswer", SegmentSchema)
SegmentList = listing("SegmentList", SegmentSchema, meta=list_meta())


class MatchedRules(ma.fields.Dict):
    json_schema: ClassVar[JsonSchema] = {"$ref": "#/components/schemas/MatchedRule"}


class Match(ResponseSchema):
    matches = ma.fields.Boolean()
    rules = MatchedRules(**describe("The rules, and whether the subscriber matches each of them."))


SegmentMatch = single("SegmentMatch", Match, or_null=True)


class SegmentPreview(CountsSchema):
    data = ma.fields.List(ma.fields.Nested(SubscriberSchema), **describe("The newest ten matches."))


def segment(row: Any) -> dict[str, Any]:
    return dump("segments", SegmentAttributes, row, rules=json.loads(row.rules))


def match(matched: dict[str, Any] | None) -> dict[str, Any]:
    """The answer about whether a subscriber matches a segment; null without the subscriber."""
    return {"data": matched and {"matches": matched["matches"], "rules": matched}}
