"""JSON merge patches (RFC 7396): what is sent is set, null is removed, and the rest stays."""

from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import REQUIRED, JsonSchema, RequestSchema, as_object, clean, describe


class Patch(ma.fields.Field[dict[str, Any]]):
    """A merge patch with its nulls. Keys that `form` lacks are dropped; the caller validates the result by
    `form`.
    """

    json_schema: ClassVar[JsonSchema] = {"type": "object", "additionalProperties": True}
    default_error_messages = {"required": REQUIRED, "null": REQUIRED}  # noqa: RUF012 - marshmallow's own interface

    def __init__(self, form: type[RequestSchema]) -> None:
        description = (
            "A JSON merge patch of the body of PUT: null removes a value, and values that you leave out stay."
        )
        super().__init__(required=True, **describe(description))
        self._keys = form().keys

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        patch: dict[str, Any] = clean(as_object(value))
        return {key: item for key, item in patch.items() if key in self._keys}
