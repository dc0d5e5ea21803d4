"""The file of a program without the column by which that program says who left."""

from collections.abc import Sequence

from schemas.formats import presets
from schemas.formats.columns import Column
from schemas.formats.consent_words import folded
from schemas.formats.header_names import meaning_of
from schemas.formats.meanings import CONSENTS, SAYING
from schemas.formats.presets import PRESETS, Preset, http_advice
from schemas.formats.readings import Reading
from schemas.formats.reasons import Because
from schemas.formats.refusals import FileRefused

MISSING = (
    "The file lacks a column that says who left: {program} writes it as `{name}`. Get the file with that "
    "column, say with map[COLUMN]={meaning} which other column says it, or with consent=unsubscribed that "
    "everyone in the file has left."
)
MISSING_COMMAND = (
    "The file has no column `{name}`, by which {program} says who left: get the file with it, say with "
    "--map COLUMN={meaning} which other column says it, or with --consent unsubscribed that everyone in the "
    "file has left"
)
RESEMBLED = (
    "The columns are those of {program}, but `{name}`, which says who left, is missing: whoever has left "
    "comes in subscribed by this file. Get the file with that column."
)


def renamed(names: Sequence[str]) -> Preset | None:
    """The program whose file it is, if its column of consent is called otherwise."""
    preset = presets.resembled(names)
    return preset if preset and any(meaning_of(name) in CONSENTS for name in names) else None


def check(columns: Sequence[Column], reading: Reading) -> None:
    """Raises `FileRefused` where a file is said to be of a program, but cannot say who left."""
    preset = PRESETS[reading.preset] if reading.preset else None
    if preset and columns and not reading.left and _is_missing(preset, columns):
        words, names = _words(preset), [column.name for column in columns]
        doubts = presets.doubts(names, preset)
        message = " ".join([MISSING.format(**words), *map(http_advice, doubts)])
        raise FileRefused(message, ". ".join([MISSING_COMMAND.format(**words), *doubts]), columns=names)


def note(columns: Sequence[Column], reading: Reading) -> str:
    """What to tell of a file that only looks like that of a program; empty of any other."""
    preset = None if reading.preset else presets.resembled(column.name for column in columns)
    if preset is None or reading.left or not _is_missing(preset, columns):
        return ""
    return RESEMBLED.format(**_words(preset))


def _is_missing(preset: Preset, columns: Sequence[Column]) -> bool:
    may_be_renamed = presets.resembled(column.name for column in columns) is preset
    return bool(preset.consent) and not any(
        folded(column.name) == folded(preset.consent)
        or (may_be_renamed and column.meaning in CONSENTS)
        or (column.reason == Because.CHOSEN and column.meaning in SAYING)
        for column in columns
    )


def _words(preset: Preset) -> dict[str, str]:
    name = preset.consent
    return {"program": preset.program, "name": name, "meaning": preset.columns[name]}
