"""Tags on the wire (contract sections 2 and 3)."""

from typing import Any, ClassVar

import marshmallow as ma

from schemas.shapes import Answer, Date, many, one, resource
from schemas.wire import Form, Spelling, Text, as_text, date, nested

TAGS = "Send tag names as text with commas between, or as an array of text."
LARGEST_SITE_ID = 2**31 - 1


class TagNames(ma.fields.Field[list[str]]):
    """A comma-separated string or an array of strings; names trimmed, empty ones dropped."""

    spelled: ClassVar[Spelling] = {
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
        "examples": ["vip, newsletter"],
    }

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[str]:
        if isinstance(value, list):
            return trimmed([as_text(each) for each in value if each is not None])
        if isinstance(value, dict):
            raise ma.ValidationError(TAGS)
        return trimmed(as_text(value).split(","))


def trimmed(names: list[str]) -> list[str]:
    return [name for name in map(str.strip, names) if name]


class NewTag(Form):
    name = Text(required=True, strip=True, blank=False)


class CreateTag(Form):
    example: ClassVar[Any] = {"tag": {"name": "vip"}}

    tag = nested(NewTag, required=True)


class TagAttributes(Answer):
    name = ma.fields.String()
    created_at = Date()
    discarded_at = Date(allow_none=True)
    site_id = ma.fields.Integer(strict=True)


Tag = resource("Tag", "tags", TagAttributes)
TagAnswer = one("TagAnswer", Tag)
DeletedTag = one("DeletedTag", Tag, message=ma.fields.String())
TagList = many("TagList", Tag)


def tag(row: Any, site_id: int) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "type": "tags",
        "attributes": {
            "name": row.name,
            "created_at": date(row.created_at),
            "discarded_at": None,
            "site_id": site_id & LARGEST_SITE_ID,
        },
    }
