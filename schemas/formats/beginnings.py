"""Files whose first row is no header: what stands there in its place, and what to do about it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from schemas.formats import csv_values
from schemas.formats.columns import has_email
from schemas.formats.meanings import normal
from schemas.formats.readers import DELIMITERS
from schemas.formats.readings import Reading
from schemas.formats.refusals import FileRefused
from schemas.formats.tables import CSV, Table

FIRST_ROWS = 20
MAX_CELL = 1_000  # characters of one that may be a whole header

QUOTED_LINES = (
    "Each line of the file is in quotes as a whole, so that it has one column: take the outer quotes off, "
    "or export it again as CSV."
)
JSON = (
    "The file is JSON, not CSV: send it with the Content-Type application/json or, one object on "
    "a line, application/x-ndjson."
)
JSON_COMMAND = "The file is JSON, not CSV: give it a name that ends in .json"
ABOVE = (
    "Row {row} has an address, though header_row names a row below it as the header: correct header_row, or "
    "take that row out."
)
ABOVE_COMMAND = (
    "Row {row} has an address, though --header-row names a row below it as the header: correct it, or take "
    "that row out"
)


def check(table: Table, reading: Reading) -> None:
    """Raises `FileRefused` where it is known why no column holds addresses."""
    _check_above(table, reading)
    is_known = has_email(table.names) or "email" in _chosen(reading)
    if table.kind == CSV and table.headed and not is_known:
        _check_text(table.names)


def _check_above(table: Table, reading: Reading) -> None:
    """Raises `FileRefused` where a row above the header that was named seems to be a subscriber."""
    if table.is_json or not table.headed or (reading.header_row or 1) == 1:
        return
    for row, record in replace(table, headed=False).records():
        if row >= table.header_row:
            return
        if any(_is_address(csv_values.read_address(table.cell(cell))) for cell in record):
            raise FileRefused(ABOVE.format(row=row), ABOVE_COMMAND.format(row=row))


def _is_address(text: str) -> bool:
    return text.count("@") == 1 and "." in text.partition("@")[2] and len(text.split()) == 1


def _chosen(reading: Reading) -> list[str]:
    return [normal(what) for what in reading.meanings.values()]


def _check_text(names: Sequence[str]) -> None:
    if len(names) == 1 and _in_parts([names[0]]):
        raise FileRefused(QUOTED_LINES)
    if names[0].lstrip().startswith(("[", "{")):
        raise FileRefused(JSON, JSON_COMMAND)


def header_row(table: Table, reading: Reading) -> int | None:
    """The row that has a column of addresses, where the first has none and nobody said which one does."""
    is_told = reading.header_row or "email" in _chosen(reading)
    if table.is_json or not table.headed or is_told or has_email(table.names):
        return None
    for row, record in islice(table.records(), FIRST_ROWS):
        cells = [table.cell(cell) for cell in record]
        if any("@" in cell for cell in cells):
            return None
        if has_email(cells) or _in_parts(cells):
            return row
    return None


def _in_parts(cells: Sequence[str]) -> bool:
    """Whether a cell is a header by itself, of other delimiters or in quotes."""
    return any(
        mark in cell and has_email(cell.split(mark))
        for cell in cells
        if len(cell) <= MAX_CELL
        for mark in DELIMITERS
    )
