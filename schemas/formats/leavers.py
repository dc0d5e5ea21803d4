"""Files whose headers say that they are of people who left, whatever they are called.

Where a row of such a file does not say it, who imports the file does: nobody comes in subscribed by mistake.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemas.formats import csv_values, presets
from schemas.formats.columns import Because, Column
from schemas.formats.consent_words import folded
from schemas.formats.meanings import SAYING
from schemas.formats.presets import IGNORE, Preset
from schemas.formats.readings import Reading
from schemas.formats.refusals import FileRefused, quoted
from schemas.formats.tables import Table

WHO_LEFT = (
    "Some columns are those of a file of people who left, but row {row} does not say that somebody did: send "
    "consent=unsubscribed if everyone in the file has left. Only if not, send map[{place}]={what}; who has "
    "no date of leaving in the file comes in subscribed then. `columns` names them."
)
WHO_LEFT_COMMAND = (
    "{program} writes {columns} into files of people who left, but row {row} does not say that somebody "
    "did. Say with --consent unsubscribed that everyone in the file has left. Only if not, say so with "
    "--map {place}={what}; who has no date of leaving in the file comes in subscribed then"
)


@dataclass(frozen=True)
class Leavers:
    """Watches such a file while it is looked through; `signs` are the columns that only such a file has."""

    table: Table
    preset: Preset
    signs: Sequence[Column]
    emails: Sequence[Column]
    saying: Sequence[Column]

    @classmethod
    def watching(cls, table: Table, columns: Sequence[Column], reading: Reading) -> "Leavers | None":
        """None for any other file, and where it was said who has left."""
        preset = presets.recognised(table.names)
        left = [folded(header) for header in preset.left_headers] if preset else []
        signs = sorted(
            (column for column in columns if folded(column.name) in left),
            key=lambda column: left.index(folded(column.name)),
        )
        if preset is None or not signs or reading.left or _is_explained(signs[0]):
            return None
        emails = [column for column in columns if column.meaning == "email"]
        return cls(table, preset, signs, emails, [each for each in columns if each.meaning in SAYING])

    def see(self, row: int, record: Any) -> None:
        """Raises `FileRefused` on a row with an address that does not say that somebody left."""
        if self._filled(record, self.emails) and not self._filled(record, self.saying):
            raise self._refusal(row)

    def _refusal(self, row: int) -> FileRefused:
        sign, names = self.signs[0], [column.name for column in self.signs]
        what = sign.meaning if sign.meaning == "unsubscribed_at" else f"field:{self._own_header(sign)}"
        program, columns = self.preset.program, quoted(names)
        return FileRefused(
            WHO_LEFT.format(row=row, place=sign.place, what=what),
            WHO_LEFT_COMMAND.format(program=program, columns=columns, row=row, place=sign.place, what=what),
            columns=names,
        )

    def _own_header(self, sign: Column) -> str:
        """As the program calls the column."""
        return next(each for each in self.preset.left_headers if folded(each) == folded(sign.name))

    def _filled(self, record: Any, columns: Sequence[Column]) -> bool:
        cells = (self.table.cell_of(record, column) for column in columns)
        return not all(map(csv_values.says_nothing, cells))


def _is_explained(column: Column) -> bool:
    return column.reason == Because.CHOSEN and column.meaning != IGNORE
