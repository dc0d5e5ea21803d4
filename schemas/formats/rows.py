"""Rows of a file as items to import: each cell by what its column means."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from schemas.base import MAX_DEPTH
from schemas.formats import csv_values, readers
from schemas.formats.columns import Column
from schemas.formats.consent import COMMAND, IN_COMMAND, ConsentColumn, comparable
from schemas.formats.date_columns import FIELD, DateReading
from schemas.formats.meanings import CONSENT, NOTES, field_meaning
from schemas.formats.meanings import FIELD as MEANS_FIELD
from schemas.formats.presets import IGNORE
from schemas.formats.reasons import Because
from schemas.formats.tables import CSV, Table, is_object
from schemas.values import DATES, NAMES, SUBSCRIBED, UNSUBSCRIBED

RAGGED = "The row has more cells than the header: put quotes around cells that contain the delimiter."
TWO_ADDRESSES = "The cell has two addresses: keep one, and put the other into a separate row."
TAGS = ("tags", "remove_tags")
NOT_AN_OBJECT = f"Write one JSON object, at most {MAX_DEPTH} levels deep, on a line."


@dataclass(slots=True)
class FileRow:
    """A row of a file: the `item` to import, or the `code` and `message` of the error that refuses it.

    `row_number` counts rows of a spreadsheet (the header is row 1), lines of JSON lines, or objects of a JSON
    array. `raw` is the row as it was read.

    `states` has the states in the columns of consent, `dates` the latest instant of each date in
    milliseconds, `custom` the values of columns that are custom fields. A refused row has its unchanged
    `cells`, in the order of the columns for refused rows.
    """

    row_number: int
    raw: Any
    email: str = ""
    item: dict[str, Any] | None = None
    code: str = ""
    message: str = ""
    cells: list[str] = field(default_factory=list)
    states: set[str] = field(default_factory=set)
    dates: dict[str, int] = field(default_factory=dict)
    custom: dict[str, Any] = field(default_factory=dict)

    def refuse(self, code: str, message: str) -> None:
        self.item, self.code, self.message = None, code, message


class Rows:
    """Makes a `FileRow` from each record of a table."""

    def __init__(
        self,
        table: Table,
        columns: Sequence[Column],
        dates: DateReading,
        consents: Sequence[ConsentColumn],
        tag_separator: str | None,
    ) -> None:
        self.table = table
        self.consents = consents
        consent_positions = {
            consent.column.position for consent in consents if consent.column.meaning == COMMAND
        }
        unused = [
            column
            for column in columns
            if column.meaning in (IGNORE, CONSENT) or column.position in consent_positions
        ]
        self.columns = [column for column in columns if column not in unused]
        self.ignored = {column.name for column in unused} | {*NOTES}
        standard = (column for column in self.columns if column.reason not in (Because.CUSTOM, Because.KEPT))
        self.by_name = {column.name: column for column in standard}
        self.dates = dates
        tags = partial(csv_values.read_tags, separator=tag_separator or csv_values.COMMA)
        self.readers = READERS | dict.fromkeys(TAGS, tags)
        self.json_readers = JSON_READERS | (dict.fromkeys(TAGS, tags) if tag_separator else {})

    def row(self, number: int, record: Any) -> FileRow:
        row = self._from_object(number, record) if self.table.is_json else self._from_cells(number, record)
        if row.item is not None:
            self._add_consent(row, record)
        return row

    def _add_consent(self, row: FileRow, record: Any) -> None:
        """Adds the states in the columns of consent to a row, and `unsubscribed_at`, the latest date of an
        unsubscribe.

        `subscribe` in our own column `command` becomes that command, unless the user gave it another meaning.
        """
        for consent in self.consents:
            cell = self.table.cell_of(record, consent.column)
            state = consent.state(cell)
            is_dated = state == UNSUBSCRIBED and consent.is_dated(cell)
            at = self.dates.read(consent.column.position, cell.strip()) if is_dated else None
            if at is not None:
                row.dates["unsubscribed_at"] = max(at, row.dates.get("unsubscribed_at", at))
            elif state:
                row.states.add(state)
            is_command = consent.column.meaning == COMMAND and comparable(cell) == IN_COMMAND
            if is_command and state == SUBSCRIBED and row.item is not None:
                row.item[COMMAND] = IN_COMMAND

    def _from_cells(self, number: int, record: list[Any]) -> FileRow:
        """A row of CSV or a workbook, without its consent; refused with a NUL or too many cells."""
        row = FileRow(number, record, item={})
        for column in self.columns:
            if column.position > len(record):
                break
            cell = record[column.position - 1]
            if cell == "":
                continue
            if column.key is not None:
                row.custom[column.key] = self.table.custom_value(cell)
            else:
                self._put(row, column, self.table.cell(cell), self.readers)
        _complete(row)
        if _has_extra_cells(self.table, record):
            row.refuse("ragged_row", RAGGED)
        elif self.table.kind == CSV and readers.has_nul(record):
            row.refuse(readers.NUL_CODE, readers.NUL)
        return row

    def _from_object(self, number: int, value: Any) -> FileRow:
        """A row of JSON, without its consent. Refuses it if it is no object, nested too deep, or can be read
        in two ways.

        Keys that are no columns are passed on as they are.
        """
        item: dict[str, Any] = {}
        row = FileRow(number, value, item=item)
        if isinstance(value, readers.Unclear):
            addresses = (value.get(column.name) for column in self.columns if column.meaning == "email")
            row.email = next((address for address in addresses if isinstance(address, str)), "")
            row.refuse(value.code, value.message)
            return row
        if not is_object(value):
            row.refuse("invalid_json", NOT_AN_OBJECT)
            return row
        for key, cell in value.items():
            column = self.by_name.get(key)
            if column is None and key not in self.ignored:
                item[key] = cell
            elif column is not None and cell is not None and cell != "":
                self._put_json(row, column, cell)
        _complete(row)
        return row

    def _put_json(self, row: FileRow, column: Column, value: Any) -> None:
        if column.key is not None:
            row.custom[column.key] = value
        elif isinstance(value, str) or column.meaning in DATES:
            self._put(row, column, self.table.cell(value), self.json_readers)
        elif row.item is not None:
            row.item[column.meaning] = value

    def _put(
        self, row: FileRow, column: Column, cell: str, readers: Mapping[str, Callable[[str], Any]]
    ) -> None:
        """Adds the cell of a column that is no custom field, read by the reader of its meaning.

        Refuses the row if the cell has two addresses. A blank date or command adds nothing.
        """
        meaning = column.meaning
        if row.item is None or (meaning in DATES and csv_values.has_no_value(cell)):
            return
        if meaning in DATES:
            self._put_date(row, column, cell)
        elif meaning == "email" and len(csv_values.addresses_in(cell)) > 1:
            row.refuse("invalid_email", TWO_ADDRESSES)
        elif meaning != "command" or comparable(cell):
            row.item[meaning] = readers[meaning](cell)

    def _put_date(self, row: FileRow, column: Column, cell: str) -> None:
        """Adds the date in a cell; the latest counts if several columns have the same meaning.

        An unreadable date is kept as a custom field if the user chose that. If it is of an unsubscribe, the
        row is unsubscribed nevertheless.
        """
        meaning = column.meaning
        at = self.dates.read(column.position, cell)
        if at is not None:
            row.dates[meaning] = max(at, row.dates.get(meaning, at))
        elif not csv_values.is_no_date(cell) and row.item is not None:
            if self.dates.unread == FIELD:
                row.custom[field_meaning(column.position, column.name).removeprefix(MEANS_FIELD)] = cell
            if meaning == "unsubscribed_at":
                row.item.setdefault("command", "unsubscribe")


def is_refused(table: Table, record: Any, emails: Sequence[Column]) -> bool:
    """Whether a row is surely refused: it is malformed, or has no address in the columns `emails`."""
    if table.is_json:
        if not is_object(record):
            return True
    elif _has_extra_cells(table, record) or (table.kind == CSV and readers.has_nul(record)):
        return True
    cells = (table.cell_of(record, column) for column in emails)
    return bool(emails) and not any(csv_values.is_like_address(cell) for cell in cells)


def _has_extra_cells(table: Table, record: list[Any]) -> bool:
    return any(cell != "" for cell in record[len(table.names) :])


def _plain_address(text: str) -> str:
    """The address in a JSON cell. Unlike in CSV, an apostrophe at its beginning belongs to it."""
    return csv_values.strip(text) if text.startswith("'") else csv_values.read_address(text)


JSON_READERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys((*NAMES, "name", "tags", "remove_tags", "fields"), str),
    "command": comparable,
    "email": _plain_address,
}
READERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys((*NAMES, "name"), csv_values.read_text),
    "command": lambda cell: comparable(csv_values.read_text(cell)),
    "email": csv_values.read_address,
    "fields": csv_values.read_value,
}


def _complete(row: FileRow) -> None:
    """Adds the custom values of a row's columns to its item, and the parts of a whole name.

    Values that the item already has stay.
    """
    item = row.item if row.item is not None else {}
    if "name" in item:
        first, last = split_name(str(item.pop("name")))
        item.setdefault("first_name", first)
        item.setdefault("last_name", last)
    if row.custom:
        values = item.get("fields") or {}
        item["fields"] = row.custom | values if isinstance(values, dict) else values
    row.email = item["email"] if isinstance(item.get("email"), str) else ""


def split_name(name: str) -> tuple[str, str]:
    """The (first, last) name in a whole name, split in `Last, First` at the comma, else at the last word."""
    if "," in name:
        last, _, first = name.partition(",")
        return first.strip(), last.strip()
    first, _, last = name.strip().rpartition(" ")
    return (first.strip(), last) if first else (last, "")
