"""Looking through a file before any of its rows is imported, so that a file that is refused changes
nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any

from schemas.formats import csv_values
from schemas.formats.columns import Column, is_header
from schemas.formats.consent import BLANK, COMMAND, DATE, IN_COMMAND, OUT_COMMAND, ConsentAnswer, comparable
from schemas.formats.consent_guards import Guards, is_unsubscribe_word
from schemas.formats.consent_question import BY_HEADER, ConsentLook, CountedColumn
from schemas.formats.consent_words import MAX_LENGTH, fold
from schemas.formats.date_columns import DateReading, DateWatch
from schemas.formats.meanings import OWN
from schemas.formats.other_columns import OtherColumns
from schemas.formats.presets import Preset
from schemas.formats.questions import FileQuestion, check_answered
from schemas.formats.readings import Reading, digest_of
from schemas.formats.reasons import Because
from schemas.formats.refusals import FileRefused
from schemas.formats.rows import is_refused
from schemas.formats.tables import CSV, Table
from schemas.formats.tag_questions import TagWatch
from schemas.values import DATES, UNSUBSCRIBED

BOM = "\ufeff"  # within a file, of another that was put below
FOLLOWED_ROWS = 10_000
SAMPLE_BYTES = 2**16
OURS = {IN_COMMAND, OUT_COMMAND}
SEVERAL_FILES = (
    "Row {row} is another header: the file seems to consist of several files. Import each of "
    "them separately; if they have the same columns, it is enough to delete that row."
)
BROKEN_OFF = (
    "The file breaks off in row {row}, before a column of consent: get the file again. If the file "
    "is complete, end that row with a line break. `columns` names it."
)
HEADING = (
    "Row {row} looks like a heading: it has no address, but a word for people who unsubscribed. Import "
    "the rows below it as a separate file. If the row is not a heading, delete it."
)
SWALLOWED = (
    "A cell in row {row} contains whole rows, because a quote is not closed. Close the quote at the "
    "end of its cell. If the text is correct, remove its line breaks."
)
BY_COLUMN = "send `consent_column={place}` and what its values mean instead of `consent`"
FOREIGN = (
    "The column `command` has other words than subscribe and unsubscribe. If it says who may be written to, "
    f"{BY_COLUMN}. If not, leave the column out with `map[{{place}}]=ignore`, or keep it as a field with "
    "`map[{place}]=field:KEY`. `columns` names it."
)
FOREIGN_PAGE = (
    "The column “command” has other words than subscribe and unsubscribe. If it says who may be written to, "
    "answer that a column says who, and choose it; else choose what it becomes."
)
MIXED = (
    "The column `command` also has other words; its words subscribe and unsubscribe always count. Because of "
    f"the others, {BY_COLUMN}. `columns` names it."
)
MIXED_PAGE = (
    "The column “command” also has other words: answer that a column says who, and choose it. Its words "
    "subscribe and unsubscribe always count."
)
UNSEEN = (
    "The file has columns that `answers` does not know. Does one of them say who has unsubscribed? If "
    "so, leave out `answers` and answer the questions again; if not, add all of `options` to the request."
)


class FirstLook:
    """Looks through the rows of a file. `answer` and `ignored` are what the user said about consent."""

    def __init__(
        self,
        table: Table,
        columns: Sequence[Column],
        answer: ConsentAnswer,
        reading: Reading,
        preset: Preset | None,
        ignored: set[int],
    ) -> None:
        self._table, self._columns, self._answer, self._reading = table, columns, answer, reading
        self._addresses = [column for column in columns if column.meaning == "email"]
        self._emails = [] if table.is_json else self._addresses
        self._foreign = [CountedColumn(column) for column in columns if _may_be_foreign(column, answer)]
        self._consents = ConsentLook(table, columns, answer, preset)
        self._guards = Guards(table, columns, answer, ignored, reading.tag_separator)
        self._dated = DateWatch(table, _date_columns(columns, answer), reading)
        self._tagged = TagWatch(table, columns, reading.tag_separator)
        self._others = OtherColumns(table, columns, answer, ignored)

    def look_through(
        self, before: Sequence[FileQuestion], follow: Callable[[int], object], sampled: bool = False
    ) -> DateReading:
        """Looks through the rows. Returns how the file's dates are read.

        Raises `QuestionsOpen` with all open questions; `before` are those open already. Raises `FileRefused`
        if the file breaks off, has another header or a heading, or contradicts the answer about consent.

        Calls `follow` with the number of rows so far. With `sampled`, reads only the beginning of a file
        without an answer about consent.
        """
        is_whole = not (sampled and self._answer.is_open)
        last: tuple[int, Any] = 0, []
        for number, (row, record) in enumerate(self._table.records(), 1):
            if number % FOLLOWED_ROWS == 0:
                follow(number)
            self._see(row, record)
            last = row, record
            if not is_whole and self._table.binary.tell() > SAMPLE_BYTES:
                break
        else:
            is_whole = True
            _check_end(self._table, self._columns, self._answer, *last)
        asks = [*(self._consents.questions() if last[0] else ()), *before, *self._questions()]
        self._guards.check(asks)
        columns = self._consents.columns or [CountedColumn(column).as_json for column in self._columns]
        check_answered(asks, columns=columns, suggestion=self._consents.suggestion, whole=is_whole)
        return self._dated.dates()

    def _see(self, row: int, record: Any) -> None:
        table = self._table
        if not is_refused(table, record, self._addresses):
            self._consents.see(record)
            for counted in self._foreign:
                counted.see(table.cell_of(record, counted.column))
        _see_heading(table, row, record, self._emails, self._answer, self._reading)
        for watch in (self._guards, self._dated, self._tagged, self._others):
            watch.see(row, record)
        if table.kind == CSV:
            _refuse_swallowed(table, row, record, self._emails)

    def _questions(self) -> list[FileQuestion]:
        """The open questions about all but consent."""
        return [
            *self._dated.questions(),
            *self._tagged.questions(),
            *self._others.questions(),
            *_ask_foreign(self._foreign),
            *_ask_unseen(self._table, self._reading),
        ]


def _date_columns(columns: Sequence[Column], answer: ConsentAnswer) -> list[Column]:
    by_date = {column.column.position for column in answer.columns if column.states.get(DATE) == UNSUBSCRIBED}
    return [column for column in columns if column.meaning in DATES or column.position in by_date]


def _may_be_foreign(column: Column, answer: ConsentAnswer) -> bool:
    is_told = column.position in {column.column.position for column in answer.columns}
    return column.meaning == COMMAND and column.reason != Because.CHOSEN and not is_told


def _header_names(names: Sequence[str]) -> list[str]:
    """The folded headers, without empty ones at the end, which spreadsheets add."""
    headers = [fold(name) for name in names]
    while headers and not headers[-1]:
        headers.pop()
    return headers


def _see_heading(
    table: Table, row: int, record: Any, emails: Sequence[Column], answer: ConsentAnswer, reading: Reading
) -> None:
    """Raises `FileRefused` if a row without an address is another header, or a heading for unsubscribed
    people.

    The rows below would otherwise be read as those above. `emails` are the columns of addresses. A heading is
    no error if everyone is answered to be unsubscribed.
    """
    filled = [cell for column in emails if (cell := table.cell_of(record, column).strip())]
    if any("@" in cell for cell in filled):
        return
    alone = [] if filled or not emails else [cell for value in record if (cell := table.cell(value).strip())]
    if answer.everyone != UNSUBSCRIBED and any(map(_is_heading, filled or alone[:1] * (len(alone) == 1))):
        raise FileRefused(HEADING.format(row=row))
    if not (filled and reading.headed):
        return
    names = [table.cell(cell).strip().lstrip(BOM) for cell in record]
    if is_header(names) and _header_names(names) != _header_names(table.names):
        raise FileRefused(SEVERAL_FILES.format(row=row))


def _is_heading(cell: str) -> bool:
    """Whether a cell is a heading for unsubscribed people, ignoring marks and numbers around it."""
    letters = [index for index, character in enumerate(cell[: MAX_LENGTH + 1]) if character.isalpha()]
    return (
        bool(letters) and len(cell) <= MAX_LENGTH and is_unsubscribe_word(cell[letters[0] : letters[-1] + 1])
    )


def _refuse_swallowed(table: Table, row: int, record: list[str], emails: Sequence[Column]) -> None:
    """Raises `FileRefused` for a cell that contains whole rows: its quote is closed too late."""
    width, mark = len(table.names), table.delimiter or ","
    for cell in record:
        for line in cell.splitlines()[1:] if "\n" in cell or "\r" in cell else ():
            cells = line.split(mark)
            if 1 < width <= len(cells) and any(
                csv_values.is_address(cells[column.position - 1]) for column in emails
            ):
                raise FileRefused(SWALLOWED.format(row=row))


def _ask_foreign(columns: Sequence[CountedColumn]) -> list[FileQuestion]:
    """Questions about a column `command` with values other than our commands, as other programs write it.

    If it has our commands, too, it can only become one of consent. With very many other values, nothing is
    asked: each such row is refused.
    """
    asks = []
    for column in columns:
        others, ours = column.values.keys() - OURS - {BLANK}, column.values.keys() & OURS
        if not others or (ours and column.many):
            continue
        position, name = column.column.position, column.column.name
        message = (MIXED if ours else FOREIGN).format(place=position)
        maps = [] if ours else [f"map[{position}]=ignore", f"map[{position}]=field:KEY"]
        by_column = [] if column.many else [BY_HEADER]
        asks.append(
            FileQuestion(
                about=COMMAND, message=message, page=MIXED_PAGE if ours else FOREIGN_PAGE,
                options=[*by_column, *maps], columns=[name],
                values=[(value, count) for value, count in column.listed if comparable(value) != OUT_COMMAND],
            )
        )  # fmt: skip
    return asks


def _ask_unseen(table: Table, reading: Reading) -> list[FileQuestion]:
    """A question about the columns that are new since the file for which the answers were given; else none.

    Of many columns, the answers have only a digest: if it differs, all columns count as new.
    """
    digest = digest_of(table.names)
    if reading.seen_digest:
        new = table.names if digest != reading.seen_digest else []
        answers = [("seen_digest", digest)]
    else:
        new = [name for name in table.names if name not in (reading.seen or ())]
        answers = [("seen", name) for name in new]
    if not new or (reading.seen is None and not reading.seen_digest):
        return []
    choices = [f"{name}={value}" for name, value in answers]
    return [FileQuestion(about="columns", message=UNSEEN, page=UNSEEN, options=choices, columns=new)]


def _check_end(table: Table, columns: Sequence[Column], answer: ConsentAnswer, row: int, record: Any) -> None:
    """Raises `FileRefused` if the last row of a CSV file may be cut off.

    It then has no line break, and lacks a cell about consent.
    """
    if answer.everyone == UNSUBSCRIBED or table.kind != CSV or not record or table.ends_with_line_break():
        return
    saying = {column.column.position for column in answer.columns}
    for column in columns:
        if (column.meaning in OWN or column.position in saying) and column.position > len(record):
            raise FileRefused(BROKEN_OFF.format(row=row), columns=[column.name])
