"""The gender that a name suggests, by the US census of 1990 and Social Security.

A title decides. Otherwise the given names are looked up in order, and the first result counts:

* in the census of 1990: winner / (male + female), in percent of all men and women with that name; a missing
  value counts as 0.0005;
* if it is missing there, or tied, in the births of Social Security: (winner + s) / (births + 2 s), the mean
  of a Beta(s, s) prior after these births;
* if it is in neither, as a compound (`Markwayne`) whose halves have the same gender in the census.

`docs/answers/gender.md` explains how `SMOOTHING` and `COMPOUND` were measured.
"""

from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from audience.answers.gender.personal_name import DATA, Kinds, load_kinds, parse

CENSUS_MISSING = 0.0005
SMOOTHING = 0.15  # maximises the likelihood of the births in odd years, given those in even years
COMPOUND = 0.97  # the share of known compound names with the gender of their halves
COMPOUND_LETTERS = range(6, 21)  # at least three per half


class GenderResult(NamedTuple):
    """`gender` is `male`, `female` or `unknown`; `confidence` 0.5 to 1.0, or 0.0 if unknown; `basis` is
    `title`, `census`, `social_security`, `compound` or empty."""

    gender: str
    confidence: float
    basis: str


UNKNOWN = GenderResult("unknown", 0.0, "")


class SortedTable:
    """A CSV table `name,male,female` sorted by name, searched in place without an index."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self._first = self._data.index(b"\n") + 1

    def find(self, name: str) -> tuple[bytes, bytes] | None:
        """The two values of `name`, as bytes; None if it is missing."""
        if not name.isascii():
            return None
        wanted = name.encode()
        rows = range(self._first, len(self._data))
        at = self._start(self._first + bisect_left(rows, wanted, key=self._name_at))
        row_name, _, values = self._data[at : self._data.find(b"\n", at)].partition(b",")
        male, _, female = values.partition(b",")
        return (male, female) if row_name == wanted else None

    def _start(self, at: int) -> int:
        return self._data.rfind(b"\n", 0, at) + 1

    def _name_at(self, at: int) -> bytes:
        start = self._start(at)
        return self._data[start : self._data.find(b",", start)]


@dataclass(frozen=True)
class Names:
    """The tables of `audience/data/gender`, 1.4 MB in memory."""

    census: SortedTable
    social_security: SortedTable
    kinds: Kinds


def open_names(folder: Path = DATA) -> Names:
    return Names(
        SortedTable(folder / "census1990_first_names.csv"),
        SortedTable(folder / "ssa_first_names_1880_2017.csv"),
        load_kinds(folder),
    )


def guess_gender(name: str, names: Names) -> GenderResult:
    """The gender that a full name or a first name suggests; any text."""
    parsed = parse(name, names.kinds)
    if parsed.title:
        return UNKNOWN if parsed.title == "neither" else GenderResult(parsed.title, 1.0, "title")
    sources = [_by_census] if parsed.surname_likely else [_by_census, _by_social_security, _by_halves]
    answers = (source(word, names) for word in parsed.given for source in sources)
    return next((answer for answer in answers if answer.basis), UNKNOWN)


def _by_census(word: str, names: Names) -> GenderResult:
    row = names.census.find(word)
    if row is None:
        return UNKNOWN
    male, female = (float(side) if side else CENSUS_MISSING for side in row)
    return _winner(male, female, "census")


def _by_social_security(word: str, names: Names) -> GenderResult:
    row = names.social_security.find(word)
    if row is None or row[0] == row[1]:
        return UNKNOWN
    return _winner(int(row[0]) + SMOOTHING, int(row[1]) + SMOOTHING, "social_security")


def _by_halves(word: str, names: Names) -> GenderResult:
    if len(word) not in COMPOUND_LETTERS:
        return UNKNOWN
    genders = {
        first.gender
        for at in range(3, len(word) - 2)
        if (first := _by_census(word[:at], names)).gender == _by_census(word[at:], names).gender
    } - {UNKNOWN.gender}
    return GenderResult(genders.pop(), COMPOUND, "compound") if len(genders) == 1 else UNKNOWN


def _winner(male: float, female: float, basis: str) -> GenderResult:
    """The confidence is the male share, or 1 minus it: computed like this it equals the published figures."""
    share = male / (male + female)
    if male == female:
        return UNKNOWN
    return GenderResult("male", share, basis) if male > female else GenderResult("female", 1 - share, basis)
