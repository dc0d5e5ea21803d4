"""Forms and answers as JSON Schema, by apispec and the attributes of the project's own fields."""

import inspect
from typing import Any

from apispec.ext.marshmallow.openapi import OpenAPIConverter

from schemas.base import NO_NAME

FURTHER = {"description": "Other keys are custom values."}


class SchemaConverter(OpenAPIConverter):
    """Converts as apispec does, plus a field's `json_schema`, its `item`s and a form's docstring."""

    def field2property(self, field: Any) -> dict[str, Any]:
        own = dict(getattr(field, "json_schema", {}))
        if "$ref" in own:
            return own
        json_schema: dict[str, Any] = super().field2property(field) | own
        if hasattr(field, "item"):
            json_schema["items"] = self.resolve_nested_schema(field.item)
        json_schema.pop("default", None)  # generators take what has one for required
        if "anyOf" in own:
            json_schema.pop("maxLength", None)  # of the array, not of the text
        if field.allow_none and isinstance(json_schema.get("type"), str):
            json_schema["type"] = [json_schema["type"], "null"]
        return json_schema

    def schema2parameters(self, schema: Any, *, location: str, **options: Any) -> list[dict[str, Any]]:
        """The parameters of a form. Each value of a nested form is one, such as `created_at[gt]`."""
        listed: list[dict[str, Any]] = []
        for parameter in super().schema2parameters(schema, location=location, **options):
            if parameter["schema"].get("type") == "object":
                parameter |= {"style": "deepObject", "explode": True}
            nested = getattr(schema.fields.get(parameter["name"]), "schema", None)
            listed += [
                self._field2parameter(field, name=f"{parameter['name']}[{name}]", location=location)
                for name, field in (nested.fields.items() if nested else ())
            ] or [parameter]
        return listed

    def schema2jsonschema(self, schema: Any) -> dict[str, Any]:
        json_schema: dict[str, Any] = super().schema2jsonschema(schema)
        json_schema.pop("additionalProperties", None)
        if json_schema["properties"].pop(NO_NAME, None):
            json_schema["additionalProperties"] = FURTHER
        form = schema if isinstance(schema, type) else type(schema)
        if "__doc__" in vars(form) and form.__doc__:
            json_schema["description"] = inspect.cleandoc(form.__doc__)
        return json_schema
