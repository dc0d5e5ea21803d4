"""Consent in the cells of a file: only ever a reason to take somebody out (docs/files.md).

A column whose header means only consent is consent. One whose header may mean something else (`status`) is
consent if its first values say so, else a custom field; one that is ignored by itself, as without a header,
is so, too, else ignored. Words in consent columns that nobody understands, and words of having left in a
column that was not taken for consent, refuse the file; in a column of an unknown name, only words that mean
nothing else do.
"""

from dataclasses import dataclass, field
from functools import lru_cache

from schemas.formats import csv_values, dates
from schemas.formats.columns import Column
from schemas.formats.consent_words import (
    MAX_LENGTH,
    SENSES,
    ConsentWord,
    certainly_left,
    folded,
    mentions_leaving,
    word_of,
)
from schemas.formats.doubtful_headers import may_be_consent, may_say_who_confirmed
from schemas.formats.meanings import STATUS, field_meaning
from schemas.formats.presets import IGNORE
from schemas.formats.reasons import Because
from schemas.formats.refusals import FileRefused, quoted, shortened

JUDGED_ROWS = 1_000
READ_CELLS = 10_000  # of a field, for words within a text: that takes as long as all else
MAX_LISTED = 10
YES_OR_NO = (ConsentWord.YES, ConsentWord.NO)  # of what, only a header says

NOT_UNDERSTOOD = (
    "A column of consent has values that are not understood: in their place, write unsubscribed for somebody "
    "who left and subscribed for somebody who did not. Only if the column is no consent, say so with "
    "map[{place}]=field:KEY; it takes nobody out then. `columns` and `values` name them."
)
NOT_UNDERSTOOD_COMMAND = (
    "Column {column} is about consent, but these values are not understood: {values}. In their place, write "
    "`unsubscribed` for somebody who left and `subscribed` for somebody who did not. Only if the column is "
    "no consent, say so with --map {place}=field:KEY; it takes nobody out then."
)
SEVERAL_FILES = (
    "Another header begins at row {row}: the file seems to be several in one. Import each of them by itself; "
    "if they have the same columns, it is enough to delete that row."
)
SAYS_LEFT = (
    "A column that was not taken for consent says that people have left. Say with map[{place}]=status "
    "that it is consent (with map[{place}]=unsubscribed if its yes means left), or with "
    "map[{place}]=field:KEY that it is not. `columns` and `values` name them."
)
SAYS_LEFT_COMMAND = (
    "Column {column} was not taken for consent, but says that people have left: {values}. Say with "
    "--map {place}=status that it is consent (with --map {place}=unsubscribed if its yes means left), "
    "or with --map {place}=field:KEY that it is not."
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

    `values` are the distinct ones of the first rows; `strange` the first that are not understood, `left` the
    first that say by themselves that somebody left, `ended` those that say so only beside one of `left`.
    Where `everyone_left` by the word of who imports the file, no value need be understood. `again` is the
    first row whose cell is the column's name.
    """

    column: Column
    everyone_left: bool = False
    values: set[str] = field(default_factory=set)
    strange: dict[str, None] = field(default_factory=dict)
    left: dict[str, None] = field(default_factory=dict)
    ended: dict[str, None] = field(default_factory=dict)
    again: int = 0

    def see(self, number: int, row: int, cell: str) -> None:
        """A cell that is not empty, of the record with this number; a long one is kept shortened."""
        cell = shortened(cell)
        if not self.again and folded(cell) == folded(self.column.name):
            self.again = row
        if self.column.maybe and number <= JUDGED_ROWS:
            self.values.add(cell)
            return
        self._judge(cell)

    def _judge(self, cell: str) -> None:
        kind: dict[str, None] | None = None
        if said(self._meaning, cell) is None:
            kind = self.strange
        elif (word := word_of(cell)) is not None:
            kind = {ConsentWord.LEFT: self.left, ConsentWord.ENDED: self.ended}.get(word)
        if kind is not None and len(kind) < MAX_LISTED:
            kind[cell] = None

    @property
    def _meaning(self) -> str:
        return STATUS if self.column.maybe else self.column.meaning

    def settle(self) -> None:
        """Decides what a column that may be consent is. Raises `FileRefused`."""
        is_field = self.column.maybe and not self._looks_like_consent()
        if is_field:
            if not self._is_ignored:
                self.column.meaning = field_meaning(self.column.place, self.column.name)
                self.column.reason = Because.NO_CONSENT
            self._refuse(self.left, SAYS_LEFT, SAYS_LEFT_COMMAND)
        else:
            for value in sorted(self.values):
                self._judge(value)
            if self.column.maybe:
                self.column.meaning, self.column.reason = STATUS, Because.BY_VALUES
                self.strange |= {} if self.left else self.ended
            if self.again and self.strange and not self.everyone_left:
                raise FileRefused(SEVERAL_FILES.format(row=self.again))
            self._refuse(self.strange, NOT_UNDERSTOOD, NOT_UNDERSTOOD_COMMAND)

    def _refuse(self, values: dict[str, None], message: str, command: str) -> None:
        if not self.everyone_left:
            _refuse(self.column, values, message, command)

    @property
    def _is_ignored(self) -> bool:
        return self.column.meaning == IGNORE

    def _looks_like_consent(self) -> bool:
        unsaid = (None, ConsentWord.ENDED, *(YES_OR_NO if self._is_ignored else ()))
        known = [word for value in self.values if (word := word_of(value)) not in unsaid]
        return ConsentWord.LEFT in known or (bool(known) and 2 * len(known) >= len(self.values))


@dataclass
class FieldColumn:
    """Watches a column of an unknown name while the file is looked through.

    `left` are its first values that certainly say that somebody left. `doubtful` if any may say so, and
    `yes_or_no` as long as all say yes or no; `filled` is the number of cells that are not empty.
    """

    column: Column
    left: dict[str, None] = field(default_factory=dict)
    doubtful: bool = False
    yes_or_no: bool | None = None
    filled: int = 0

    def see(self, cell: str) -> None:
        """A cell that is not empty."""
        self.filled += not csv_values.says_nothing(cell)
        word, is_certain = _seen(cell) if len(cell) <= MAX_LENGTH else (None, False)
        self.yes_or_no = word in YES_OR_NO and self.yes_or_no is not False
        self.doubtful = (
            self.doubtful
            or word in (ConsentWord.LEFT, ConsentWord.ENDED)
            or (self.filled <= READ_CELLS and mentions_leaving(cell))
        )
        if is_certain and len(self.left) < MAX_LISTED:
            self.left[cell] = None

    def settle(self, rows: int) -> None:
        """Points a column out that may be consent, in a file of so many rows.

        Raises `FileRefused` on one that certainly is.
        """
        _refuse(self.column, self.left, SAYS_LEFT, SAYS_LEFT_COMMAND)
        if self.doubtful or (self.yes_or_no and may_be_consent(self.column.name)):
            self.column.reason = Because.DOUBTFUL
        elif 0 < self.filled < rows and may_say_who_confirmed(self.column.name):
            self.column.reason = Because.UNCONFIRMED


@dataclass
class TagsColumn:
    """Watches a column of tags: one may say who left, but takes nobody out."""

    column: Column
    doubtful: bool = False

    def see(self, cell: str) -> None:
        self.doubtful = self.doubtful or _names_leaving(cell)

    def settle(self, _: int) -> None:
        if self.doubtful:
            self.column.reason = Because.TAGGED


@lru_cache(maxsize=4096)
def _names_leaving(cell: str) -> bool:
    return any(map(certainly_left, csv_values.read_tags(cell)))


@lru_cache(maxsize=4096)
def _seen(cell: str) -> tuple[ConsentWord | None, bool]:
    return word_of(cell), certainly_left(cell)


def _refuse(column: Column, values: dict[str, None], message: str, command: str) -> None:
    if values:
        place = column.place
        raise FileRefused(
            message.format(place=place),
            command.format(
                column=quoted([column.name.strip() or str(place)]), values=quoted(list(values)), place=place
            ),
            columns=[column.name],
            values=list(values),
        )
