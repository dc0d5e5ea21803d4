"""Files whose first row is not the header: what the first row is, and what the user can do about it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from schemas.formats import csv_values
from schemas.formats.columns import has_email, positions_of
from schemas.formats.meanings import normal
from schemas.formats.readers import DELIMITERS
from schemas.formats.readings import Reading
from schemas.formats.refusals import FileRefused
from schemas.formats.tables import CSV, Table

FIRST_ROWS = 20
MAX_CELL = 1_000  # characters of one that may be a whole header

QUOTED_LINES = (
    "Each line of the file is completely in quotes, so the file has only one column: remove the "
    "outer quotes, or export the file again as CSV."
)
JSON = (
    "The file is JSON, not CSV: give it a name that ends in .json, or the Content-Type application/json. "
    "If it has one object per line, use .jsonl or application/x-ndjson."
)
ABOVE = (
    "Row {row} has an address, but `header_row` names a row below it: correct `header_row`, or remove "
    "the row."
)


def check(table: Table, reading: Reading) -> None:
    """Raises `FileRefused` if it is clear why no column holds addresses.

    Each line is in quotes, the file is JSON, or there is an address above `header_row`.
    """
    _check_above(table, reading)
    if table.kind == CSV and table.headed and not (_address_columns(reading) or has_email(table.names)):
        _check_text(table.names)


def _check_above(table: Table, reading: Reading) -> None:
    """Raises `FileRefused` if a row above the chosen header looks like a subscriber."""
    if table.is_json or not table.headed or (reading.header_row or 1) == 1:
        return
    for row, record in replace(table, headed=False).records():
        if row >= table.header_row:
            return
        if any(csv_values.is_address(table.cell(cell)) for cell in record):
            raise FileRefused(ABOVE.format(row=row))


def _address_columns(reading: Reading) -> list[str]:
    """The columns, by header or position, that the user chose as columns of addresses."""
    return [column for column, what in reading.meanings.items() if normal(what) == "email"]


def _check_text(names: Sequence[str]) -> None:
    """Raises `FileRefused` if each line is in quotes, or the file is JSON."""
    if len(names) == 1 and _in_parts([names[0]]):
        raise FileRefused(QUOTED_LINES)
    if names[0].lstrip().startswith(("[", "{")):
        raise FileRefused(JSON)


def header_row(table: Table, reading: Reading) -> int | None:
    """The number of the row that is probably the header; None if there is no reason to ask.

    There is none if the first row names a column of addresses, the user chose a row, or no other row looks
    like a header. Looks at the first `FIRST_ROWS` rows, up to the first address.
    """
    columns = _address_columns(reading)
    if table.is_json or not table.headed or reading.header_row or _has_column(table.names, columns):
        return None
    above: list[tuple[int, Sequence[str]]] = []
    for row, record in islice(table.records(), FIRST_ROWS):
        cells = [table.cell(cell) for cell in record]
        if any("@" in cell for cell in cells):
            return _below_title(table.names, above, _parts(cells))
        if _has_column(cells, columns) or _in_parts(cells):
            return row
        above.append((row, _parts(cells)))
    return None


def _has_column(cells: Sequence[str], columns: Sequence[str]) -> bool:
    positions = [position for column in columns for position in positions_of(cells, column)]
    return has_email(cells) or any(cells[position - 1].strip() for position in positions)


def _below_title(
    title: Sequence[str], above: Sequence[tuple[int, Sequence[str]]], first_row: Sequence[str]
) -> int | None:
    """The number of the header in a file that begins with the row `title`; None without one.

    `first_row` has the first address; `above` are the rows before it. The header is the first of these with
    more cells than the title, and with a cell above that address.
    """
    position = next(position for position, cell in enumerate(first_row) if "@" in cell)
    width = _count(_parts(title))
    return next(
        (row for row, cells in above if _count(cells) > width and _count(cells[position : position + 1])),
        None,
    )


def _count(cells: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in cells)


def _parts(cells: Sequence[str]) -> Sequence[str]:
    """The cells of a row. A single cell is split at the delimiter that gives the most parts."""
    return cells if len(cells) != 1 else max((cells[0].split(mark) for mark in DELIMITERS), key=len)


def _in_parts(cells: Sequence[str]) -> bool:
    """Whether a cell contains a whole header: split at a delimiter, it has a column of addresses."""
    return any(
        mark in cell and has_email(cell.split(mark))
        for cell in cells
        if len(cell) <= MAX_CELL
        for mark in DELIMITERS
    )
