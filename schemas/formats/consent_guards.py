"""What an answer for everyone must not be: refused in the first row of the file that contradicts it."""

import re
from collections.abc import Sequence
from typing import Any

from schemas.formats import csv_values
from schemas.formats.columns import Column
from schemas.formats.consent import MAX_LENGTH, SUBSCRIBED, ConsentAnswer, is_date, same
from schemas.formats.consent_words import UNSUBSCRIBING, is_unsubscribed, is_yes
from schemas.formats.header_names import meaning_of
from schemas.formats.meanings import CUSTOM, EXPORTED, OWN, normal
from schemas.formats.refusals import FileRefused, quoted
from schemas.formats.tables import Table

SAYS_SO = (
    "Row {row} of a column says that somebody has unsubscribed. Send consent_column with what its values "
    "mean; only if it is about something else, send ignore_column. `columns` names it."
)
SAYS_SO_COMMAND = (
    "Row {row} of column {column} says that somebody has unsubscribed: {cell}. Say with --consent-column "
    "{place} what its values mean; only if it is about something else, with --ignore-column {place}"
)
COMMAND = (
    "Row {row} has the command subscribe, though nobody in the file may be written to: take that row out, or "
    "answer by a column."
)


SWITCHED_OFF = (
    "Row {row} has the command {word} in the column `command`, which always counts: take the parameter map "
    "for it away."
)
SWITCHED_OFF_COMMAND = (
    "Row {row} has the command {word} in the column `command`, which always counts: take --map for it away"
)
# What has the form of a date, though none can be read, such as 2024-13-45 or 5 janvier 2024.
LIKE_DATE = re.compile(r"(?<![\w-])\d{1,4}[-./ ]+\w{1,9}[-./, ]+\d{1,4}(?![\w-])|\b(?:19|20)\d\d\b")


def unsubscribing(columns: Sequence[Column], answer: ConsentAnswer, ignored: set[int]) -> list[Column]:
    """Where everyone has agreed, the columns under whose header a date or yes says otherwise."""
    if answer.everyone != SUBSCRIBED:
        return []
    return [each for each in _watched(columns, ignored) if meaning_of(each.name) == UNSUBSCRIBING]


def _watched(columns: Sequence[Column], ignored: set[int]) -> list[Column]:
    """Without those that our own export has for custom fields of such a name."""
    is_ours = set(EXPORTED) <= {each.name for each in columns}
    others = [each for each in columns if each.meaning not in ("email", *OWN) and each.place not in ignored]
    return [each for each in others if not (is_ours and each.name.startswith(CUSTOM))]


class Guards:
    """Watches a file of which one state was said for everyone."""

    def __init__(
        self,
        table: Table,
        columns: Sequence[Column],
        answer: ConsentAnswer,
        ignored: set[int],
        tag_separator: str | None,
    ) -> None:
        self._table = table
        self._says: dict[str | int, tuple[Column, bool]] = {}
        self._commands: list[Column] = []
        self._mapped = [each for each in columns if normal(each.name) == "command" != each.meaning]
        self._tag_separator = tag_separator or csv_values.COMMA
        if answer.everyone == SUBSCRIBED:
            dated = [each.place for each in unsubscribing(columns, answer, ignored)]
            self._says = {
                each.name if table.is_json else each.place: (each, each.place in dated)
                for each in _watched(columns, ignored)
            }
        elif answer.everyone:
            self._commands = [column for column in columns if column.meaning == "command"]

    def see(self, row: int, record: Any) -> None:
        """Raises `FileRefused`."""
        for place, value in self._table.cells(record) if self._says else ():
            column, is_unsubscribing = self._says.get(place, (None, False))
            cell = self._table.cell(value) if column else ""
            if (
                column
                and cell
                and (self._is_out(column, cell) or (is_unsubscribing and _is_yes_or_date(cell)))
            ):
                name = column.name.strip() or str(column.place)
                command = SAYS_SO_COMMAND.format(
                    row=row, column=quoted([name]), cell=quoted([cell]), place=column.place
                )
                raise FileRefused(SAYS_SO.format(row=row), command, columns=[name])
        for column in self._commands:
            if self._command(record, column) == "subscribe":
                raise FileRefused(COMMAND.format(row=row))
        for column in self._mapped:
            word = self._command(record, column)
            if word in ("subscribe", "unsubscribe"):
                told = {"row": row, "word": word}
                raise FileRefused(SWITCHED_OFF.format(**told), SWITCHED_OFF_COMMAND.format(**told))

    def _command(self, record: Any, column: Column) -> str:
        return same(csv_values.read_text(self._table.cell_of(record, column)))

    def _is_out(self, column: Column, cell: str) -> bool:
        tags = csv_values.read_tags(cell, self._tag_separator) if column.meaning == "tags" else [cell]
        return any(map(is_unsubscribed, tags))


def _is_yes_or_date(cell: str) -> bool:
    if is_yes(cell) or is_date(cell):
        return True
    is_like = len(cell) <= MAX_LENGTH and "://" not in cell and LIKE_DATE.search(cell)
    return bool(is_like) and not csv_values.is_no_date(cell)
