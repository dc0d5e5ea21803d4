"""Importing files of subscribers: opened, looked through, read row by row and checked (docs/files.md).

A file is looked through before any of its rows is imported, so that a file that is refused changes nothing.
"""

import hashlib
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, NamedTuple

from schemas.base import FormError, load
from schemas.formats import beginnings, consent, presets, table_questions, tables
from schemas.formats.columns import Column, by_header, is_header, plan
from schemas.formats.consent import ConsentAnswer
from schemas.formats.date_columns import DateReading
from schemas.formats.first_look import FirstLook
from schemas.formats.presets import PRESETS, Preset
from schemas.formats.readings import Reading, answer_line
from schemas.formats.refused_cells import answer_cells, refused_cells, with_all_values
from schemas.formats.rows import FileRow, Rows
from schemas.formats.tables import Run, Table
from schemas.imports import ImportItem, plain_item
from schemas.values import UNCONFIRMED, UNSUBSCRIBED, OnExisting

NO_PEOPLE = "The file has no people."
NO_ADDRESS = "The row has no address."
HEADER = "Row {row} is a header: the file seems to consist of several files with the same columns."

Check = Callable[[str], Any]


class ColumnPlan(NamedTuple):
    """What the columns of a file mean: the preset of its program or None, the columns, and what they and the
    user say about who may be written to.
    """

    preset: Preset | None
    columns: list[Column]
    answer: ConsentAnswer


@dataclass(frozen=True)
class InspectedFile:
    """A file that was looked through. `plan` has its columns with their meanings; `answer` says who may be
    written to. `reading` has the user's answers by which the file is read.

    `refused_header` is the header of a file of its refused rows. For JSON it grows while rows are read.
    `digest` is the SHA-256 of the file's content, in hex; "" if it was not computed.
    """

    table: Table
    plan: list[Column]
    dates: DateReading
    preset: Preset | None
    answer: ConsentAnswer
    reading: Reading
    refused_header: list[str]
    is_empty: bool
    digest: str = ""

    @property
    def advice(self) -> list[str]:
        """Sentences of advice on the program's files, for the command line."""
        if self.is_empty:
            return [NO_PEOPLE]
        return [self.preset.advice] if self.preset and self.preset.advice else []

    @property
    def binary(self) -> BinaryIO:
        return self.table.binary

    @property
    def consent(self) -> str:
        """The answer about who may be written to, in words."""
        return self.answer.words

    @property
    def answers(self) -> str:
        """All answers about the file, as a line for the next file of its kind."""
        return answer_line(by_header(self.reading, self.table.names, self.table.sheet), self.table.names)

    def rows(self, check: Check) -> Generator[FileRow, None, None]:
        """Yields the rows that are not blank, each as an item to import or with the reason for its refusal.

        `check` raises `ValueError` for a malformed address, whose row is refused. Raises `FormError` if the
        rest of the file cannot be read.
        """
        rows = Rows(self.table, self.plan, self.dates, self.answer.columns, self.reading.tag_separator)
        for number, record in self.table.records():
            row = rows.row(number, record)
            _check_row(row, check)
            if row.code == "invalid_email" and self._is_header(row.raw):
                row.refuse(row.code, HEADER.format(row=number))
            if row.item is None:
                row.cells = self._cells(row.raw)
            else:
                _add_from_file(row, row.item, self.answer, self.reading)
            yield row

    @property
    def answer_cells(self) -> dict[str, str]:
        """The additional cells in a file of refused rows, by column.

        They carry the answers about everyone, so that the rows mean the same when imported again.
        """
        return answer_cells(self.table, self.plan, self.answer, self.reading)

    def _is_header(self, record: Any) -> bool:
        return not self.table.is_json and is_header([self.table.cell(cell) for cell in record])

    def _cells(self, value: Any) -> list[str]:
        if self.table.is_json:
            members = with_all_values(value) | self.answer_cells if isinstance(value, dict) else value
            return refused_cells(self.refused_header, members)
        width = len(self.table.names)
        cells = [self.table.cell(cell) for cell in value]
        padding = [""] * (width - len(cells))
        return [*cells[:width], *padding, *self.answer_cells.values(), *cells[width:]]


def inspect(
    binary: BinaryIO,
    reading: Reading,
    kind: str | None = None,
    run: Run | None = None,
    unpacked: BinaryIO | None = None,
    sampled: bool = False,
) -> InspectedFile:
    """Opens a file and looks through it (`FirstLook`). Raises `FormError`.

    The kind is detected unless given. A child process, started by `run`, reads a workbook and writes its rows
    to `unpacked`.
    """
    table = tables.open_table(binary, kind, reading, run, unpacked)
    return replace(read_through(table, reading, sampled=sampled), digest=digest(binary))


def digest(binary: BinaryIO) -> str:
    """The SHA-256 of a file's content, in hex. The position in the file stays."""
    position = binary.tell()
    binary.seek(0)
    digest = hashlib.file_digest(binary, "sha256").hexdigest()  # type: ignore[arg-type]
    binary.seek(position)
    return digest


def read_through(
    table: Table, reading: Reading, follow: Callable[[int], object] = bool, sampled: bool = False
) -> InspectedFile:
    """Looks through an open file. Raises `FormError` if it is refused, or leaves questions open.

    Calls `follow` with the number of rows so far. With `sampled`, reads only the beginning of a file without
    an answer about consent.
    """
    table, asks = table_questions.from_header(table, reading)
    preset, columns, answer = plan_columns(table, reading)
    asks += table_questions.ask_address(table, columns)
    ignored = consent.ignored_positions(table.names, columns, reading)
    table = table_questions.fill_merged_cells(table, columns, answer, ignored)
    look = FirstLook(table, columns, answer, reading, preset, ignored)
    dates = look.look_through(asks, follow, sampled)
    names = [] if table.is_json else [*table.names, *answer_cells(table, columns, answer, reading)]
    is_empty = next(table.records(), None) is None
    return InspectedFile(table, columns, dates, preset, answer, reading, names, is_empty)


def plan_columns(table: Table, reading: Reading) -> ColumnPlan:
    """What the columns of a file mean. Raises `FormError`."""
    beginnings.check(table, reading)
    names = table.names
    preset = PRESETS[reading.preset] if reading.preset else presets.recognise(names)
    columns = plan(names, reading.meanings, preset, reading.headed, repeats=table.is_json)
    return ColumnPlan(preset, columns, consent.answer(names, columns, reading, preset))


FORM = ImportItem()


def _check_row(row: FileRow, check: Check) -> None:
    """Validates a row's item and adds the row's dates to it. Refuses the row on an error."""
    if row.item is None:
        return
    try:
        item = plain_item(row.item) or load(FORM, row.item)
        check(item["email"])
        row.item = item | row.dates
    except FormError as error:
        refused = error.problems[0].field.partition(".")[0] or "row"
        if refused == "email" and not row.email.strip():
            row.refuse("missing_email", NO_ADDRESS)
            return
        message = "; ".join(f"{problem.field}: {problem.message}" for problem in error.problems)
        row.refuse(f"invalid_{refused}", message)
    except ValueError as error:
        row.refuse("invalid_email", str(error))


def _add_from_file(row: FileRow, item: dict[str, Any], answer: ConsentAnswer, reading: Reading) -> None:
    """Adds to a row's item what the user answered: consent, tags, and what may change of existing
    subscribers.

    The item unsubscribes if the answer for everyone, or a value in its columns of consent, says so.
    """
    states = row.states | {answer.everyone}
    if UNSUBSCRIBED in states:
        item.setdefault("command", "unsubscribe")
    elif UNCONFIRMED in states and "unsubscribed_at" not in item and "command" not in item:
        item["unconfirmed"] = True
    if reading.tags:
        item["tags"] = [*item.get("tags", ()), *reading.tags]
    if reading.known != OnExisting.MERGE:
        item["known"] = reading.known
