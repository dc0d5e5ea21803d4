"""The columns of a file: the meaning of each, and the reason for it (docs/files.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from schemas.formats import header_names
from schemas.formats.consent_words import fold
from schemas.formats.meanings import (
    CODE_NOTE,
    CONSENT,
    CUSTOM,
    FIELD,
    IGNORED,
    MEANINGS,
    NOTES,
    field_meaning,
    meaning_of,
    normal,
    preset_columns,
)
from schemas.formats.presets import IGNORE, Preset
from schemas.formats.readings import Reading
from schemas.formats.reasons import Because
from schemas.formats.refusals import FileRefused

REPEATABLE = frozenset({"unsubscribed_at", CONSENT, IGNORE})  # meanings that several columns may have
YIELDING = frozenset({"created_at", "updated_at", "last_event_at"})  # of two aliases, the first counts

ALWAYS = "`map` cannot name `unsubscribed_at`, which always counts: leave it out."
MAP = (
    "`map` names a column that the file does not have: use a header, or the number of a column, from 1. "
    "`columns` lists them."
)
SEVERAL = (
    "`map` names a header that several columns have: use one of the column numbers, {places}, such as "
    "`map[{place}]=ignore`."
)
MAPPED_TWICE = "`map` gives a column two meanings: leave one out."
TWICE = "Two columns have the same meaning: leave one out with `map[{place}]=ignore`. `columns` lists them."


@dataclass(slots=True)
class Column:
    """A column of a file. `meaning` is one of `MEANINGS`, `CONSENT`, or `FIELD` and the key of a custom
    field.

    `reason` is a sentence. `position` counts from 1.
    """

    position: int
    name: str
    meaning: str
    reason: str

    @property
    def key(self) -> str | None:
        """The key of the custom field that the column becomes; None for other meanings."""
        return self.meaning.removeprefix(FIELD) if self.meaning.startswith(FIELD) else None


def plan(
    names: Sequence[str],
    chosen: Mapping[str, str],
    preset: Preset | None = None,
    headed: bool = True,
    repeats: bool = False,
) -> list[Column]:
    """The columns with their meanings. `chosen` has the user's choices, by header or position.

    Without a header row (`headed` false), `names` are positions. With `repeats`, as in JSON, two columns may
    be the same custom field. Raises `FileRefused` if a choice fits no column, or if it is unclear which
    column has a meaning.
    """
    meanings = _meanings_by_position(names, chosen)
    columns = [
        Column(position, name, meanings[position], Because.CHOSEN)
        if position in meanings
        else _column(position, name, before, preset)
        if headed
        else Column(position, name, IGNORE, Because.NAMELESS)
        for position, (before, name) in enumerate(pairwise(("", *names)), 1)
    ]
    _settle_names(columns)
    by_meaning: dict[str, list[Column]] = {}
    for column in columns:
        by_meaning.setdefault(column.meaning, []).append(column)
    for meaning, same in by_meaning.items():
        if meaning not in REPEATABLE and not (repeats and meaning.startswith(FIELD)):
            _settle(same)
    return columns


def has_email(names: Sequence[str]) -> bool:
    return any(normal(name) == "email" or header_names.meaning_of(name) == "email" for name in names)


def is_header(cells: Sequence[str]) -> bool:
    """Whether a row of cells looks like a header."""
    return has_email(cells) and not any("@" in cell for cell in cells)


def _meanings_by_position(names: Sequence[str], chosen: Mapping[str, str]) -> dict[int, str]:
    """The meanings that the user chose, by position. Keys of `chosen` are headers, else positions.

    Raises `FileRefused` unless each key fits exactly one column.
    """
    meanings: dict[int, str] = {}
    for column, what in chosen.items():
        matching = positions_of(names, column)
        if not matching:
            raise FileRefused(MAP, columns=names)
        if len(matching) > 1:
            shown = ", ".join(map(str, matching))
            raise FileRefused(SEVERAL.format(places=shown, place=matching[-1]), columns=names)
        if meanings.setdefault(matching[0], meaning_of(what)) != meaning_of(what):
            raise FileRefused(MAPPED_TWICE)
        if normal(names[matching[0] - 1]) == "unsubscribed_at" != meanings[matching[0]]:
            raise FileRefused(ALWAYS)
    return meanings


def positions_of(names: Sequence[str], column: str) -> list[int]:
    """The positions of the columns with the header `column`.

    If no column has that header and `column` is the number of a column, its position.
    """
    for same in (str.strip, normal):
        matching = [position for position, name in enumerate(names, 1) if same(name) == same(column)]
        if matching:
            return matching
    digits = column.strip()
    return (
        [int(digits)] if digits.isascii() and digits.isdigit() and 1 <= int(digits[:9]) <= len(names) else []
    )


def by_header(reading: Reading, names: Sequence[str], sheet: str | None) -> Reading:
    """The reading in a form that suits the next file: by header, not position, and with the sheet's name.

    A column stays at its position if its header is blank, or if another column has the same header.
    """

    def single_name(column: str) -> str:
        positions = positions_of(names, column)
        name = names[positions[0] - 1] if len(positions) == 1 else ""
        return name if name.strip() and positions_of(names, name) == positions else column

    if not reading.headed:
        return replace(reading, sheet=reading.sheet and sheet)
    return replace(
        reading,
        sheet=reading.sheet and sheet,
        meanings={single_name(column): what for column, what in reading.meanings.items()},
        consent_column=reading.consent_column and single_name(reading.consent_column),
        ignored=[single_name(column) for column in reading.ignored],
    )


def _column(position: int, name: str, before: str, preset: Preset | None) -> Column:
    """The column with the meaning of its header: by our export, the preset, `MEANINGS` or the table of
    headers.

    Any other becomes a custom field. `before` is the header of the column before.
    """
    header = normal(name)
    if name.strip().startswith(CUSTOM):
        return Column(position, name, field_meaning(position, name), Because.NAMED)
    if header in IGNORED or (normal(before), header) == (NOTES[-1], CODE_NOTE):
        return Column(position, name, IGNORE, Because.BOOKKEEPING if header else Because.NAMELESS)
    by_preset = preset_columns(preset.name).get(fold(name)) if preset else None
    if preset and by_preset:
        because = Because.BOOKKEEPING if by_preset == IGNORE else Because.PRESET.format(preset.program)
        return Column(position, name, by_preset, because)
    if header in MEANINGS and header != IGNORE:
        return Column(position, name, header, Because.NAMED)
    alias = header_names.meaning_of(name)
    if alias and alias not in header_names.OF_CONSENT:
        return Column(position, name, alias, Because.ALIAS)
    because = Because.KEPT if preset and preset.knows(name) else Because.CUSTOM
    return Column(position, name, field_meaning(position, name), because)


def _settle_names(columns: Sequence[Column]) -> None:
    """Decides whether a column of whole names has only first or last names.

    It has last names if another column has only first names, and the other way round.
    """
    meanings = {column.meaning for column in columns}
    for words, beside, meaning in header_names.BESIDE:
        if beside in meanings and meaning not in meanings:
            for column in columns:
                if (
                    column.meaning == "name"
                    and column.reason != Because.CHOSEN
                    and fold(column.name) in words.split()
                ):
                    column.meaning = meaning


def _settle(columns: Sequence[Column]) -> None:
    """Decides which of several columns keeps their common meaning; the others become custom fields.

    The column keeps it whose header is exactly that meaning, or which the user chose. Raises `FileRefused` if
    this is unclear.
    """
    exact = [column for column in columns if column.reason in (Because.CHOSEN, Because.NAMED)]
    rivals = exact or list(columns)
    meaning = columns[0].meaning
    if len(rivals) > 1 and (columns[0].key is not None or exact or meaning not in YIELDING):
        labels = [f"{column.name} ({column.position})" for column in rivals]
        raise FileRefused(TWICE.format(place=rivals[-1].position), columns=labels)
    for column in columns:
        if column is not rivals[0]:
            column.meaning = field_meaning(column.position, column.name)
            column.reason = Because.SECOND.format(meaning)
