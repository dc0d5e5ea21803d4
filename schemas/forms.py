"""Requests about the forms by which visitors sign up, and the form resource (docs/contract.md, Forms)."""

import re
from collections.abc import Iterable
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import (
    Choice,
    Form,
    JsonSchema,
    Text,
    Truth,
    UnknownKeys,
    as_object,
    as_text,
    nested,
)
from schemas.responses import Date, ResponseSchema, dump, integer, listing, resource, shape, single
from schemas.tags import TagNames
from schemas.values import ASKED_NAMES, LANGUAGES

STATES = OPEN, PAUSED, ARCHIVED = "open", "paused", "archived"
CONFIRMING = SCRIPT, CLICK = "script", "click"
MAX_TEXT, MAX_ORIGINS, MAX_TAGS = 1_000, 20, 20
BY_LANGUAGE = f"Send texts by language: {', '.join(LANGUAGES)}."
PLAIN = f"Send plain text of at most {MAX_TEXT:,} characters, without control characters."
UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
FIELDS = "Send an array of objects, each with another `key`: first_name or last_name."
ORIGINS = f"Send an array of at most {MAX_ORIGINS} websites, such as https://example.com."
TAGS = f"Send at most {MAX_TAGS} tags."


class TextsByLanguage(ma.fields.Field[dict[str, str]]):
    """An object with plain texts by language. Blank texts are left out."""

    json_schema: ClassVar[JsonSchema] = {
        "type": "object",
        "propertyNames": {"enum": [*LANGUAGES]},
        "additionalProperties": {"type": "string", "maxLength": MAX_TEXT},
    }

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, str]:
        texts = {name: as_text(text) for name, text in as_object(value).items() if text is not None}
        if unknown := [name for name in texts if name not in LANGUAGES]:
            raise ma.ValidationError(UnknownKeys(BY_LANGUAGE, unknown, LANGUAGES))
        if wrong := {name: [PLAIN] for name, text in texts.items() if not is_plain(text)}:
            raise ma.ValidationError(wrong)
        trimmed = {language: plain(texts.get(language, "")) for language in LANGUAGES}
        return {language: text for language, text in trimmed.items() if text}


def is_plain(text: str) -> bool:
    return len(text) <= MAX_TEXT and not UNSEEN.search(text)


def plain(text: str) -> str:
    """The text with a line feed between its lines. Blanks at the ends of lines, and blank lines around the
    text, are removed.
    """
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()


class FormFieldItem(Form):
    key = Choice(ASKED_NAMES, required=True)
    required = Truth(load_default=False)


def _check_each_once(items: Iterable[dict[str, Any]]) -> None:
    keys = [item["key"] for item in items]
    if len(keys) > len(set(keys)):
        raise ma.ValidationError(FIELDS)


class NewForm(Form):
    name = Text(strip=True, blank=False, metadata={"description": "Only its owners see it."})
    language = Choice(LANGUAGES, metadata={"description": "Of visitors whose language is not known."})
    fields_ = ma.fields.List(
        nested(FormFieldItem),
        data_key="fields",
        validate=_check_each_once,
        error_messages={"invalid": FIELDS},
        metadata={"description": "What the form asks for, beside the address."},
    )
    tags = TagNames(
        validate=ma.validate.Length(max=MAX_TAGS, error=TAGS),
        metadata={"description": "Who confirms gets these tags."},
    )
    wording = TextsByLanguage(metadata={"description": "What people agree to, by language."})
    intro = TextsByLanguage(metadata={"description": "By language."})
    thanks = TextsByLanguage(metadata={"description": "What the page says after confirming, by language."})
    origins = ma.fields.List(
        Text(strip=True, blank=False),
        validate=ma.validate.Length(max=MAX_ORIGINS, error=ORIGINS),
        error_messages={"invalid": ORIGINS},
        metadata={"description": "The websites that the form is on."},
    )
    next_url = Text(strip=True, metadata={"description": "The page after signing up, on one of `origins`."})
    confirmed_url = Text(strip=True, metadata={"description": "The page after confirming."})
    confirm = Choice(
        CONFIRMING,
        metadata={"description": "`script`: opening the link is enough. `click`: and pressing a button."},
    )
    is_test = Truth(metadata={"description": "Emails go to the operators, and nothing is counted."})
    state = Choice(STATES)

    @ma.post_load
    def renamed(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {name.rstrip("_"): value for name, value in data.items()}


class SaveForm(Form):
    form = nested(NewForm, required=True)


class EmbedForm(Form):
    language = Choice(LANGUAGES, metadata={"description": "Without it, that of the form."})


class FormFieldSchema(ResponseSchema):
    key = ma.fields.String(validate=ma.validate.OneOf(ASKED_NAMES))
    required_ = ma.fields.Boolean(data_key="required")


class StoredTexts(ma.fields.Dict):
    json_schema = TextsByLanguage.json_schema


class FormAttributes(ResponseSchema):
    name = ma.fields.String()
    state = ma.fields.String(validate=ma.validate.OneOf(STATES))
    language = ma.fields.String(validate=ma.validate.OneOf(LANGUAGES))
    fields_ = ma.fields.List(ma.fields.Nested(FormFieldSchema), data_key="fields")
    tags = ma.fields.List(ma.fields.String())
    wording = StoredTexts()
    version = integer("Of the wording.")
    intro = StoredTexts()
    thanks = StoredTexts()
    origins = ma.fields.List(ma.fields.String())
    next_url = ma.fields.String()
    confirmed_url = ma.fields.String()
    confirm = ma.fields.String(validate=ma.validate.OneOf(CONFIRMING))
    is_test = ma.fields.Boolean()
    created_at = Date()
    updated_at = Date()


FormSchema = resource("Form", "forms", FormAttributes)
FormAnswer = single("FormAnswer", FormSchema)
FormList = listing("FormList", FormSchema)
FormHtml = shape("FormHtml", html=ma.fields.String(metadata={"description": "For a page of your own."}))


def form(row: Any) -> dict[str, Any]:
    fields = [field._asdict() for field in row.fields]
    return dump("forms", FormAttributes, row, fields_=fields)
