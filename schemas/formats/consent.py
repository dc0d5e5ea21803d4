"""The answer to who in a file may be written to: one state for everyone, or a state for each value of some
columns.

The file itself answers only if it is our own export, or the file of a program all of whose values are known
(docs/files.md).
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from schemas.export_columns import EXPORT_COLUMNS
from schemas.formats import csv_values, dates
from schemas.formats.columns import Column, positions_of
from schemas.formats.consent_words import fold
from schemas.formats.meanings import CONSENT, OWN, normal
from schemas.formats.presets import IGNORE, Preset
from schemas.formats.readings import Reading
from schemas.formats.reasons import Because
from schemas.formats.refusals import FileRefused
from schemas.values import SUBSCRIBED, UNCONFIRMED, UNSUBSCRIBED

WORDS = {
    SUBSCRIBED: "everyone has agreed", UNSUBSCRIBED: "nobody may be written to",
    UNCONFIRMED: "nobody has confirmed yet", "": "an export of Audience, which says who may be written to",
}  # fmt: skip
WORDS_OF_ONE = {
    SUBSCRIBED: "has agreed", UNSUBSCRIBED: "may not be written to", UNCONFIRMED: "has not confirmed yet",
}  # fmt: skip
BLANK, DATE = "", "date"  # values that stand for many
COMMAND, IN_COMMAND, OUT_COMMAND = "command", "subscribe", "unsubscribe"  # our own column, and its words
MAX_LENGTH = 100  # characters of a cell that may be a date or a known value

BOTH = "Send `consent` for everyone, or `consent_column` with the meaning of its values, not both."
NO_COLUMN = (
    "Send `consent_column`: `subscribed`, `unsubscribed` and `unconfirmed` tell what values of a column mean."
)
TWICE = "You gave some values two meanings. Send each value once. `values` lists them."
OF_NO_COLUMN = (
    "`{name}` names no column of the file: use a header, or its number, from 1. `columns` lists them."
)
OF_SEVERAL = "`{name}` names a header that several columns have: use one of their places, {places}."
OUR_OWN = "`ignore_column` cannot name `unsubscribed_at` or `command`: these always count."


def comparable(cell: str) -> str:
    """The form in which cells are compared: without case, outer blanks and line breaks; blank for a
    database's mark of a missing value.

    Only texts of up to `MAX_LENGTH` characters are also brought into NFKC, which takes quadratic time.
    """
    return _same(cell) if len(cell) <= MAX_LENGTH else " ".join(cell.split()).casefold()


@lru_cache(maxsize=4096)
def _same(cell: str) -> str:
    if csv_values.has_no_value(cell):
        return BLANK
    return " ".join(unicodedata.normalize("NFKC", cell).split()).casefold()


def is_date(cell: str) -> bool:
    return len(cell) <= MAX_LENGTH and _is_date(cell)


@lru_cache(maxsize=4096)
def _is_date(cell: str) -> bool:
    return comparable(cell) != BLANK and bool(dates.forms_of(cell))


@dataclass(frozen=True)
class ConsentColumn:
    """A column that tells who may be written to. `states` has the state of each value, in the form of `same`.

    The key `DATE` of `states` stands for all dates.
    """

    column: Column
    states: Mapping[str, str]

    def state(self, cell: str) -> str | None:
        """The state that a cell means; None if the user did not say."""
        return self.states.get(comparable(cell)) or (self.states.get(DATE) if self.is_dated(cell) else None)

    def is_dated(self, cell: str) -> bool:
        """Whether a cell is a date that has only the state of all dates (`DATE`), not one of its own."""
        return DATE in self.states and comparable(cell) not in self.states and is_date(cell.strip())


@dataclass(frozen=True)
class ConsentAnswer:
    """The answer to who in a file may be written to.

    `everyone` is one state for all rows; if it is empty, `columns` have the state of each row. `by_file` is
    true if the file itself answers, not the user.
    """

    everyone: str = ""
    columns: Sequence[ConsentColumn] = ()
    by_file: bool = False

    @property
    def words(self) -> str:
        if self.everyone or not self.columns:
            return WORDS[self.everyone]
        names = ", ".join(
            column.column.name.strip() or str(column.column.position) for column in self.columns
        )
        says = "columns {} say who" if len(self.columns) > 1 else "column {} says who"
        return f"{'its' if self.by_file else 'the'} {says.format(names[:MAX_LENGTH])}"

    @property
    def is_open(self) -> bool:
        return not (self.everyone or self.columns or self.by_file)


def answer(
    names: Sequence[str], columns: Sequence[Column], reading: Reading, preset: Preset | None
) -> ConsentAnswer:
    """The answer to who may be written to, from the user's parameters or else from the file.

    It `is_open` if neither answers. Raises `FileRefused` if the parameters contradict each other, or name no
    column of this file.
    """
    states_told = _answered_states(reading)
    if reading.consent and (reading.consent_column is not None or states_told):
        raise FileRefused(BOTH)
    if reading.consent:
        return ConsentAnswer(reading.consent, _unsubscribe_dates(names, columns, reading, preset))
    if reading.consent_column is not None:
        column = columns[_position(names, reading.consent_column, "consent_column") - 1]
        return ConsentAnswer(columns=[_mark_consent(column, states_told, Because.CHOSEN)])
    if set(EXPORT_COLUMNS) <= set(names):
        return ConsentAnswer(by_file=True)
    by_preset = _by_preset(names, columns, reading, preset)
    if states_told and not by_preset:
        raise FileRefused(NO_COLUMN)
    because = Because.PRESET.format(preset.program) if preset else ""
    answers = [
        _mark_consent(column, _with_answers(states, states_told), because)
        for column in columns
        if (states := by_preset.get(fold(column.name))) is not None
    ]
    return ConsentAnswer(columns=answers, by_file=bool(answers))


def _with_answers(states: Mapping[str, str], answers: Mapping[str, str]) -> dict[str, str]:
    """The state of each value of a program's column: the program's `states`, overridden by `answers`.

    Only a blank cell keeps the program's state, if it has one.
    """
    return {**states, **{value: state for value, state in answers.items() if value or not states.get(BLANK)}}


def _unsubscribe_dates(
    names: Sequence[str], columns: Sequence[Column], reading: Reading, preset: Preset | None
) -> list[ConsentColumn]:
    """The program's columns with dates of unsubscribing, if the answer is that everyone is unsubscribed."""
    states = _by_preset(names, columns, reading, preset) if reading.consent == UNSUBSCRIBED else {}
    dated = [column for column in columns if states.get(fold(column.name), {}).get(DATE) == UNSUBSCRIBED]
    return [_mark_consent(column, {DATE: UNSUBSCRIBED}, Because.CHOSEN) for column in dated]


def _by_preset(
    names: Sequence[str], columns: Sequence[Column], reading: Reading, preset: Preset | None
) -> Mapping[str, Mapping[str, str]]:
    """The state of each value that the preset defines, by folded header of its column.

    Empty without a preset, or if the user chose another meaning for one of these columns.
    """
    states = preset.consent_of(names, chosen=reading.preset is not None) if preset else {}
    chosen = {fold(column.name) for column in columns if column.reason == Because.CHOSEN}
    return {} if chosen & states.keys() else states


def _mark_consent(column: Column, states: Mapping[str, str], because: str) -> ConsentColumn:
    """Makes a column one of consent. Returns it with the state of each of its values.

    A custom field or ignored column gets the meaning `CONSENT` and the reason `because`; others keep theirs.
    In our own column `command`, the value `unsubscribe` always means unsubscribed.
    """
    if column.key is not None or column.meaning == IGNORE:
        column.meaning, column.reason = CONSENT, because
    if column.meaning == COMMAND:
        states = {**states, OUT_COMMAND: UNSUBSCRIBED}
    return ConsentColumn(column, states)


def ignored_positions(names: Sequence[str], columns: Sequence[Column], reading: Reading) -> set[int]:
    """The positions of the columns in the user's `ignore_column`.

    Raises `FileRefused` for a column that does not exist, or that may not be ignored (one of `OWN`).
    """
    positions = {_position(names, name, "ignore_column") for name in reading.ignored}
    if any(
        {columns[position - 1].meaning, normal(columns[position - 1].name)} & {*OWN} for position in positions
    ):
        raise FileRefused(OUR_OWN)
    return positions


def _answered_states(reading: Reading) -> dict[str, str]:
    """The state of each value that the user gave a meaning, in the form of `same`.

    Raises `FileRefused` for a value with two states.
    """
    states: dict[str, str] = {}
    twice = []
    for state, values in reading.told.items():
        for value in values:
            if states.setdefault(comparable(value), state) != state:
                twice.append(value)
    if twice:
        raise FileRefused(TWICE, values=twice)
    return states


def _position(headers: Sequence[str], column: str, parameter: str) -> int:
    """The position of a `column`, given by header or position.

    Raises `FileRefused`, which names `parameter`, unless exactly one column fits.
    """
    positions = positions_of(headers, column)
    if not positions:
        raise FileRefused(OF_NO_COLUMN.format(name=parameter), columns=headers)
    if len(positions) > 1:
        raise FileRefused(OF_SEVERAL.format(name=parameter, places=", ".join(map(str, positions))))
    return positions[0]
