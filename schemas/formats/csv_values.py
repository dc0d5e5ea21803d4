"""Values as cells of a CSV file, written and read without loss (docs/files.md).

- An apostrophe precedes text that a spreadsheet would run as a formula; reading removes it.
- A custom value other than text is written as JSON; so is text that would otherwise be read as JSON.
- A number is read as such only if writing it gives the same cell: `007` is text.
- An empty cell has no value.
"""

import csv
import json
import re
import unicodedata
from typing import Any

import marshmallow as ma

from schemas.base import MAX_DEPTH, clean, depth
from schemas.tags import trim_names
from schemas.values import compact_json

FORMULA = re.compile("'*[=+\\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")  # the full-width ones count as well
DEFUSED = re.compile("'+[=+\\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")
JSON_BEGINS = frozenset('"[{-0123456789tf')
WORDS = {"true": True, "false": False}
MAX_NUMBER_LENGTH = 32
COMMA, GOOGLE = ",", ":::"  # between tags
MAILTO = "mailto:"
LIST_MARKS = ";,. \t"
QUOTES = frozenset({'""', "''", "``", "\u201c\u201d", "\u201e\u201c", "\u2018\u2019", "\xab\xbb"})
FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
FULL_WIDTH_AT, SMALL_AT = "\uff20", "\ufe6b"
BETWEEN = str.maketrans(dict.fromkeys(',;:|/<>()[]{}"', " "))  # addresses in a cell
NOTHING = frozenset(
    {
        "null", "\\n", "0000-00-00", "0000-00-00 00:00:00",  # as MySQL writes it
        "0001-01-01", "0001-01-01 00:00:00", "0001-01-01t00:00:00z", "0001-01-01 00:00:00 +0000 utc",  # as Go
    }
)  # fmt: skip


def read_text(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and DEFUSED.match(cell) else cell


def has_no_value(cell: str) -> bool:
    """Whether a cell has no value: it is blank, or a database's mark of a missing value."""
    text = cell.strip()
    return not text or (len(text) <= MAX_NUMBER_LENGTH and text.partition(".")[0].lower() in NOTHING)


def is_no_date(cell: str) -> bool:
    """Whether a cell has no date: it is blank, a database's mark of a missing value, or 0."""
    return has_no_value(cell) or cell.strip() == "0"


def strip(text: str) -> str:
    """The text without blanks and invisible characters (category Cf, such as U+200B) at its ends."""
    text = text.strip()
    if text.isascii():
        return text
    start, end = 0, len(text)
    while start < end and _is_invisible(text[start]):
        start += 1
    while end > start and _is_invisible(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_invisible(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) == "Cf"


def unwrap_formula(cell: str) -> str:
    """The text in a cell such as `="00501"`, which spreadsheets leave unchanged; other cells as they are."""
    if not (cell.startswith('="') and cell.endswith('"')):
        return cell
    inner = cell[2:-1]
    return cell if '"' in inner or len(cell) == len('="') else inner


def read_address(cell: str) -> str:
    """The address in a cell, which may also be `Name <a@example.com>`, `mailto:a@example.com` or quoted.

    List marks such as commas at its end are removed, and full-width letters become plain. Any other cell is
    only stripped.
    """
    text = unwrap_formula(strip(cell))
    text = _bare(read_text(text if text.isascii() else text.translate(FULL_WIDTH)))
    _, bracket, inner = text.rpartition("<")
    if bracket and inner.endswith(">") and "@" in inner:
        text = strip(inner[:-1])
    if text[: len(MAILTO)].lower() == MAILTO:
        text = text[len(MAILTO) :].partition("?")[0]
    return _bare(text)


def _bare(text: str) -> str:
    """The text without list marks at its end, and without quotes around it."""
    text = strip(strip(text).rstrip(LIST_MARKS))
    return strip(text[1:-1]) if text[:1] + text[-1:] in QUOTES and len(text) > 1 else text


def addresses_in(cell: str) -> set[str]:
    """The addresses, in lower case, in a cell that looks like several; empty for at most one @."""
    if cell.count("@") + cell.count(FULL_WIDTH_AT) < 2:
        return set()
    words = (word.partition("?")[0] for word in cell.translate(FULL_WIDTH).translate(BETWEEN).lower().split())
    return {word for word in words if "@" in word[1:-1]}


def is_address(cell: str) -> bool:
    """Whether a cell is certainly one address, and no header: with one @, a dot in the domain, no blank."""
    text = read_address(cell)
    return text.count("@") == 1 and "." in text.partition("@")[2] and len(text.split()) == 1


def is_like_address(cell: str) -> bool:
    """Whether a cell may be exactly one address. An import refuses a row whose address cell is not."""
    if len(addresses_in(cell)) > 1:
        return False
    before, at, behind = cell.replace(FULL_WIDTH_AT, "@").replace(SMALL_AT, "@").partition("@")
    return bool(at and before.strip() and behind.strip())


def write_text(text: str) -> str:
    return f"'{text}" if FORMULA.match(text) else text


def defuse(cell: str) -> str:
    """The cell in a form that no spreadsheet runs as a formula, and that an import reads as the same."""
    return write_text(read_text(cell)) if isinstance(read_value(cell), str) else cell


def read_value(cell: str) -> Any:
    """The custom value in a CSV cell, which is a number or JSON if it is spelled so."""
    first = cell[:1]
    if first not in JSON_BEGINS:
        return read_text(cell)
    if first in "tf":
        return WORDS.get(cell, cell)
    if first in '"[{':
        return _read_json(cell)
    return _read_number(cell)


def read_typed(value: Any) -> Any:
    """The custom value in a typed cell, as in a workbook: a text such as `12` stays text.

    Only JSON objects, arrays and quoted texts are read as JSON.
    """
    if not isinstance(value, str):
        return value
    return _read_json(value) if value.startswith(('"', "[", "{")) else read_text(value)


def write_value(value: Any) -> str:
    if not isinstance(value, str):
        return compact_json(value)
    cell = write_text(value)
    return cell if value and read_value(cell) == value else compact_json(value)


def read_tags(cell: str, separator: str = COMMA) -> list[str]:
    """The tags in a cell: names between commas, perhaps in double quotes, or a JSON array of text.

    `separator` has the marks used in place of the comma. With `:::`, as in Google's files, names given by
    Google begin with `*`.
    """
    text = read_text(strip(cell))
    names = _read_json(text) if text[:1] == "[" else None
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return trim_names(names)
    if separator == GOOGLE:
        return trim_names([name.strip().removeprefix("* ") for name in text.split(GOOGLE)])
    mark = separator[0]
    text = text.translate(dict.fromkeys(map(ord, separator), mark))
    return trim_names(_quoted_names(text, mark) if '"' in text else text.split(mark))


def _quoted_names(text: str, mark: str) -> list[str]:
    """The names in a cell with quotes. Quotes that do not enclose a whole name belong to it."""
    try:
        return next(csv.reader([text], delimiter=mark, skipinitialspace=True, strict=True), [])
    except csv.Error:
        return text.split(mark)


def write_tags(names: list[str]) -> str:
    cell = write_text(",".join(names))
    return cell if read_tags(cell) == names else compact_json(names)


def _read_json(cell: str) -> Any:
    """The JSON value in a cell; the cell itself if it is no JSON, or cannot be stored."""
    try:
        value = clean(json.loads(cell))
    except (ValueError, RecursionError, ma.ValidationError):
        return cell
    return value if depth(value) <= MAX_DEPTH else cell


def _read_number(cell: str) -> Any:
    if len(cell) > MAX_NUMBER_LENGTH:
        return read_text(cell)
    value = _read_json(cell)
    return value if not isinstance(value, str) and compact_json(value) == cell else read_text(cell)
