"""What answers look like, for the API's description; tests hold the functions that spell them to it."""

from typing import Any, ClassVar, cast

import marshmallow as ma

from schemas.wire import Spelling

Field = ma.fields.Field[Any]


class Answer(ma.Schema):
    """An object of an answer: every key is always there but those that `may_be_absent`, and no other is."""

    class Meta:
        unknown = ma.RAISE

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:  # noqa: ARG002 - marshmallow's interface
        field_obj.required = not field_obj.metadata.get("may_be_absent")


class Id(ma.fields.String):
    """A decimal number as text."""

    spelled: ClassVar[Spelling] = {"type": "string", "pattern": "^[0-9]+$"}


class Date(ma.fields.AwareDateTime):
    """RFC 3339 in UTC with milliseconds."""

    spelled: ClassVar[Spelling] = {"examples": ["2026-08-21T02:08:30.364Z"]}


def constant(text: str) -> ma.fields.String:
    return ma.fields.String(validate=ma.validate.Equal(text))


def resource(name: str, type_: str, attributes: type[Answer]) -> type[Answer]:
    """`{"id", "type", "attributes"}`."""
    return _object(name, id=Id(), type=constant(type_), attributes=ma.fields.Nested(attributes))


def one(name: str, item: type[Answer], *, or_null: bool = False, **more: Field) -> type[Answer]:
    """`{"data": item}`, and what stands beside it."""
    return _object(name, data=ma.fields.Nested(item, allow_none=or_null), **more)


def many(name: str, item: type[Answer], **more: Field) -> type[Answer]:
    """`{"data": [item, ...]}`, and what stands beside it."""
    return _object(name, data=ma.fields.List(ma.fields.Nested(item)), **more)


def _object(name: str, **fields: Field) -> type[Answer]:
    return cast(type[Answer], Answer.from_dict(fields, name=name))


class FieldProblem(Answer):
    """One refused value."""

    field = ma.fields.String(
        metadata={"description": "Where it stands in the request.", "examples": ["subscribers[3].email"]}
    )
    message = ma.fields.String(metadata={"description": "What to send."})


def problems() -> ma.fields.List[Any]:
    return ma.fields.List(ma.fields.Nested(FieldProblem))


class Error(Answer):
    """What every refusal looks like; the header `X-Request-Id` names the request."""

    error = ma.fields.String(metadata={"description": "One sentence: what to do."})
    errors = ma.fields.List(
        ma.fields.Nested(FieldProblem),
        metadata={"description": "The values to correct, where it is about some.", "may_be_absent": True},
    )
