"""Consent in the cells of a file: only ever a reason to take somebody out (docs/files.md).

A column whose header means only consent is consent. One whose header may mean something else (`status`) is
consent if its first values say so, else a custom field. Words in consent columns that nobody understands, and
words of having left in a column that was taken for a field, refuse the file.
"""

from dataclasses import dataclass, field
from functools import lru_cache

from schemas.formats import dates
from schemas.formats.columns import Because, Column
from schemas.formats.consent_words import MAX_LENGTH, SENSES, ConsentWord, word_of
from schemas.formats.meanings import STATUS, field_meaning
from schemas.formats.refusals import FileRefused, quoted, shortened

JUDGED_ROWS = 1_000
MAX_LISTED = 10

NOT_UNDERSTOOD = (
    "A column of consent has values that are not understood: correct them, or say with map[{place}]=WHAT "
    "what the column means, field:KEY if it is no consent. `columns` and `values` name them."
)
NOT_UNDERSTOOD_COMMAND = (
    "Column {column} is about consent, but these values are not understood: {values}. "
    "Correct them or, if it is no consent, say so with --map {place}=field:KEY"
)
LEFT_LATER = (
    "A column that looked like a custom field says further down that people have left: say with "
    "map[{place}]=status that it is consent, or with map[{place}]=field:KEY that it is not. "
    "`columns` and `values` name them."
)
LEFT_LATER_COMMAND = (
    "Column {column} looked like a custom field, but says further down that people have left: {values}. "
    "Say with --map {place}=status that it is consent, or with --map {place}=field:KEY that it is not."
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a cell says of consent; `at` is the text of a date."""

    word: ConsentWord
    at: str = ""


def said(meaning: str, cell: str) -> Said | None:
    """What a cell of a consent column says, by the column's meaning; None if it is not understood."""
    return _said(meaning, cell) if len(cell) <= MAX_LENGTH else None


@lru_cache(maxsize=4096)
def _said(meaning: str, cell: str) -> Said | None:
    word = word_of(cell)
    if word is not None:
        return Said(SENSES[meaning].get(word, word))
    return Said(ConsentWord.LEFT, cell) if meaning == "unsubscribed" and _is_date(cell) else None


def _is_date(cell: str) -> bool:
    try:
        dates.read_date(cell, dates.DMY)
    except ValueError:
        return False
    return True


@dataclass
class ConsentColumn:
    """Watches a consent column, or one that may be, while the file is looked through.

    `values` are the distinct ones of the first rows; `strange` the first that are not understood, and `left`
    the first that say by themselves that somebody left.
    """

    column: Column
    values: set[str] = field(default_factory=set)
    strange: dict[str, None] = field(default_factory=dict)
    left: dict[str, None] = field(default_factory=dict)

    def see(self, number: int, cell: str) -> None:
        """A cell that is not empty, of the row with this number; a long one is kept shortened."""
        cell = shortened(cell)
        if self.column.maybe and number <= JUDGED_ROWS:
            self.values.add(cell)
            return
        self._judge(cell)

    def _judge(self, cell: str) -> None:
        word = said(self._meaning, cell)
        if word is None and len(self.strange) < MAX_LISTED:
            self.strange[cell] = None
        if word is not None and word_of(cell) is ConsentWord.LEFT and len(self.left) < MAX_LISTED:
            self.left[cell] = None

    @property
    def _meaning(self) -> str:
        return STATUS if self.column.maybe else self.column.meaning

    def settle(self) -> None:
        """Decides what a column that may be consent is. Raises `FileRefused`."""
        is_field = self.column.maybe and not self._looks_like_consent()
        if is_field:
            self.column.meaning = field_meaning(self.column.place, self.column.name)
            self.column.reason = Because.NO_CONSENT
            self._refuse(self.left, LEFT_LATER, LEFT_LATER_COMMAND)
        else:
            if self.column.maybe:
                self.column.reason = Because.BY_VALUES
            for value in sorted(self.values):
                self._judge(value)
            self._refuse(self.strange, NOT_UNDERSTOOD, NOT_UNDERSTOOD_COMMAND)

    def _looks_like_consent(self) -> bool:
        known = [word for value in self.values if (word := word_of(value))]
        return ConsentWord.LEFT in known or (bool(known) and 2 * len(known) >= len(self.values))

    def _refuse(self, values: dict[str, None], message: str, command: str) -> None:
        if values:
            place = self.column.place
            raise FileRefused(
                message.format(place=place),
                command.format(column=quoted([self.column.name]), values=quoted(list(values)), place=place),
                columns=[self.column.name],
                values=list(values),
            )
