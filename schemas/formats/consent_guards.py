"""What an answer for everyone must not be: refused in the first row of the file that contradicts it."""

from collections.abc import Sequence
from typing import Any

from schemas.formats.columns import Column
from schemas.formats.consent import SUBSCRIBED, ConsentAnswer, is_date
from schemas.formats.consent_words import UNSUBSCRIBING, is_unsubscribed, is_yes
from schemas.formats.header_names import meaning_of
from schemas.formats.meanings import EXPORTED, OWN
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


class Guards:
    """Watches a file of which one state was said for everyone."""

    def __init__(
        self, table: Table, columns: Sequence[Column], answer: ConsentAnswer, ignored: set[int]
    ) -> None:
        self._table = table
        self._says: list[tuple[Column, bool]] = []
        self._commands: list[Column] = []
        is_ours = set(EXPORTED) <= set(table.names)
        if answer.everyone == SUBSCRIBED and not is_ours:
            others = [each for each in columns if each.meaning not in ("email", *OWN)]
            watched = [each for each in others if each.place not in ignored]
            self._says = [(each, meaning_of(each.name) == UNSUBSCRIBING) for each in watched]
        elif answer.everyone and answer.everyone != SUBSCRIBED:
            self._commands = [column for column in columns if column.meaning == "command"]

    def see(self, row: int, record: Any) -> None:
        """Raises `FileRefused`."""
        for column, is_unsubscribing in self._says:
            cell = self._table.cell_of(record, column)
            if cell and (_is_out(column, cell) or (is_unsubscribing and (is_yes(cell) or is_date(cell)))):
                name = column.name.strip() or str(column.place)
                command = SAYS_SO_COMMAND.format(
                    row=row, column=quoted([name]), cell=quoted([cell]), place=column.place
                )
                raise FileRefused(SAYS_SO.format(row=row), command, columns=[name])
        for column in self._commands:
            if self._table.cell_of(record, column).strip().lower() == "subscribe":
                raise FileRefused(COMMAND.format(row=row))


def _is_out(column: Column, cell: str) -> bool:
    return any(map(is_unsubscribed, cell.split(",") if column.meaning == "tags" else [cell]))
