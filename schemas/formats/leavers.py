"""Files of people who left, by their columns or by their names.

Where a row of such a file does not say it, who imports the file does: nobody comes in subscribed by mistake.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.formats import csv_values, presets
from schemas.formats.columns import Column
from schemas.formats.consent import said
from schemas.formats.consent_words import ConsentWord, folded
from schemas.formats.file_names import said_by_name
from schemas.formats.meanings import CONSENTS, SAYING
from schemas.formats.presets import IGNORE, Preset
from schemas.formats.readings import Reading
from schemas.formats.reasons import Because
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
NAMED = (
    "The name of the {what} says that nobody in it is subscribed, but row {row} does not: send "
    "consent=unsubscribed if everyone in it has left. Only if not, give the {what} another name."
)
NAMED_COMMAND = (
    "The name of the {what} says that nobody in it is subscribed, but row {row} does not: say with --consent "
    "unsubscribed that everyone in it has left, or give the {what} another name if that is not so"
)


@dataclass(frozen=True)
class Signs:
    """The columns that only a program's files of people who left have, that which says it best first."""

    preset: Preset
    columns: Sequence[Column]

    @classmethod
    def among(cls, columns: Sequence[Column], headers: Sequence[str]) -> "Signs | None":
        """None of any other file, and where it was said what the first of them means."""
        preset = presets.recognised(headers)
        left = [folded(header) for header in preset.left_headers] if preset else []
        signs = sorted(
            (column for column in columns if folded(column.name) in left),
            key=lambda column: left.index(folded(column.name)),
        )
        return cls(preset, signs) if preset and signs and not _is_explained(signs[0]) else None

    def refusal(self, row: int) -> FileRefused:
        sign, names = self.columns[0], [column.name for column in self.columns]
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


def _is_explained(column: Column) -> bool:
    return column.reason == Because.CHOSEN and column.meaning != IGNORE


@dataclass(frozen=True)
class Leavers:
    """Watches such a file while it is looked through: it has `signs`, or `names` that say so, or both.

    `names` are those of the file and of the sheet that is read.
    """

    table: Table
    signs: Signs | None
    names: Mapping[str, ConsentWord]
    emails: Sequence[Column]
    saying: Sequence[Column]

    @classmethod
    def watching(cls, table: Table, columns: Sequence[Column], reading: Reading) -> "Leavers | None":
        """None for any other file, and where it was said who has left."""
        signs = Signs.among(columns, table.names)
        names = {"file": reading.named, "sheet": said_by_name(table.sheet or "")}
        named = {what: word for what, word in names.items() if word}
        if reading.left or not (signs or named):
            return None
        emails = [column for column in columns if column.meaning == "email"]
        saying = [column for column in columns if column.meaning in SAYING]
        return cls(table, signs, named, emails, saying)

    def see(self, row: int, record: Any) -> None:
        """Raises `FileRefused` on a row with an address that does not say that somebody left.

        Signs may stand beside people who are in, if a cell says so; under the name nobody may be.
        """
        if not self._filled(record, self.emails):
            return
        cells = self._filled(record, self.saying)
        if self.signs and not cells:
            raise self.signs.refusal(row)
        for what, word in self.names.items():
            if not _say_so(cells, word):
                raise FileRefused(NAMED.format(what=what, row=row), NAMED_COMMAND.format(what=what, row=row))

    def _filled(self, record: Any, columns: Sequence[Column]) -> list[tuple[str, str]]:
        """(meaning, cell) of the columns whose cells say something."""
        cells = [(column.meaning, self.table.cell_of(record, column).strip()) for column in columns]
        return [(meaning, cell) for meaning, cell in cells if not csv_values.says_nothing(cell)]


def _say_so(cells: Sequence[tuple[str, str]], name: ConsentWord) -> bool:
    """Whether cells say what the name does, or that somebody left; a command to subscribe wins."""
    commands = [cell for meaning, cell in cells if meaning == "command"]
    return commands == ["unsubscribe"] or (not commands and any(_is_out(*each, name) for each in cells))


def _is_out(meaning: str, cell: str, name: ConsentWord) -> bool:
    if meaning not in CONSENTS:
        return True
    word = said(meaning, cell)
    return word is not None and word.word in (ConsentWord.LEFT, name)
