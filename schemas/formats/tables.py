"""A file opened as a table of rows: its format, the names of its columns, and its records.

Memory is constant: lines, cells and JSON objects have at most `readers.MAX_LENGTH` characters.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, islice
from typing import Any, BinaryIO, TextIO

import marshmallow as ma

from schemas.base import MAX_DEPTH, depth
from schemas.custom_fields import field_key
from schemas.formats import csv_values, encoding_readings, encodings, readers, workbook
from schemas.formats.columns import Column, has_email
from schemas.formats.encoding_readings import Readings
from schemas.formats.meanings import NOTES
from schemas.formats.readings import Reading
from schemas.formats.refusals import FileRefused
from schemas.formats.workbook import Workbook
from schemas.values import compact_json

CSV, XLSX, ZIP, JSON_LINES, JSON_ARRAY = "csv", "xlsx", "zip", "jsonl", "json"
MAX_NAMES = 10_000
IMPORT, SKIP = "import", "skip"  # what becomes of hidden rows of a workbook

TOO_MANY = (
    f"The file has more than {MAX_NAMES:,} columns or keys: put custom values into the object `fields`."
)
ONE_LINE = (
    "The file is a single line with an address in it, so its line ends were lost on the way. curl's "
    "-d removes them (--data-binary does not). Send `header=0` and `map[NUMBER]=email` only if that line is "
    "a subscriber."
)
EMPTY = "The file is empty: it needs a header row, or JSON objects."

Run = Callable[..., Any]  # of a function in a child process (`audience.protocols.ChildProcess`)


@dataclass(frozen=True)
class Table:
    """A file as a table. `names` are its headers, positions without a header row, or keys of JSON objects.

    If the encoding must be asked, `readings` has the first cells in each likely encoding. The header is in
    the row `header_row`, or in the next row that is not blank.

    `book` describes a workbook. In the columns at the positions `filled`, each row of cells that are merged
    downwards has their value.
    """

    kind: str
    encoding: str
    delimiter: str | None
    headed: bool
    names: list[str]
    binary: BinaryIO
    sheet: str | None = None
    sheets: Sequence[str] = ()
    readings: Readings | None = None
    header_row: int = 1
    book: Workbook | None = None
    filled: Collection[int] = ()

    @property
    def is_json(self) -> bool:
        return self.kind in (JSON_LINES, JSON_ARRAY)

    def records(self) -> Iterator[tuple[int, Any]]:
        """Yields the rows that are not blank: (number, list of cells or JSON value).

        Raises `FormError` if the rest of the file cannot be read.
        """
        if self.kind in (XLSX, ZIP):
            yield from self._below(self._fill_merged(readers.sheet_records(self.binary)))
            return
        with encodings.reading(self.binary, self.encoding) as text:
            if self.kind == CSV:
                yield from self._below(readers.records(text, self.delimiter or ","))
            else:
                yield from _json_lines(text) if self.kind == JSON_LINES else enumerate(readers.array(text), 1)

    def ends_with_line_break(self) -> bool:
        self.binary.seek(0, os.SEEK_END)
        self.binary.seek(-min(self.binary.tell(), 2), os.SEEK_END)
        return self.binary.read().strip(b"\0")[-1:] in (b"\n", b"\r")

    def _below(self, records: Iterator[tuple[int, list[Any]]]) -> Iterator[tuple[int, list[Any]]]:
        """Yields the records below the header that are not blank."""
        if self.headed:
            records = dropwhile(lambda area: area[0] < self.header_row, records)
            next(records, None)
        if self.kind == CSV:
            records = ((number, list(map(csv_values.unwrap_formula, record))) for number, record in records)
        return ((number, record) for number, record in records if any(cell != "" for cell in record))

    def _fill_merged(self, records: Iterator[tuple[int, list[Any]]]) -> Iterator[tuple[int, list[Any]]]:
        """Yields a workbook's records. In the columns `filled`, all rows of a merged cell have its value."""
        merged = sorted(self.book.merged if self.book else (), key=lambda area: -area[1])
        waiting = {position: [area for area in merged if area[0] == position] for position in self.filled}
        for number, cells in records:
            for position, ranges in waiting.items():
                while len(ranges) > 1 and ranges[-2][1] <= number:
                    ranges.pop()
                if ranges and ranges[-1][1] < number <= ranges[-1][2]:
                    cells += [""] * (position - len(cells))
                    cells[position - 1] = cells[position - 1] or ranges[-1][3]
            yield number, cells

    def cell_of(self, record: Any, column: Column) -> str:
        """The text of a record's cell in a column; "" without such a cell."""
        if not self.is_json:
            return self.cell(record[column.position - 1]) if column.position <= len(record) else ""
        return self.cell(record.get(column.name)) if is_object(record) else ""

    def cells(self, record: Any) -> Iterable[tuple[str | int, Any]]:
        """The cells of a record, each with its position or, in JSON, its key."""
        if not self.is_json:
            return enumerate(record, 1)
        return record.items() if is_object(record) else ()

    def cell(self, value: Any) -> str:
        """The text of a value in a cell: JSON unless it is text; "" for None."""
        if isinstance(value, str):
            return value
        return "" if value is None else compact_json(value)

    def custom_value(self, value: Any) -> Any:
        """The custom value in a cell. Numbers are read from text only in CSV, where all cells are text."""
        return csv_values.read_value(value) if self.kind == CSV else csv_values.read_typed(value)


def open_table(
    binary: BinaryIO,
    kind: str | None,
    reading: Reading,
    run: Run | None = None,
    unpacked: BinaryIO | None = None,
) -> Table:
    """Opens a file as a table. Detects encoding, delimiter, column names and, unless given, the `kind`.

    A child process unpacks a workbook into `unpacked`, to be read from there. While the encoding must be
    asked, the likeliest is used. Raises `FormError`.
    """
    if run and unpacked and encodings.is_zip(binary):
        return _workbook(binary, reading, run, unpacked)
    encoding = encodings.encoding(binary, reading.encoding)
    readings = None if encoding else encoding_readings.likely(binary)
    encoding = encoding or next(iter(readings or ()), encoding_readings.ANY)
    return replace(_text(binary, None if kind == XLSX else kind, encoding, reading), readings=readings)


def _text(binary: BinaryIO, kind: str | None, encoding: str, reading: Reading) -> Table:
    """The table of a text file. Detects the kind unless given. Raises `FileRefused`."""
    with encodings.reading(binary, encoding) as text:
        start = text.read(readers.SAMPLE_LENGTH).lstrip()
    if not start and kind != JSON_LINES:
        raise FileRefused(EMPTY)
    if start[:8].lower().startswith(encodings.PAGE_BEGINS):
        raise FileRefused(encodings.PAGE)
    kind = kind or {"[": JSON_ARRAY, "{": JSON_LINES}.get(start[0], CSV)
    if kind == JSON_LINES and start.startswith("["):
        kind = JSON_ARRAY
    if kind == CSV:
        return _csv(binary, encoding, reading.headed, reading.header_row or 1)
    table = Table(kind, encoding, None, True, [], binary)
    table.names.extend(islice(_keys(table), MAX_NAMES + 1))
    return _require_columns(table)


def _require_columns(table: Table) -> Table:
    """Returns the table. Raises `FileRefused` if it has no column, or too many."""
    if len(table.names) > MAX_NAMES:
        raise FileRefused(TOO_MANY)
    if not table.names and not table.is_json:
        raise FileRefused(EMPTY)
    return table


def _workbook(binary: BinaryIO, reading: Reading, run: Run, unpacked: BinaryIO) -> Table:
    book = workbook.unpack(run, binary, unpacked, reading.sheet, reading.hidden_rows == SKIP)
    kind = XLSX if book.sheets else ZIP
    table = Table(
        kind, "utf-8", None, reading.headed, [], unpacked, book.sheet or None, book.sheets, book=book
    )
    return at_row(table, reading.header_row or 1)


def at_row(table: Table, row: int) -> Table:
    """The table with its header in the row `row`. The file must not be JSON. Raises `FileRefused`."""
    if table.kind == CSV:
        return replace(_csv(table.binary, table.encoding, table.headed, row), readings=table.readings)
    first = next((cells for number, cells in readers.sheet_records(table.binary) if number >= row), [])
    names = _names(
        [value if isinstance(value, str) else compact_json(value) for value in first], table.headed
    )
    return _require_columns(replace(table, names=names, header_row=row))


def _csv(binary: BinaryIO, encoding: str, headed: bool, row: int) -> Table:
    """The table of a CSV file with its header in the row `row`.

    Raises `FileRefused` if it has no columns, or its only line seems to have lost line ends.
    """
    marks = readers.delimiters(binary, encoding)
    candidates = [(mark, readers.header(binary, encoding, mark, row)) for mark in marks]
    delimiter, first = max(
        candidates, key=lambda pair: (headed and has_email(pair[1][:MAX_NAMES]), len(pair[1]))
    )
    table = _require_columns(
        Table(CSV, encoding, delimiter, headed, _names(first, headed), binary, header_row=row)
    )
    if headed and has_email(first) and any(map(csv_values.is_address, first)) and not any(table.records()):
        raise FileRefused(ONE_LINE)
    return table


def _names(first: Sequence[str], headed: bool) -> list[str]:
    return (
        [csv_values.read_text(csv_values.unwrap_formula(name)) for name in first]
        if headed
        else [str(position) for position in range(1, len(first) + 1)]
    )


def _json_lines(text: TextIO) -> Iterator[tuple[int, Any]]:
    """Yields the lines that are not blank: (number, JSON value or text of the line)."""
    objects, value = readers.Objects(), None
    for number, line in enumerate(readers.lines(text), 1):
        line_text = line.strip(" \t\r\n")
        try:
            value, end = objects.read(line_text, 0)
        except (ValueError, RecursionError):
            end = 0
        if line.strip():
            yield number, value if end == len(line_text) else line_text


def _keys(table: Table) -> Iterator[str]:
    """Yields the keys of all JSON objects, each once, except those that cannot name a custom field."""
    keys: set[str] = set(NOTES)
    for _, value in table.records():
        for key in value if is_object(value) else ():
            if key not in keys and _can_name(key):
                keys.add(key)
                yield key


def is_object(value: Any) -> bool:
    return isinstance(value, dict) and not isinstance(value, readers.Unclear) and depth(value) <= MAX_DEPTH


def _can_name(key: str) -> bool:
    try:
        return bool(field_key(key))
    except ma.ValidationError:
        return False
