"""Request schemas of tags, and the tag resource (docs/contract.md, Tags)."""

import unicodedata
from collections.abc import Mapping
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import Doubled, JsonSchema, RequestSchema, Text, as_text, clean_each, describe, nested
from schemas.codes import Code, Sentence
from schemas.links import without_link
from schemas.numbers import BoundedNumber
from schemas.pages import list_meta
from schemas.responses import Date, ResponseSchema, dump, integer, listing, resource, single
from schemas.values import MAX_SENT_NAME, UNSEEN, trim

TAGS = Sentence(Code.WRONG_TYPE, "Send tag names as comma-separated text, or as an array of text.")
MAX_NAME_LENGTH = 255
TOO_LONG = Sentence(Code.TOO_LONG, f"Send tag names of at most {MAX_NAME_LENGTH} characters.")
MAX_OF_ONE = 10_000  # one row is written at once, while others wait
TOO_MANY = Sentence(Code.TOO_MANY, f"Send at most {MAX_OF_ONE:,} tags for one person at once.")
CONTROLS = {
    ord(character): " " if character.isspace() else None
    for character in UNSEEN
    if unicodedata.category(character) == "Cc"
}
MAX_SITE_ID, MAX_ID = 2**31 - 1, 2**53
ID = Sentence(Code.MALFORMED_VALUE, "Send the id of a tag, from GET /v1/fetch/tags.")


class TagNames(ma.fields.Field[list[str]]):
    """The names of tags: a text with commas between them, or an array of texts with one name each. They are
    read by `tag_name`; empty ones are dropped.
    """

    json_schema: ClassVar[JsonSchema] = {
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
        "examples": ["vip, newsletter"],
    }

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[str]:
        if isinstance(value, dict):
            raise ma.ValidationError(TAGS)
        names = [name for name in self._texts(value) if name]
        if not all(map(is_short, names)):
            raise ma.ValidationError(TOO_LONG)
        if len(names) > MAX_OF_ONE:
            raise ma.ValidationError(TOO_MANY)
        return [without_link(name) for name in names]

    def join_repeated(self, values: list[str]) -> str:
        return ",".join(values)

    def _texts(self, value: Any) -> list[str]:
        if isinstance(value, list):
            return self._trim([as_text(name) for name in value if name is not None])
        return self._trim(as_text(value).split(","))

    def _trim(self, names: list[str]) -> list[str]:
        return trim_names(names)


def trim_names(names: list[str]) -> list[str]:
    return [name for name in map(tag_name, names) if name]


def tag_name(text: str) -> str:
    """The name of a tag: `text` without control characters and outer blanks, in NFC. A far too long name is
    not brought into NFC, which takes quadratic time.

    Invisible characters stay, as emoji need them. A name of invisible characters alone becomes "".
    """
    name = text.strip()
    if name.isascii() and name.isprintable():
        return name
    name = name.translate(CONTROLS).strip()
    if not trim(name):
        return ""
    return name if len(name) > MAX_SENT_NAME else unicodedata.normalize("NFC", name)


def is_short(name: str) -> bool:
    return len(name) <= MAX_NAME_LENGTH


class TagName(Text):
    def _deserialize(self, value: Any, *arguments: Any, **options: Any) -> str:
        name = tag_name(super()._deserialize(value, *arguments, **options))
        if not is_short(name):
            raise ma.ValidationError(TOO_LONG)
        return without_link(name)


class NewTag(RequestSchema):
    name = TagName(required=True, blank=False)


class CreateTag(RequestSchema):
    tag = nested(NewTag, required=True)


class RenamedTag(RequestSchema):
    name = TagName(blank=False)


class PatchTag(RequestSchema):
    tag = nested(RenamedTag, required=True)


class OtherTag(RequestSchema):
    into = BoundedNumber(1, MAX_ID, ID, required=True, **describe("The id of the tag to merge into."))


class MergeTag(RequestSchema):
    tag = nested(OtherTag, required=True)


class MeantTag(RequestSchema):
    """What a client sends beside the id of a tag to delete."""

    name = ma.fields.Raw(**describe("The name of the tag, as a safeguard against a wrong id.", type="string"))


class DeleteTag(RequestSchema):
    """The parameters of deleting a tag. Refuses nothing: a text that is no name belongs to no tag."""

    tag = nested(MeantTag)

    def load(self, data: Any, **_: Any) -> dict[str, list[str]]:
        """The names by which the client may mean the tag, as `names`."""
        clean_each((index, item) for index, item in enumerate(data.items()))
        sent = [*_values(data, "tag"), *_values(data, "name")]
        names = [
            name for tag in sent for name in (_values(tag, "name") if isinstance(tag, Mapping) else [tag])
        ]
        return {"names": trim_names([str(name) for name in names if name not in (None, [])])}


def _values(data: Mapping[str, Any], key: str) -> list[Any]:
    """The values of a key in an object: all values if the key occurs twice, else one, which may be None."""
    return data.doubled.get(key, []) if isinstance(data, Doubled) and key in data.doubled else [data.get(key)]


class TagAttributes(ResponseSchema):
    name = ma.fields.String()
    created_at = Date()
    discarded_at = Date(allow_none=True)
    site_id = integer()


TagSchema = resource("Tag", "tags", TagAttributes)
TagAnswer = single("TagAnswer", TagSchema)
DeletedTag = single("DeletedTag", TagSchema, message=ma.fields.String())
TagList = listing("TagList", TagSchema, meta=list_meta())


def tag(row: Any, site_id: int) -> dict[str, Any]:
    site_id &= MAX_SITE_ID
    return dump("tags", TagAttributes, row, discarded_at=None, site_id=site_id)
