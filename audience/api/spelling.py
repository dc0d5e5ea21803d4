"""Forms and answers as JSON Schema: by apispec, and our own fields by what they say of themselves."""

import inspect
from typing import Any

from apispec.ext.marshmallow.openapi import OpenAPIConverter

from schemas.wire import NO_NAME

FURTHER = {"description": "Further keys are custom values."}


class Speller(OpenAPIConverter):
    """A field's `spelled` is its JSON Schema, its `item` the form of its items; a form's docstring describes
    it, and its `example` shows it."""

    def field2property(self, field: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().field2property(field) | dict(getattr(field, "spelled", {}))
        if hasattr(field, "item"):
            found["items"] = self.resolve_nested_schema(field.item)
        return found

    def list2param(self, field: Any, **options: Any) -> dict[str, Any]:
        if hasattr(field, "nested"):
            return {"style": "deepObject", "explode": True, "example": {}}
        return super().list2param(field, **options)

    def schema2jsonschema(self, schema: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().schema2jsonschema(schema)
        found.pop("additionalProperties", None)
        if found["properties"].pop(NO_NAME, None):
            found["additionalProperties"] = FURTHER
        form = schema if isinstance(schema, type) else type(schema)
        if "__doc__" in vars(form) and form.__doc__:
            found["description"] = inspect.cleandoc(form.__doc__)
        if getattr(schema, "example", None):
            found["examples"] = [schema.example]
        return found
