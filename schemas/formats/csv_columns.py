"""The columns of a CSV file: what each header means, and the columns of an export (docs/files.md)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import marshmallow as ma

from schemas.base import FormError
from schemas.custom_fields import field_key
from schemas.formats import csv_values
from schemas.values import DATES, NAMES, FieldError

CUSTOM = "fields."  # prefix of a key that would otherwise name another column
NOTES = ("row_number", "error_code", "error_message")  # added to a file of refused rows
EXPORTED = ("uuid", "email", *NAMES, "tags", *DATES)

NO_EMAIL = "No column is named email: rename one. On the command line, use --map NAME=email."
TWICE = "Two columns have the same meaning: give column {number} another name."
BAD_KEY = "Column {number} cannot name a custom field: use letters, digits, or any of _ - . $"
NO_COLUMN = "The file has no column with a name in --map: correct the name."


def _tags(cell: str) -> Any:
    """Plain text is left to the form, which splits it in the same way and faster."""
    return csv_values.read_tags(cell) if cell[0] in "['" else cell


KNOWN: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("email", *NAMES, "command", *DATES), csv_values.read_text),
    "tags": _tags,
    "remove_tags": _tags,
    "fields": csv_values.read_value,
}
IGNORED = frozenset(
    {"", "id", "uuid", "type", "site_uuid", "site_id", "cached_tag_ids", "navigation_url", *NOTES}
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column that is imported; `custom` if it is a custom field."""

    index: int
    key: str
    custom: bool
    read: Callable[[str], Any]


def normal(name: str) -> str:
    """`First Name`, `first-name` and `FIRST_NAME` are `first_name`."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def plan(header: Sequence[str], renames: Mapping[str, str]) -> list[Column]:
    """The columns to import. Raises `FormError`."""
    names = [csv_values.read_text(name) for name in header]
    renamed = rename(names, renames)
    columns = [column for index, name in enumerate(renamed) if (column := _column(index, name))]
    seen: set[tuple[str, bool]] = set()
    for column in columns:
        if (column.key, column.custom) in seen:
            raise refusal(TWICE.format(number=column.index + 1))
        seen.add((column.key, column.custom))
    if ("email", False) not in seen:
        raise refusal(NO_EMAIL)
    return columns


def rename(names: Iterable[str], renames: Mapping[str, str]) -> list[str]:
    """Names, with those in `renames` (normalized) replaced. Raises `FormError` unless all of these occur."""
    listed = list(names)
    if not renames.keys() <= {normal(name) for name in listed}:
        raise refusal(NO_COLUMN)
    return [renames.get(normal(name), name) for name in listed]


def _column(index: int, name: str) -> Column | None:
    known = normal(name)
    if known in IGNORED:
        return None
    if known in KNOWN:
        return Column(index, known, False, KNOWN[known])
    try:
        return Column(index, field_key(name.strip().removeprefix(CUSTOM)), True, csv_values.read_value)
    except ma.ValidationError as error:
        raise refusal(BAD_KEY.format(number=index + 1)) from error


def column_of(key: str) -> str:
    """The column name of a custom field."""
    taken = normal(key) in KNOWN or normal(key) in IGNORED or key.startswith(CUSTOM)
    return csv_values.write_text(CUSTOM + key if taken else key)


def refusal(message: str) -> FormError:
    return FormError([FieldError("file", message)])
