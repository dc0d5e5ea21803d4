"""A person's values as cells of a CSV file, read and written without loss (docs/files.md).

- Text that a spreadsheet would run as a formula is written behind an apostrophe; reading takes it off again.
- A custom value that is no text is written as JSON. Text is written as it is, but as a JSON string where it
  would read as something else. A number is read as one only where writing it gives the same cell: `007` is
  text.
- An empty cell says nothing.
"""

import json
import re
from typing import Any

import marshmallow as ma

from schemas.tags import trimmed
from schemas.wire import DEEPEST, clean, depth

FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
DEFUSED = re.compile(r"'+[=+\-@\t\r\n]")
JSON_BEGINS = frozenset('"[{-0123456789tf')
WORDS = {"true": True, "false": False}
LONGEST_NUMBER = 32


def read_text(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and DEFUSED.match(cell) else cell


def write_text(text: str) -> str:
    return f"'{text}" if FORMULA.match(text) else text


def defused(cell: str) -> str:
    """A cell that means the same, and is no formula."""
    return write_text(read_text(cell)) if isinstance(read_value(cell), str) else cell


def read_value(cell: str) -> Any:
    """A custom value."""
    first = cell[:1]
    if first not in JSON_BEGINS:
        return read_text(cell)
    if first in "tf":
        return WORDS.get(cell, cell)
    if first in '"[{':
        return _read_json(cell)
    return _read_number(cell)


def write_value(value: Any) -> str:
    if not isinstance(value, str):
        return write_json(value)
    cell = write_text(value)
    return cell if value and read_value(cell) == value else write_json(value)


def write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_tags(cell: str) -> list[str]:
    """Names with commas between, or a JSON array of text."""
    text = read_text(cell)
    names = _read_json(text) if text[:1] == "[" else None
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return trimmed(names)
    return trimmed(text.split(","))


def write_tags(names: list[str]) -> str:
    cell = write_text(",".join(names))
    return cell if read_tags(cell) == names else write_json(names)


def _read_json(cell: str) -> Any:
    """The JSON value in a cell; the cell itself where it is none that can be stored."""
    try:
        value = clean(json.loads(cell))
    except (ValueError, RecursionError, ma.ValidationError):
        return cell
    return value if depth(value) <= DEEPEST else cell


def _read_number(cell: str) -> Any:
    if len(cell) > LONGEST_NUMBER:
        return read_text(cell)
    value = _read_json(cell)
    return value if not isinstance(value, str) and write_json(value) == cell else read_text(cell)
