"""The columns of a CSV file of people: what each header means, and which an export has (docs/files.md)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import marshmallow as ma

from schemas import cells
from schemas.custom_fields import field_key
from schemas.subscribers import DATES
from schemas.wire import FormError, Problem

CUSTOM = "fields."  # before a key that would be taken for another column
NOTES = ("row_number", "error_code", "error_message")  # what a file of refused rows has beside its own
EXPORTED = ("uuid", "email", "first_name", "last_name", "tags", *DATES)

NO_EMAIL = (
    "No column is named email: name one so. The command can be told which it is, with --map NAME=email."
)
TWICE = "Two columns have the same name or meaning: give column {number} another name."
BAD_KEY = "Column {number} cannot name a custom field: use letters, digits, or any of _ - . $ in its name."
NO_COLUMN = "A name in --map is no column of the file."


def _tags(cell: str) -> Any:
    """Text where the form splits it in the same way, which is the quickest."""
    return cells.read_tags(cell) if cell[0] in "['" else cell


KNOWN: dict[str, Callable[[str], Any]] = {
    "email": cells.read_text,
    "first_name": cells.read_text,
    "last_name": cells.read_text,
    "tags": _tags,
    "remove_tags": _tags,
    "command": cells.read_text,
    "fields": cells.read_value,
    **dict.fromkeys(DATES, cells.read_text),
}
IGNORED = frozenset(
    {"", "id", "uuid", "type", "site_uuid", "site_id", "cached_tag_ids", "navigation_url", *NOTES}
)


@dataclass(frozen=True, slots=True)
class Column:
    """Where a value stands in a row, what it is, and how its cell is read."""

    index: int
    key: str
    custom: bool
    read: Callable[[str], Any]


def normal(name: str) -> str:
    """`First Name`, `first-name` and `FIRST_NAME` are `first_name`."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def plan(header: Sequence[str], renames: Mapping[str, str]) -> list[Column]:
    """What is read from a row. Raises `FormError`."""
    names = [cells.read_text(name) for name in header]
    renamed = rename(names, renames)
    found = [column for index, name in enumerate(renamed) if (column := _column(index, name))]
    seen: set[tuple[str, bool]] = set()
    for column in found:
        if (column.key, column.custom) in seen:
            raise refusal(TWICE.format(number=column.index + 1))
        seen.add((column.key, column.custom))
    if ("email", False) not in seen:
        raise refusal(NO_EMAIL)
    return found


def rename(names: Iterable[str], renames: Mapping[str, str]) -> list[str]:
    """Names, with those in `renames` (as `normal` has them) replaced. Raises `FormError` on one in vain."""
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
        return Column(index, field_key(name.strip().removeprefix(CUSTOM)), True, cells.read_value)
    except ma.ValidationError as error:
        raise refusal(BAD_KEY.format(number=index + 1)) from error


def column_of(key: str) -> str:
    """The name of the column that has a custom field."""
    taken = normal(key) in KNOWN or normal(key) in IGNORED or key.startswith(CUSTOM)
    return cells.write_text(CUSTOM + key if taken else key)


def refusal(message: str) -> FormError:
    return FormError([Problem("file", message)])
