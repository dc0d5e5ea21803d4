"""Files whose names say that they are of people who left: each row says it too, or who imports them does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemas.formats import csv_values
from schemas.formats.columns import Column
from schemas.formats.consent import said
from schemas.formats.consent_words import ConsentWord
from schemas.formats.meanings import CONSENTS, SAYING
from schemas.formats.readings import Reading
from schemas.formats.refusals import FileRefused
from schemas.formats.tables import Table

NAMED = (
    "The name of the file says that the people in it have left, but row {row} does not: say with --consent "
    "unsubscribed that everyone in it has left, or give the file another name if that is not so"
)


@dataclass(frozen=True)
class NamedLeavers:
    """Watches such a file while it is looked through."""

    table: Table
    emails: Sequence[Column]
    saying: Sequence[Column]

    @classmethod
    def watching(cls, table: Table, columns: Sequence[Column], reading: Reading) -> "NamedLeavers | None":
        """None for a file of any other name, and where it was said who has left."""
        if reading.left or not reading.named_as_left:
            return None
        emails = [column for column in columns if column.meaning == "email"]
        return cls(table, emails, [column for column in columns if column.meaning in SAYING])

    def see(self, row: int, record: Any) -> None:
        """Raises `FileRefused` on a row with an address that does not say that somebody left."""
        has_address = any(self._cell(record, column) for column in self.emails)
        if has_address and not self._says_left(record):
            raise FileRefused(NAMED.format(row=row))

    def _says_left(self, record: Any) -> bool:
        """A command to subscribe wins over what the other columns say."""
        cells = [(column.meaning, self._cell(record, column)) for column in self.saying]
        commands = [cell for meaning, cell in cells if meaning == "command" and cell]
        return commands == ["unsubscribe"] or (not commands and any(_means_left(*each) for each in cells))

    def _cell(self, record: Any, column: Column) -> str:
        cell = self.table.cell_of(record, column).strip()
        return "" if csv_values.says_nothing(cell) else cell


def _means_left(meaning: str, cell: str) -> bool:
    if meaning not in CONSENTS:
        return bool(cell)
    word = said(meaning, cell)
    return word is not None and word.word == ConsentWord.LEFT
