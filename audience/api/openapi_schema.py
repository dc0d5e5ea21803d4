"""Forms and answers as JSON Schema, by apispec and the attributes of our own fields."""

import inspect
from typing import Any

from apispec.ext.marshmallow.openapi import OpenAPIConverter

from schemas.base import NO_NAME

FURTHER = {"description": "Other keys are custom values."}


class SchemaConverter(OpenAPIConverter):
    """Adds a field's `json_schema` and the form of its `item`s, and a form's docstring and `example`."""

    def field2property(self, field: Any) -> dict[str, Any]:
        json_schema: dict[str, Any] = super().field2property(field) | dict(getattr(field, "json_schema", {}))
        if hasattr(field, "item"):
            json_schema["items"] = self.resolve_nested_schema(field.item)
        return json_schema

    def list2param(self, field: Any, **options: Any) -> dict[str, Any]:
        if hasattr(field, "nested"):
            return {"style": "deepObject", "explode": True, "example": {}}
        return super().list2param(field, **options)

    def schema2jsonschema(self, schema: Any) -> dict[str, Any]:
        json_schema: dict[str, Any] = super().schema2jsonschema(schema)
        json_schema.pop("additionalProperties", None)
        if json_schema["properties"].pop(NO_NAME, None):
            json_schema["additionalProperties"] = FURTHER
        form = schema if isinstance(schema, type) else type(schema)
        if "__doc__" in vars(form) and form.__doc__:
            json_schema["description"] = inspect.cleandoc(form.__doc__)
        if getattr(schema, "example", None):
            json_schema["examples"] = [schema.example]
        return json_schema
