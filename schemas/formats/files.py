"""Importing files of subscribers: opened, looked through, read row by row and checked (docs/files.md).

The file is looked through before a row of it is read, so that nothing of a file that is refused is applied.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from schemas.base import FormError, load
from schemas.formats import csv_values, dates, presets, tables
from schemas.formats.columns import Column, plan
from schemas.formats.consent import ConsentColumn, FieldColumn
from schemas.formats.consent_words import ConsentWord, word_of
from schemas.formats.meanings import CONSENTS, EXPORTED
from schemas.formats.presets import PRESETS, Preset
from schemas.formats.refusals import FileRefused, quoted
from schemas.formats.rows import FileRow, Rows
from schemas.formats.tables import Run, Table
from schemas.imports import ImportItem, plain_item
from schemas.values import DATES, KnownPeople, compact_json

NO_ORDER = (
    "The dates of a column may have the day or the month first: send dates=dmy or dates=mdy. "
    "`columns` names the column."
)
NO_ORDER_COMMAND = (
    "The dates in column {column} may have the day or the month first: say which with --dates dmy "
    "or --dates mdy"
)
NO_ADDRESS = "The row has no address."
FOLLOWED_ROWS = 10_000
OTHER = "The columns are those of {}, not of {}: is --from right?"

Check = Callable[[str], Any]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a file is meant, where it does not say so itself: options of the command line, or parameters.

    `meanings` are by header or place; `tags` are for everyone, and so is that they have left, if `left`.
    `known` is what may be changed of people who are known.
    """

    meanings: Mapping[str, str] = field(default_factory=dict)
    preset: str | None = None
    sheet: str | None = None
    tags: Sequence[str] = ()
    left: bool = False
    headed: bool = True
    dates: str | None = None
    known: str = KnownPeople.MERGE


@dataclass(frozen=True)
class File:
    """A file that was looked through; the `columns` of JSON grow with its refused rows."""

    table: Table
    plan: list[Column]
    orders: Mapping[int, str]
    preset: Preset | None
    reading: Reading
    columns: list[str]

    @property
    def kind(self) -> str:
        return self.table.kind

    @property
    def advice(self) -> list[str]:
        """What to tell about the program's files, in sentences for the command line."""
        if self.preset is None:
            return []
        seen = presets.recognised(self.table.names)
        wrong = [] if seen in (None, self.preset) else [OTHER.format(seen.program, self.preset.program)]
        return [*wrong, *filter(None, [self.preset.advice_for(self.reading.left)])]

    @property
    def binary(self) -> BinaryIO:
        return self.table.binary

    def rows(self, check: Check) -> Generator[FileRow, None, None]:
        """The rows that are not blank; `check` raises `ValueError` on a malformed address.

        Raises `FormError` when the rest of the file cannot be read.
        """
        rows = Rows(self.table, self.plan, self.orders)
        for number, record in self.table.records():
            row = rows.row(number, record)
            _check_row(row, check)
            if row.item is None:
                row.cells = self._cells(row.raw)
            else:
                _add_from_file(row, row.item, self.reading)
            yield row

    def _cells(self, value: Any) -> list[str]:
        if not self.table.is_json:
            return [self.table.cell(each) for each in value]
        values = value if isinstance(value, dict) else {"line": value}
        known = set(self.columns)
        self.columns.extend(key for key in values if key not in known)
        return [cell_text(values.get(column)) for column in self.columns]


def inspect(
    binary: BinaryIO,
    reading: Reading,
    kind: str | None = None,
    run: Run | None = None,
    unpacked: BinaryIO | None = None,
) -> File:
    """Opens a file and looks through all of it. Raises `FormError`.

    Detects the kind unless it is passed. A workbook is read by a child process, started by `run`, which
    writes its rows to the file `unpacked`.
    """
    return understood(tables.opened(binary, kind, reading.headed, run, unpacked, reading.sheet), reading)


def understood(table: Table, reading: Reading, follow: Callable[[int], object] = bool) -> File:
    """Looks through all of an open file, telling `follow` the rows so far. Raises `FormError`."""
    preset, columns = planned(table, reading)
    orders = look_through(table, columns, reading, follow)
    return File(table, columns, orders, preset, reading, [] if table.is_json else list(table.names))


def planned(table: Table, reading: Reading) -> tuple[Preset | None, list[Column]]:
    """The program whose file it is, if that is known, and what the columns mean. Raises `FormError`."""
    preset = PRESETS[reading.preset] if reading.preset else presets.recognised(table.names)
    return preset, plan(table.names, reading.meanings, preset, reading.headed, repeats=table.is_json)


def look_through(
    table: Table, columns: Sequence[Column], reading: Reading, follow: Callable[[int], object]
) -> dict[int, str]:
    """Reads all cells of consent, of dates and of unknown names: settles which columns are consent, and
    returns the orders.

    Raises `FileRefused` if words of consent or the order of dates are not understood.
    """
    consents = [ConsentColumn(column) for column in columns if column.meaning in CONSENTS]
    fields = _unknown(table, columns, reading)
    dated = [(column, dates.DateOrder()) for column in columns if column.meaning in (*DATES, "unsubscribed")]
    if consents or dated or fields:
        for number, (_, record) in enumerate(table.records(), 1):
            if number % FOLLOWED_ROWS == 0:
                follow(number)
            _see_consents(table, number, record, consents)
            for column, seen in dated:
                if (cell := table.cell_of(record, column).strip()) and word_of(cell) is None:
                    seen.see(cell)
            if fields:
                _see_fields(table, record, fields)
    for consent in consents:
        consent.settle()
    for unknown in fields.values():
        unknown.settle()
    return {column.place: reading.dates or _order(column, seen) for column, seen in dated}


def _unknown(table: Table, columns: Sequence[Column], reading: Reading) -> dict[str | int, FieldColumn]:
    """The columns that may say who has left, as `Table.cells` names them; none where everybody has, and none
    of our own export."""
    if reading.left or set(EXPORTED) <= set(table.names):
        return {}
    watched = [column for column in columns if column.is_watched]
    return {column.name if table.is_json else column.place: FieldColumn(column) for column in watched}


def _see_consents(table: Table, number: int, record: Any, consents: Sequence[ConsentColumn]) -> None:
    for each in consents:
        cell = table.cell_of(record, each.column).strip()
        if not csv_values.says_nothing(cell):
            each.see(number, cell)


def _see_fields(table: Table, record: Any, fields: Mapping[str | int, FieldColumn]) -> None:
    for place, value in table.cells(record):
        if place in fields and (cell := table.cell(value).strip()):
            fields[place].see(cell)


def _order(column: Column, seen: dates.DateOrder) -> str:
    order = seen.order()
    if order is None:
        raise FileRefused(
            NO_ORDER, NO_ORDER_COMMAND.format(column=quoted([column.name])), columns=[column.name]
        )
    return order


FORM = ImportItem()


def _check_row(row: FileRow, check: Check) -> None:
    """Validates a row, and refuses it on an error."""
    if row.item is None:
        return
    try:
        item = plain_item(row.item) or load(FORM, row.item)
        check(item["email"])
        row.item = item
        _add_dates(row, item)
    except FormError as error:
        refused = error.problems[0].field.partition(".")[0] or "row"
        if refused == "email" and not row.email.strip():
            row.refuse("missing_email", NO_ADDRESS)
            return
        message = "; ".join(f"{problem.field}: {problem.message}" for problem in error.problems)
        row.refuse(f"invalid_{refused}", message)
    except ValueError as error:
        row.refuse("invalid_email", str(error))


def _add_dates(row: FileRow, item: dict[str, Any]) -> None:
    """The latest of several that are one date; refuses a row with one that cannot be read."""
    found: dict[str, int] = {}
    for name, cells in row.dates.items():
        for cell, order, place in cells:
            try:
                at = dates.read_date(cell, order)
            except ValueError:
                row.refuse(f"invalid_{name}", f"{name} (column {place}): {dates.FILE_DATE}")
                return
            found[name] = max(at, found.get(name, at))
    item |= found


def _add_from_file(row: FileRow, item: dict[str, Any], reading: Reading) -> None:
    """Adds what the columns of consent say, and what was said of everyone in the file."""
    if reading.left:
        item["command"] = "unsubscribe"
    elif ConsentWord.LEFT in row.said:
        item.setdefault("command", "unsubscribe")
    elif ConsentWord.NOT_YET in row.said and "unsubscribed_at" not in item:
        item["unconfirmed"] = True
    if reading.tags:
        item["tags"] = [*item.get("tags", ()), *reading.tags]
    if reading.known != KnownPeople.MERGE:
        item["known"] = reading.known


def cell_text(value: Any) -> str:
    """A JSON value as the text of a cell."""
    if value is None:
        return ""
    return value if isinstance(value, str) else compact_json(value)
