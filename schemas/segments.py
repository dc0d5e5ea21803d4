"""Segments on the wire (contract section 3). What rules mean is the domain's business."""

import json
from typing import Any

import marshmallow as ma

from schemas.wire import OBJECT, REQUIRED, Form, Text, clean, date, nested


class Rules(ma.fields.Field[dict[str, Any]]):
    """An object that can be stored."""

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
    segment = nested(NewSegment, required=True)


class PreviewSegment(Form):
    segment = nested(RulesOnly, required=True)


class SegmentId(Form):
    segment_id = Text(required=True, strip=True)


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
