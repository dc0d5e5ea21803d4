"""Whole numbers in requests, within bounds."""

from typing import Any

import marshmallow as ma

from schemas.base import JsonSchema
from schemas.codes import Code, Sentence
from schemas.values import trim

WHOLE = Sentence(Code.OUT_OF_RANGE, "Send a whole number from 1 to {}.")


class BoundedNumber(ma.fields.Field[int]):
    """A whole number within bounds, as a number or as text."""

    def __init__(self, least: int, most: int, message: str, **options: Any) -> None:
        super().__init__(**options)
        self.least, self.most, self.message = least, most, message
        self.json_schema: JsonSchema = {"type": "integer", "minimum": least, "maximum": most}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        text = trim(str(value)) if type(value) in (int, str) else ""
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 17 else -1
        if not self.least <= number <= self.most:
            raise ma.ValidationError(self.message)
        return number


def number_up_to(most: int, **options: Any) -> BoundedNumber:
    return BoundedNumber(1, most, WHOLE.format(most), **options)
