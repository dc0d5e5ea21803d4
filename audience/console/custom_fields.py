"""Values of custom fields, as operators type them into a form."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from audience.errors import Refused
from schemas.values import FieldError

Form = Mapping[str, str]
UNKNOWN = "Use one of the forms on this page."
NOT_SAVED = "Nothing was saved: correct the form, and send it again."


@dataclass(frozen=True)
class FieldType:
    """A type of custom field. `read` makes a value from text, or raises `ValueError`; `message` says why."""

    read: Callable[[str], Any]
    message: str = ""  # of what is no such value


def read_number(text: str) -> int | float:
    """Reads a number. Raises `ValueError`."""
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 16 else float(text)


def read_boolean(text: str) -> bool:
    """Reads yes, true, no or false in any case. Raises `ValueError`."""
    if text.casefold() not in ("yes", "true", "no", "false"):
        raise ValueError
    return text.casefold() in ("yes", "true")


def read_list(text: str) -> list[str]:
    """Reads items with commas between them."""
    return [item for item in map(str.strip, text.split(",")) if item]


def read_object(text: str) -> dict[str, Any]:
    """Reads a JSON object. Raises `ValueError`."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError from error
    if not isinstance(value, dict):
        raise ValueError
    return value


FIELD_TYPES = {
    "text": FieldType(str),
    "number": FieldType(read_number, "This is not a number: type a number such as 12 or 3.5."),
    "yes or no": FieldType(read_boolean, "Type yes or no."),
    "list": FieldType(read_list),
    "object": FieldType(read_object, 'Type a JSON object such as {"size": "M"}.'),
}


def read_field(form: Form) -> dict[str, Any]:
    """The `key` and `value` in a form, which also names the value's type. Raises `Refused`."""
    field_type = FIELD_TYPES.get(form.get("type", ""))
    if field_type is None:
        raise Refused(UNKNOWN)
    try:
        return {"key": form.get("key", ""), "value": field_type.read(form.get("value", "").strip())}
    except ValueError as error:
        raise Refused(NOT_SAVED, [FieldError("value", field_type.message)]) from error
