"""Rows that contradict the user's answer about consent: a file that has one is refused."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from schemas.export_columns import EXPORT_COLUMNS
from schemas.formats import csv_values
from schemas.formats.columns import Column
from schemas.formats.consent import MAX_LENGTH, ConsentAnswer, ConsentColumn, comparable, is_date
from schemas.formats.consent_question import CountedColumn
from schemas.formats.consent_words import is_unsubscribed, is_yes
from schemas.formats.header_names import is_unsubscribing
from schemas.formats.meanings import CUSTOM, OWN, normal
from schemas.formats.presets import STATE_COLUMN
from schemas.formats.questions import FileQuestion
from schemas.formats.refusals import FileRefused
from schemas.formats.tables import Table
from schemas.values import SUBSCRIBED, UNCONFIRMED, UNSUBSCRIBED, FieldError, compact_json

SAYS_SO = (
    "Row {row} of a column says that somebody has unsubscribed. Send `consent_column={place}` with the "
    "meaning of its values. Send `ignore_column={place}` only if the column is about something else. "
    "`columns` names it."
)
OTHERWISE = (
    "Row {row} is subscribed by your answer, but another column says that somebody has unsubscribed. "
    "Import such rows separately, with `consent=unsubscribed`. Send `ignore_column={place}` only if the "
    "column is about something else. `columns` names it."
)
OF_FILES = (
    "Row {row} comes from a file of people who are not subscribed, as its name in the archive says. Send "
    "`from=mailchimp`: then the names of the files say who may be written to. `columns` names the column."
)
COMMAND = (
    "Row {row} has the command subscribe, but you answered that nobody in the file may be written to: "
    "remove the row, or answer by a column."
)
SWITCHED_OFF = (
    "Row {row} has the command {word} in the column `command`, which always counts: leave `map` for it out."
)
FIELDS = "fields"  # the custom values of our own export, in JSON
NESTED = ("[", "{")  # begins JSON in a cell
BETWEEN, MAX_LIST = (
    frozenset(",;|(-\u2013\u2014"),
    1_000,
)  # marks of a list, or behind a word; characters of one
LIST = re.compile("[,;|]| [-\u2013\u2014] ")
# What has the form of a date, though none can be read, such as 2024-13-45 or 5 janvier 2024.
LIKE_DATE = re.compile(r"(?<![\w-])\d{1,4}[-./ ]+\w{1,9}[-./, ]+\d{1,4}(?![\w-])|\b(?:19|20)\d\d\b")


def unsubscribing(columns: Sequence[Column], answer: ConsentAnswer, ignored: set[int]) -> list[Column]:
    """The columns in which a date or a yes means unsubscribed; none if the answer subscribes nobody."""
    return [column for column in columns_to_watch(columns, answer, ignored) if is_unsubscribing(column.name)]


def columns_to_watch(columns: Sequence[Column], answer: ConsentAnswer, ignored: set[int]) -> list[Column]:
    """The columns that may contradict the answer about consent; none if it subscribes nobody.

    Left out are the address, columns that always count (`OWN`), columns of the answer, those in `ignored`,
    and in our own export custom fields; never the column of the files of an archive.
    """
    if answer.everyone != SUBSCRIBED and not answer.columns:
        return []
    is_ours = set(EXPORT_COLUMNS) <= {column.name for column in columns}
    excluded = {*ignored, *(column.column.position for column in answer.columns)}
    others = [
        column
        for column in columns
        if column.meaning not in ("email", *OWN) and (column.position not in excluded or _is_of_files(column))
    ]
    return [
        other for other in others if not (is_ours and (other.name.startswith(CUSTOM) or other.name == FIELDS))
    ]


class Contradicted(FileRefused):
    """A row contradicts the answer about consent, in the column `counted`.

    `questions` are all other open questions about the file.
    """

    def __init__(self, message: str, counted: CountedColumn, questions: Sequence[FileQuestion]) -> None:
        super().__init__(message, columns=[counted.column.name.strip() or str(counted.column.position)])
        self.command = "\n".join([self.command, *(question.command for question in questions)])
        self.problems += [FieldError("file", question.message) for question in questions]
        self.counted, self.questions = counted, questions
        self.found = {"columns": [counted.as_json]}
        if questions:
            self.found["asks"] = [question.as_json(question.message) for question in questions]

    @property
    def page_found(self) -> dict[str, Any]:
        asks = [question.as_json(question.page) for question in self.questions]
        return self.found | ({"asks": asks} if asks else {})


class Guards:
    """Watches the rows of a file for one that contradicts the answer about consent.

    `see` notes the first contradiction; `check` raises it with all other open questions of the file.
    """

    def __init__(
        self,
        table: Table,
        columns: Sequence[Column],
        answer: ConsentAnswer,
        ignored: set[int],
        tag_separator: str | None,
    ) -> None:
        self._table = table
        self._consents = answer.columns
        is_out = answer.everyone in (UNSUBSCRIBED, UNCONFIRMED)
        self._commands = [column for column in columns if is_out and column.meaning == "command"]
        self._mapped = [column for column in columns if normal(column.name) == "command" != column.meaning]
        self._tag_separator = tag_separator or csv_values.COMMA
        self._contradiction: tuple[int, Column] | None = None
        self._says = {
            column.name if table.is_json else column.position: (column, is_unsubscribing(column.name))
            for column in columns_to_watch(columns, answer, ignored)
        }

    def see(self, row: int, record: Any) -> None:
        """Looks at a row, and notes the first one that contradicts the answer, for `check`.

        Raises `FileRefused` at once if a `command` contradicts it.
        """
        if self._says and not self._contradiction:
            out = [column for column, *says in self._watched(record) if self._is_out(column, *says)]
            if out and self._is_in(record):
                self._contradiction = row, max(out, key=_is_of_files)
        for column in self._commands:
            if self._command(record, column) == "subscribe":
                raise FileRefused(COMMAND.format(row=row))
        for column in self._mapped:
            word = self._command(record, column)
            if word in ("subscribe", "unsubscribe"):
                raise FileRefused(SWITCHED_OFF.format(row=row, word=word))

    def check(self, questions: Sequence[FileQuestion]) -> None:
        """Raises `Contradicted` if `see` noted a contradiction.

        The error has all values of that column, and the open `questions`.
        """
        if not self._contradiction:
            return
        row, column = self._contradiction
        counted = CountedColumn(column)
        for _, record in self._table.records():
            counted.see(self._table.cell_of(record, column))
        sentence = OF_FILES if _is_of_files(column) else OTHERWISE if self._consents else SAYS_SO
        raise Contradicted(sentence.format(row=row, place=column.position), counted, questions)

    def _watched(self, record: Any) -> Iterator[tuple[Column, bool, Any]]:
        """Yields (column, whether its header means unsubscribed, value), without columns that may not say."""
        for position, value in self._table.cells(record):
            if value and (says := self._says.get(position)):
                yield *says, value

    def _command(self, record: Any, column: Column) -> str:
        return comparable(csv_values.read_text(self._table.cell_of(record, column)))

    def _is_in(self, record: Any) -> bool:
        """Whether a row subscribes, see `brings_in`."""
        return brings_in(self._table, self._consents, record)

    def _is_out(self, column: Column, is_unsubscribing: bool, value: Any) -> bool:
        """Whether a value means unsubscribed; in a column of tags, whether one of the tags does.

        In a zip archive, the name of each file but that of the subscribed people does.
        """
        if _is_of_files(column):
            return bool(value != SUBSCRIBED)
        if column.meaning == "tags" and isinstance(value, str):
            return any(map(is_unsubscribed, csv_values.read_tags(value, self._tag_separator)))
        return _means_unsubscribed(value, is_unsubscribing)


def _is_of_files(column: Column) -> bool:
    return column.name == STATE_COLUMN


def brings_in(table: Table, consents: Sequence[ConsentColumn], record: Any) -> bool:
    """Whether a row subscribes: each of its columns of consent means subscribed."""
    return {consent.state(table.cell_of(record, consent.column)) for consent in consents} <= {SUBSCRIBED}


def _means_unsubscribed(value: Any, is_unsubscribing_key: bool) -> bool:
    """Whether the words of a value mean unsubscribed. Under an unsubscribing header, a yes or a date does,
    too.

    JSON means unsubscribed if one value in it does.
    """
    if isinstance(value, str) and value[:1] in NESTED:
        value = csv_values.read_typed(value)
    if isinstance(value, dict):
        return any(_means_unsubscribed(member, is_unsubscribing(key)) for key, member in value.items())
    if isinstance(value, list):
        return any(_means_unsubscribed(member, is_unsubscribing_key) for member in value)
    cell = value if isinstance(value, str) else compact_json(value)
    return is_unsubscribe_word(cell) or (is_unsubscribing_key and _is_yes_or_date(cell))


def is_unsubscribe_word(cell: str) -> bool:
    """Whether a cell means unsubscribed: as a whole, before a bracket, or in one item of a list.

    A list has marks such as commas between its items, and single words as the other items: a note of several
    words is no list.
    """
    if is_unsubscribed(cell) or len(cell) > MAX_LIST or BETWEEN.isdisjoint(cell):
        return is_unsubscribed(cell)
    words = LIST.split(cell)
    others = [word for word in words if not is_unsubscribed(word)]
    is_list = len(others) < len(words) and not any(" " in word.strip() for word in others)
    return is_list or is_unsubscribed(cell.partition("(")[0])


def _is_yes_or_date(cell: str) -> bool:
    if is_yes(cell) or is_date(cell):
        return True
    is_like = len(cell) <= MAX_LENGTH and "://" not in cell and LIKE_DATE.search(cell)
    return bool(is_like) and not csv_values.is_no_date(cell)
