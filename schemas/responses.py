"""Schemas of responses. The OpenAPI document is made from them, and so are most answers."""

from collections.abc import Iterable
from functools import cache
from typing import Any, ClassVar, cast

import marshmallow as ma

from schemas.base import JsonSchema, describe
from schemas.codes import VALUE_CODES, Code
from schemas.values import write_date

Field = ma.fields.Field[Any]
OPTIONAL: dict[str, Any] = {"metadata": {"may_be_absent": True}}


class ResponseSchema(ma.Schema):
    """A JSON object in a response: has every key except those that `may_be_absent`, and no other."""

    class Meta:
        unknown = ma.RAISE

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:  # noqa: ARG002 - marshmallow's interface
        field_obj.required = not field_obj.metadata.get("may_be_absent")


class Id(ma.fields.String):
    """An id: a decimal number, as text."""

    json_schema: ClassVar[JsonSchema] = {"type": "string", "pattern": "^[0-9]+$"}


class Date(ma.fields.AwareDateTime):
    """An instant: RFC 3339 in UTC with milliseconds."""

    json_schema: ClassVar[JsonSchema] = {"examples": ["2026-08-21T02:08:30.364Z"]}


def integer(description: str = "", **options: Any) -> ma.fields.Integer:
    described = describe(description) if description else {}
    return ma.fields.Integer(strict=True, **described, **options)


def string(description: str, **options: Any) -> ma.fields.String:
    return ma.fields.String(**describe(description), **options)


def constant(text: str) -> ma.fields.String:
    return ma.fields.String(validate=ma.validate.Equal(text))


def resource(name: str, type_: str, attributes: type[ResponseSchema], **more: Field) -> type[ResponseSchema]:
    """The schema of a resource: `{"id", "type", "attributes"}`, with `more` keys beside them."""
    return shape(name, id=Id(), type=constant(type_), attributes=ma.fields.Nested(attributes), **more)


def single(
    name: str, item: type[ResponseSchema], *, or_null: bool = False, **more: Field
) -> type[ResponseSchema]:
    """The schema of an answer with one item: `{"data": item}`, with `more` keys beside it."""
    return shape(name, data=ma.fields.Nested(item, allow_none=or_null), **more)


@cache
def or_null(answer: type[ResponseSchema]) -> type[ResponseSchema]:
    """The schema of an answer with one item whose `data` may be null. Other schemas are unchanged."""
    fields = vars(answer)["_declared_fields"]
    data = fields.get("data")
    if not isinstance(data, ma.fields.Nested) or data.allow_none:
        return answer
    item = cast(type[ResponseSchema], data.nested)
    others = {name: field for name, field in fields.items() if name != "data"}
    return single(f"{answer.__name__}OrNull", item, or_null=True, **others)


def listing(name: str, item: type[ResponseSchema], **more: Field) -> type[ResponseSchema]:
    """The schema of an answer with several items: `{"data": [item, ...]}`, with `more` keys beside it."""
    return shape(name, data=ma.fields.List(ma.fields.Nested(item)), **more)


def shape(name: str, **fields: Field) -> type[ResponseSchema]:
    """The schema of an object with these keys."""
    return cast(type[ResponseSchema], ResponseSchema.from_dict(fields, name=name))


def dump(type_: str, schema: type[ResponseSchema], row: Any, **others: Any) -> dict[str, Any]:
    """A row as a resource of the type `type_`. `others` replace attributes of the row."""
    return {"id": str(row.id), "type": type_, "attributes": values(schema, row, **others)}


def values(schema: type[ResponseSchema], row: Any, **others: Any) -> dict[str, Any]:
    """The attributes of a record that a schema lists; `others` replace them. Instants become dates, ids text.

    An empty value is left out if its field has `may_be_absent`.
    """
    answered = {}
    for name, field in vars(schema)["_declared_fields"].items():
        value = _dump_value(field, others[name] if name in others else getattr(row, name))
        if value or not field.metadata.get("may_be_absent"):
            answered[field.data_key or name] = value
    return answered


def _dump_value(field: Field, value: Any) -> Any:
    if isinstance(field, Date):
        return write_date(value)
    return str(value) if isinstance(field, Id) and value is not None else value


def open_enum(texts: Iterable[str]) -> JsonSchema:
    """The JSON Schema of a text that is one of `texts`, or one that later versions add."""
    return {"anyOf": [{"type": "string", "enum": [*map(str, texts)]}, {"type": "string"}]}


class OpenEnum(ma.fields.String):
    """A text that is one of `texts` today; later versions may add others."""

    def __init__(self, texts: Iterable[str], description: str) -> None:
        super().__init__(**describe(f"{description} More may be added."))
        self.json_schema = open_enum(texts)


class CodeField(OpenEnum):
    """The code of an error."""

    def __init__(self, codes: Iterable[Code]) -> None:
        super().__init__(codes, "A code for programs; docs/errors.md has the remedy for each code.")


class FieldProblem(ResponseSchema):
    """A refused value."""

    field = ma.fields.String(**describe("Path in the request.", examples=["subscribers[3].email"]))
    message = string("What to send.")
    code = CodeField(VALUE_CODES)


def problems() -> ma.fields.List[Any]:
    return ma.fields.List(ma.fields.Nested(FieldProblem))


def error_values_field(description: str, **options: Any) -> ma.fields.List[Any]:
    """A field for values of a request that an error repeats."""
    return ma.fields.List(ma.fields.String(), **describe(description, may_be_absent=True), **options)


class FoundValue(ResponseSchema):
    """A value of a file's column, and the number of its rows."""

    value = ma.fields.String()
    count = integer()


class FileQuestionSchema(ResponseSchema):
    """A question that a file leaves open."""

    about = ma.fields.String(metadata={"examples": ["consent", "dates"]})
    message = string("What to send.")
    options = ma.fields.List(ma.fields.String(), **describe("The parameters that answer the question."))
    columns = ma.fields.List(ma.fields.String())
    values = ma.fields.List(ma.fields.Nested(FoundValue))
    readings = ma.fields.Dict(
        **describe("Examples of cells, as each answer would read them.", may_be_absent=True)
    )


class NamesOrColumns(ma.fields.List[Any]):
    """A list of names or, if the file leaves questions open, of its columns with their values."""

    json_schema: ClassVar[JsonSchema] = {
        "type": "array",
        "items": {"anyOf": [{"type": "string"}, {"type": "object"}]},
        "description": "The columns of the file that the error is about; for questions, all columns with "
        "their values.",
    }


class Error(ResponseSchema):
    """The body of every error; the header `X-Request-Id` identifies the request."""

    error = string("One sentence: what to do.")
    code = CodeField(Code)
    errors = ma.fields.List(
        ma.fields.Nested(FieldProblem), **describe("The values to correct, if any.", may_be_absent=True)
    )
    columns = NamesOrColumns(ma.fields.Raw(), **OPTIONAL)
    asks = ma.fields.List(
        ma.fields.Nested(FileQuestionSchema),
        **describe("The questions that the file leaves open.", may_be_absent=True),
    )
    suggestion = ma.fields.Dict(
        allow_none=True, **describe("Suggested parameters, with their exact values.", may_be_absent=True)
    )
    upload = ma.fields.String(
        **describe(
            "The id of the file, which is kept for an hour: send this id instead of the file.",
            may_be_absent=True,
        )
    )
    values = error_values_field("Values of the file that the error is about.")
    unknown_ = error_values_field("Keys or names in the request that are not known.", data_key="unknown")
    did_you_mean = error_values_field("Suggestions: known names, or parameters that may correct the request.")
