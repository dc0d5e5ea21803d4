"""Which gender a name suggests (spec 4.5, contract section 5), by the US census of 1990 and Social Security.

A title says it outright. Else the given names are asked in their order; the first that is not silent answers:

* the census of 1990: winner / (men + women), in percent of the men and of the women who bear the name, a
  missing side counting 0.0005;
* where the census is silent or tied, the births that Social Security counted: (winner + s) / (births + 2 s),
  the mean of a Beta(s, s) prior after these births;
* where both are silent, a name written as one (`Markwayne`) whose halves the census gives to the same gender.

`docs/answers/gender.md` tells how `SMOOTHING` and `COMPOUND` were measured.
"""

from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from audience.checks.personal_name import DATA, Kinds, load_kinds, parse

CENSUS_MISSING = 0.0005
SMOOTHING = 0.15  # births of odd years are likeliest under it, given those of even years
COMPOUND = 0.97  # of the names so made whose gender is known, the share that has the gender of its halves
COMPOUND_LETTERS = range(6, 21)  # a half has at least three


class Guess(NamedTuple):
    """`gender` is `male`, `female` or `unknown`; `confidence` 0.5 to 1.0, and 0.0 if unknown; `basis` is what
    said so: `title`, `census`, `social_security`, `compound` or nothing."""

    gender: str
    confidence: float
    basis: str


UNKNOWN = Guess("unknown", 0.0, "")


class SortedTable:
    """A CSV table `name,male,female` sorted by name, searched as it stands, with no index to build or
    hold."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self._first = self._data.index(b"\n") + 1

    def find(self, name: str) -> tuple[bytes, bytes] | None:
        """The two values of `name`, as written; None if it is not there."""
        if not name.isascii():
            return None
        wanted = name.encode()
        rows = range(self._first, len(self._data))
        at = self._start(self._first + bisect_left(rows, wanted, key=self._name_at))
        found, _, values = self._data[at : self._data.find(b"\n", at)].partition(b",")
        male, _, female = values.partition(b",")
        return (male, female) if found == wanted else None

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


def guess(name: str, names: Names) -> Guess:
    """The gender that `name` suggests: a full name or a first name, as people write it, of any length."""
    person = parse(name, names.kinds)
    if person.title:
        return UNKNOWN if person.title == "neither" else Guess(person.title, 1.0, "title")
    sources = [_by_census] if person.surname_likely else [_by_census, _by_social_security, _by_halves]
    answers = (source(word, names) for word in person.given for source in sources)
    return next((answer for answer in answers if answer.basis), UNKNOWN)


def _by_census(word: str, names: Names) -> Guess:
    row = names.census.find(word)
    if row is None:
        return UNKNOWN
    male, female = (float(side) if side else CENSUS_MISSING for side in row)
    return _winner(male, female, "census")


def _by_social_security(word: str, names: Names) -> Guess:
    row = names.social_security.find(word)
    if row is None or row[0] == row[1]:
        return UNKNOWN
    return _winner(int(row[0]) + SMOOTHING, int(row[1]) + SMOOTHING, "social_security")


def _by_halves(word: str, names: Names) -> Guess:
    if len(word) not in COMPOUND_LETTERS:
        return UNKNOWN
    found = {
        first.gender
        for at in range(3, len(word) - 2)
        if (first := _by_census(word[:at], names)).gender == _by_census(word[at:], names).gender
    } - {UNKNOWN.gender}
    return Guess(found.pop(), COMPOUND, "compound") if len(found) == 1 else UNKNOWN


def _winner(male: float, female: float, basis: str) -> Guess:
    """The confidence is the men's share, or what it leaves: in this order it equals the published ones to the
    last digit."""
    share = male / (male + female)
    if male == female:
        return UNKNOWN
    return Guess("male", share, basis) if male > female else Guess("female", 1 - share, basis)
