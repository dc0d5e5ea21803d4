"""A look through all of a file, before a row of it is read: nothing of a file that is refused is applied."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.formats import csv_values
from schemas.formats.columns import Column, is_header
from schemas.formats.consent import SEVERAL_FILES, ConsentColumn, FieldColumn, TagsColumn
from schemas.formats.consent_words import ConsentWord, certainly_left, folded, word_of
from schemas.formats.date_columns import DateReading
from schemas.formats.date_questions import DateWatch
from schemas.formats.leavers import Leavers
from schemas.formats.meanings import CONSENTS, EXPORTED, SAYING
from schemas.formats.questions import FileQuestion
from schemas.formats.readings import Reading
from schemas.formats.refusals import FileRefused, quoted
from schemas.formats.tables import CSV, Table
from schemas.formats.tag_questions import TagWatch

BOM = "\ufeff"  # within a file, of another that was put below
FOLLOWED_ROWS = 10_000
Watched = FieldColumn | TagsColumn
BROKEN_OFF = (
    "The file breaks off in row {row}, before a column that says who left: get the file anew; if it is "
    "whole, end that row with a line break. `columns` names the column."
)
BROKEN_OFF_COMMAND = (
    "The file breaks off in row {row}, before the column {column}, which says who left: get the file anew; "
    "if it is whole, end that row with a line break"
)
HEADING = (
    "Row {row} has a word for people who left in place of an address, as if it were a heading: import the "
    "rows below it as a file of their own, with consent=unsubscribed. If it is none, delete that row."
)
HEADING_COMMAND = (
    "Row {row} has {cell} in place of an address, as if it were a heading: import the rows below it as a "
    "file of their own, with --consent unsubscribed. If it is none, delete that row."
)


@dataclass(frozen=True)
class Look:
    """What was found in all of a file: how its dates are read, and what to ask."""

    dates: DateReading
    asks: list[FileQuestion]


def look_through(
    table: Table, columns: Sequence[Column], reading: Reading, follow: Callable[[int], object]
) -> Look:
    """Reads all cells of consent, of dates and of unknown names, and settles which columns are consent.

    Raises `FileRefused` if it breaks off, if a header of other columns or a heading of people who left
    follows, if words of consent are not understood, or if it is unclear whether everybody has left.
    """
    leavers = Leavers.watching(table, columns, reading)
    consents = [ConsentColumn(column, reading.left) for column in _consents(table, columns, reading)]
    fields = _unknown(table, columns, reading)
    dated, tagged = DateWatch(table, columns, reading), TagWatch(table, columns, reading)
    emails = [column for column in columns if column.meaning == "email" and not table.is_json]
    number = 0
    if consents or dated.columns or tagged.columns or fields or leavers or emails:
        last: tuple[int, Any] = 0, []
        for number, (place, record) in enumerate(table.records(), 1):
            if number % FOLLOWED_ROWS == 0:
                follow(number)
            _see_consents(table, number, place, record, consents)
            for watch in (dated, tagged):
                watch.see(place, record)
            if fields:
                _see_fields(table, record, fields)
            if leavers:
                leavers.see(place, record)
            _see_heading(table, place, record, emails, reading)
            last = place, record
        _check_end(table, columns, reading, *last)
    for consent in consents:
        consent.settle()
    for unknown in fields.values():
        unknown.settle(number)
    return Look(dated.dates(), [*dated.asks(), *tagged.asks()])


def _consents(table: Table, columns: Sequence[Column], reading: Reading) -> list[Column]:
    """Those that are consent, or may be by their values."""
    is_doubtful = _is_doubtful(table, reading)
    return [column for column in columns if column.meaning in CONSENTS or (column.maybe and is_doubtful)]


def _unknown(table: Table, columns: Sequence[Column], reading: Reading) -> dict[str | int, Watched]:
    """The fields and tags that may say who has left, as `Table.cells` names their columns."""
    if not _is_doubtful(table, reading):
        return {}
    watched: list[Watched] = [FieldColumn(column) for column in columns if column.is_watched]
    watched += [TagsColumn(column) for column in columns if column.meaning == "tags"]
    return {each.column.name if table.is_json else each.column.place: each for each in watched}


def _is_doubtful(table: Table, reading: Reading) -> bool:
    """Whether any column may say who has left: not where everybody has, nor in our own export."""
    return not (reading.left or set(EXPORTED) <= set(table.names))


def _see_consents(
    table: Table, number: int, row: int, record: Any, consents: Sequence[ConsentColumn]
) -> None:
    for each in consents:
        cell = table.cell_of(record, each.column).strip()
        if not csv_values.says_nothing(cell):
            each.see(number, row, cell)


def _see_fields(table: Table, record: Any, fields: Mapping[str | int, Watched]) -> None:
    for place, value in table.cells(record):
        if place in fields and (cell := table.cell(value).strip()):
            fields[place].see(cell)


def _told(names: Sequence[str]) -> list[str]:
    """Without the empty ones at the end, which a spreadsheet adds."""
    told = [folded(name) for name in names]
    while told and not told[-1]:
        told.pop()
    return told


def _see_heading(table: Table, row: int, record: Any, emails: Sequence[Column], reading: Reading) -> None:
    """Raises `FileRefused` on a header of other columns, or a heading of people who left.

    The rows below it would be read as those above.
    """
    found = [cell for column in emails if (cell := table.cell_of(record, column).strip())]
    if not found or any("@" in cell for cell in found):
        return
    left = [cell for cell in found if certainly_left(cell) or word_of(cell) is ConsentWord.NOT_YET]
    if left and not reading.left:
        raise FileRefused(HEADING.format(row=row), HEADING_COMMAND.format(row=row, cell=quoted(left[:1])))
    if not reading.headed:
        return
    names = [table.cell(cell).strip().lstrip(BOM) for cell in record]
    if is_header(names) and _told(names) != _told(table.names):
        raise FileRefused(SEVERAL_FILES.format(row=row))


def _check_end(table: Table, columns: Sequence[Column], reading: Reading, row: int, record: Any) -> None:
    """Raises `FileRefused` if the last row lacks its line break, and a cell that may say who left."""
    if reading.left or table.kind != CSV or not record or table.ends_with_line_break():
        return
    for column in columns:
        if column.meaning in SAYING and column.place > len(record):
            raise FileRefused(
                BROKEN_OFF.format(row=row),
                BROKEN_OFF_COMMAND.format(row=row, column=quoted([column.name])),
                columns=[column.name],
            )
