"""Segments on the wire (contract section 3). What rules mean is the domain's business."""

import json
from typing import Any, ClassVar

import marshmallow as ma

from schemas.shapes import Answer, Date, many, one, resource
from schemas.stats import Counts
from schemas.subscribers import Subscriber
from schemas.wire import OBJECT, REQUIRED, Form, Spelling, Text, clean, date, nested

RULES: dict[str, Any] = {
    "all": [
        {"field": "plan", "is": "pro"},
        {"any": [{"tag": "vip"}, {"event": "$purchase", "within_days": 90, "at_least": 2}]},
    ]
}


class Rules(ma.fields.Field[dict[str, Any]]):
    """An object that can be stored."""

    spelled: ClassVar[Spelling] = {"type": "object", "description": "docs/segments.md explains rules."}
    default_error_messages = {"required": REQUIRED}  # noqa: RUF012

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ma.ValidationError(OBJECT)
        rules: dict[str, Any] = clean(value)
        return rules


class RulesOnly(Form):
    rules = Rules(required=True)


class NewSegment(RulesOnly):
    name = Text(required=True, strip=True, blank=False)
    description = Text(strip=True)


class SaveSegment(Form):
    example: ClassVar[Any] = {
        "segment": {"name": "Buyers", "description": "Who pays, and comes back", "rules": RULES}
    }

    segment = nested(NewSegment, required=True)


class PreviewSegment(Form):
    example: ClassVar[Any] = {"segment": {"rules": RULES}}

    segment = nested(RulesOnly, required=True)


class SegmentId(Form):
    segment_id = Text(required=True, strip=True)


class SegmentAttributes(Answer):
    name = ma.fields.String()
    description = ma.fields.String()
    rules = ma.fields.Dict()
    created_at = Date()
    updated_at = Date()


Segment = resource("Segment", "segments", SegmentAttributes)
SegmentAnswer = one("SegmentAnswer", Segment)
SegmentList = many("SegmentList", Segment)


class SegmentPreview(Counts):
    data = ma.fields.List(ma.fields.Nested(Subscriber), metadata={"description": "The newest ten."})


def segment(row: Any) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "type": "segments",
        "attributes": {
            "name": row.name,
            "description": row.description,
            "rules": json.loads(row.rules),
            "created_at": date(row.created_at),
            "updated_at": date(row.updated_at),
        },
    }
