"""Custom values as JSON: read, written and compared, quickly where that is exact."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import orjson

from schemas.values import compact_json

PLAIN = frozenset((str, int, bool, type(None)))  # kinds of values that orjson reads as they are


def json_equal(value: Any, before: Any) -> bool:
    """Whether two values are the same JSON: unlike in Python, 1, 1.0 and true differ."""
    if value is before or value != before or type(value) is str:
        return bool(value == before)
    if type(value) is not type(before) or type(value) in (int, bool):
        return type(value) is type(before)
    return json.dumps(value, sort_keys=True) == json.dumps(before, sort_keys=True)


def read_values(text: str) -> dict[str, Any]:
    """The custom values in a text. orjson reads integers beyond 64 bit as fractions, and no NaN."""
    values: dict[str, Any]
    with suppress(orjson.JSONDecodeError):
        values = orjson.loads(text)
        if _are_plain(values):
            return values
    values = json.loads(text)
    return values


def values_text(values: Mapping[str, Any], before: str) -> str:
    """The text of custom values, of which those that are not new were read from the text `before`."""
    if before == "{}" or _are_plain(values):
        with suppress(TypeError):  # integers beyond 64 bit
            return orjson.dumps(values).decode()
    return compact_json(values)


def _are_plain(values: Mapping[str, Any]) -> bool:
    return all(map(PLAIN.__contains__, map(type, values.values())))
