"""Requests about the forms by which visitors sign up, and the form resource (docs/contract.md, Forms)."""

import re
from collections.abc import Iterable
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import (
    Choice,
    JsonSchema,
    RequestSchema,
    Text,
    Truth,
    UnknownKeys,
    as_object,
    as_text,
    describe,
    nested,
)
from schemas.codes import Code, Sentence
from schemas.custom_fields import FieldKey
from schemas.patches import Patch
from schemas.responses import Date, ResponseSchema, dump, integer, listing, resource, shape, single, string
from schemas.subscribers import RESERVED
from schemas.tags import TagNames
from schemas.values import LANGUAGES

STATES = OPEN, PAUSED, ARCHIVED = "open", "paused", "archived"
CONFIRMING = SCRIPT, CLICK = "script", "click"
MAX_TEXT, MAX_LABEL, MAX_FIELDS, MAX_ORIGINS, MAX_TAGS = 1_000, 100, 10, 20, 20
BY_LANGUAGE = Sentence(Code.UNKNOWN_KEY, f"Send texts by language: {', '.join(LANGUAGES)}.")
PLAIN = Sentence(
    Code.MALFORMED_VALUE, "Send plain text of at most {:,} characters, without control characters."
)
UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
FIELDS = Sentence(
    Code.MALFORMED_VALUE, f"Send an array of at most {MAX_FIELDS} objects, each with a different `key`."
)
RESERVED_KEY = Sentence(Code.RESERVED_KEY, "Send another key: this one cannot be a custom field's.")
ORIGINS = Sentence(
    Code.OUT_OF_RANGE, f"Send an array of at most {MAX_ORIGINS} websites, such as https://example.com."
)
TAGS = Sentence(Code.TOO_MANY, f"Send at most {MAX_TAGS} tags.")


def texts_schema(most: int) -> JsonSchema:
    texts: JsonSchema = {"type": "string", "maxLength": most}
    return {"type": "object", "propertyNames": {"enum": [*LANGUAGES]}, "additionalProperties": texts}


class TextsByLanguage(ma.fields.Field[dict[str, str]]):
    """Plain texts by language. Blank ones are left out."""

    most: ClassVar[int] = MAX_TEXT
    json_schema: ClassVar[JsonSchema] = texts_schema(MAX_TEXT)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, str]:
        texts = {name: as_text(text) for name, text in as_object(value).items() if text is not None}
        if unknown := [name for name in texts if name not in LANGUAGES]:
            raise ma.ValidationError(UnknownKeys(BY_LANGUAGE, unknown, LANGUAGES))
        wrong = PLAIN.format(self.most)
        if errors := {name: [wrong] for name, text in texts.items() if not is_plain(text, self.most)}:
            raise ma.ValidationError(errors)
        trimmed = {language: plain(texts.get(language, "")) for language in LANGUAGES}
        return {language: text for language, text in trimmed.items() if text}


class Labels(TextsByLanguage):
    """Labels by language, each in one line."""

    most: ClassVar[int] = MAX_LABEL
    json_schema: ClassVar[JsonSchema] = texts_schema(MAX_LABEL)

    def _deserialize(self, value: Any, *arguments: Any, **options: Any) -> dict[str, str]:
        texts = super()._deserialize(value, *arguments, **options)
        return {language: " ".join(text.split()) for language, text in texts.items()}


def is_plain(text: str, most: int) -> bool:
    """Whether a text has at most `most` characters, without control characters and marks of direction."""
    return len(text) <= most and not UNSEEN.search(text)


def plain(text: str) -> str:
    """The text with single line feeds, and without blanks at line ends or blank lines around it."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()


class FormFieldItem(RequestSchema):
    key = FieldKey(
        required=True,
        validate=ma.validate.NoneOf(RESERVED, error=RESERVED_KEY),
        **describe("`first_name`, `last_name` or the key of a custom field."),
    )
    required = Truth(load_default=False)
    labels = Labels(
        **describe(
            "The label by language. The default is the usual label of a name, or the name of the field."
        )
    )


def _check_each_once(items: Iterable[dict[str, Any]]) -> None:
    keys = [item["key"] for item in items]
    if len(keys) > len(set(keys)) or len(keys) > MAX_FIELDS:
        raise ma.ValidationError(FIELDS)


class NewForm(RequestSchema):
    name = Text(
        strip=True, blank=False, **describe("The name of the form, which only operators of the site see.")
    )
    language = Choice(LANGUAGES, **describe("The language for visitors whose own language is not known."))
    fields_ = ma.fields.List(
        nested(FormFieldItem),
        data_key="fields",
        attribute="fields",
        validate=_check_each_once,
        error_messages={"invalid": FIELDS},
        **describe("What the form asks for besides the address."),
    )
    tags = TagNames(
        validate=ma.validate.Length(max=MAX_TAGS, error=TAGS),
        **describe("Names of the tags that people get when they confirm."),
    )
    wording = TextsByLanguage(**describe("What people agree to, by language."))
    intro = TextsByLanguage(**describe("The text above the form, by language."))
    thanks = TextsByLanguage(**describe("What the page says after confirming, by language."))
    origins = ma.fields.List(
        Text(strip=True, blank=False),
        validate=ma.validate.Length(max=MAX_ORIGINS, error=ORIGINS),
        error_messages={"invalid": ORIGINS},
        **describe("The websites that the form is on."),
    )
    next_url = Text(strip=True, **describe("The page after signing up, on one of `origins`."))
    confirmed_url = Text(strip=True, **describe("The page after confirming."))
    confirm = Choice(
        CONFIRMING,
        **describe(
            "With `script`, opening the link confirms. With `click`, the visitor also presses "
            "a button on the page that the link opens."
        ),
    )
    delivery = Text(
        strip=True,
        blank=False,
        **describe("Who sends the link: `smtp`, or the id of a webhook with `sign_ups`."),
    )
    is_test = Truth(
        **describe(
            "Whether this is a test form: emails go only to the site's owners, and nothing is counted."
        )
    )
    state = Choice(STATES)


class SaveForm(RequestSchema):
    form = nested(NewForm, required=True)


class PatchForm(RequestSchema):
    form = Patch(NewForm)


class EmbedForm(RequestSchema):
    language = Choice(
        LANGUAGES, **describe("The language of the HTML; by default, the language of the form.")
    )


class StoredTexts(ma.fields.Dict):
    json_schema = TextsByLanguage.json_schema


class StoredLabels(ma.fields.Dict):
    json_schema = Labels.json_schema


class FormFieldSchema(ResponseSchema):
    key = ma.fields.String()
    required_ = ma.fields.Boolean(data_key="required")
    labels = StoredLabels()


class FormAttributes(ResponseSchema):
    name = ma.fields.String()
    state = ma.fields.String(validate=ma.validate.OneOf(STATES))
    language = ma.fields.String(validate=ma.validate.OneOf(LANGUAGES))
    fields_ = ma.fields.List(ma.fields.Nested(FormFieldSchema), data_key="fields")
    tags = ma.fields.List(ma.fields.String())
    wording = StoredTexts()
    version = integer("The version of the wording.")
    intro = StoredTexts()
    thanks = StoredTexts()
    origins = ma.fields.List(ma.fields.String())
    next_url = ma.fields.String()
    confirmed_url = ma.fields.String()
    confirm = ma.fields.String(validate=ma.validate.OneOf(CONFIRMING))
    delivery = string("`smtp`, or the id of a webhook.")
    is_test = ma.fields.Boolean()
    event_until = Date(
        allow_none=True, **describe("Until when the limits per network are lifted; null if they apply.")
    )
    created_at = Date()
    updated_at = Date()


FormSchema = resource("Form", "forms", FormAttributes)
FormAnswer = single("FormAnswer", FormSchema)
FormList = listing("FormList", FormSchema)
FormHtml = shape("FormHtml", html=string("The HTML for a page of your own."))


def form(row: Any) -> dict[str, Any]:
    fields = [field._asdict() for field in row.fields]
    return dump("forms", FormAttributes, row, fields_=fields)
