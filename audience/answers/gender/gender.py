"""The gender that a name suggests, by the US census of 1990 and Social Security, else by names of the world.

A title decides. Otherwise the given names are looked up in order, and the first result counts:

* in the census of 1990: winner / (male + female), in percent of all men and women with that name; a missing
  value counts as 0.0005;
* if it is missing there, or tied, in the births of Social Security: (winner + s) / (births + 2 s), the mean
  of a Beta(s, s) prior after these births;
* if it is in neither, or tied, in the names of the world: lists of first names by country and language, in
  any script, and the World Gender Name Dictionary;
* if it is in none, as a compound (`Markwayne`) whose halves have the same gender in the census.

Before the given names are looked up, the whole name may show another origin (`origin.py`): by a family name
that comes first, or by a given name whose gender differs there (`Andrea Rossi`). Beside a surname that is not
among the 18,840 commonest of the census, the names of the world are asked first; of a name that the US tables
have, they contain the share of men in all countries if it is mixed there (`Dominique`).
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

from audience.answers.folding import fold
from audience.answers.gender.origin import (
    MAX_GIVEN,
    VIETNAMESE_SIGNS,
    Origins,
    by_surname,
    family_first,
    family_last,
    load_origins,
)
from audience.answers.gender.personal_name import DATA, Kinds, PersonalName, load_kinds, parse

CENSUS_MISSING = 0.0005
SMOOTHING = 0.15  # maximises the likelihood of the births in odd years, given those in even years
COMPOUND = 0.97  # of 1,966 compound names of Social Security, 0.995 have the gender of their halves
COMPOUND_LETTERS = range(6, 21)
HALF = 4  # letters of a half, at least
ELSEWHERE = 0.95  # of a row for the origin that the whole name shows
KOREAN_LETTERS = 5  # of a given name of two syllables, at least
WEAK = 0.75  # up to here a Sikh's second name decides
ROMANISED_ONE_WAY = ("JP", "HU")  # a Chinese or Korean name is a man's or a woman's by its characters
# Marks of a son or a daughter, and of a mother's or a father's name, in a folded name.
SON = re.compile(r"\w (?:bin|ibn|ould|a/l|s/o|بن|ولد) \w|^(?:عبد ?ال|ابو )|^\w+ ?الدين(?!\w)")
DAUGHTER = re.compile(r"\w (?:binti?|binte|a/p|d/o|بنت|kaur) \w|^ام \w")
SIKH = {"kaur": "female", "singh": "male"}


class GenderResult(NamedTuple):
    """The gender of a name: `male`, `female` or `unknown`. `confidence` is 0.5 to 1.0, or 0.0 if the gender
    is unknown.

    `basis` is the source: `title`, `census`, `social_security`, `world`, `compound`, `origin` or empty.
    """

    gender: str
    confidence: float
    basis: str


UNKNOWN = GenderResult("unknown", 0.0, "")


class SortedTable:
    """A CSV table `name,male,female`, sorted by name. Names are searched in the file, which all processes map
    into memory, without an index.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._data = mmap(file.fileno(), 0, access=ACCESS_READ)
        self._first = self._data.find(b"\n") + 1

    def find(self, name: str) -> tuple[bytes, bytes] | None:
        """The two values in the row of `name`, as bytes. None if there is no such row."""
        wanted = name.encode()
        rows = range(self._first, len(self._data))
        at = self._start(self._first + bisect_left(rows, wanted, key=self._name_at))
        row_name, _, values = self._data[at : self._data.find(b"\n", at)].partition(b",")
        male, _, female = values.partition(b",")
        return (male, female) if row_name == wanted else None

    def _start(self, at: int) -> int:
        """The position of the beginning of the line that contains position `at`."""
        return self._data.rfind(b"\n", 0, at) + 1

    def _name_at(self, at: int) -> bytes:
        start = self._start(at)
        return self._data[start : self._data.find(b",", start)]


@dataclass(frozen=True)
class Names:
    """The tables of `audience/data/gender`, 16 MB of files that all processes share."""

    census: SortedTable
    social_security: SortedTable
    world: SortedTable
    surnames: SortedTable
    kinds: Kinds
    origins: Origins


@cache
def open_names() -> Names:
    """The tables of names, loaded on first use, once per process."""
    return Names(
        SortedTable(DATA / "census1990_first_names.csv"),
        SortedTable(DATA / "ssa_first_names_1880_2017.csv"),
        SortedTable(DATA / "world_first_names.csv"),
        SortedTable(DATA / "census1990_last_names.csv"),
        load_kinds(),
        load_origins(),
    )


def guess_gender(name: str, names: Names) -> GenderResult:
    """The gender that a full name or a first name suggests. Accepts any text."""
    parsed = parse(name, names.kinds)
    if parsed.title:
        return _by_title(name, parsed.title, names)
    marked = "male" if SON.search(parsed.text) else "female" if DAUGHTER.search(parsed.text) else ""
    if marked:
        return GenderResult(marked, ELSEWHERE, "origin")
    eastern = _family_origin(parsed.words, names)
    if eastern:
        return _by_family_name(eastern, parsed, names)
    for word in parsed.given:
        answer = _by_census(word, names) if parsed.surname_likely else _by_given(word, parsed.surname, names)
        if not answer.basis and not parsed.surname_likely:
            answer = _by_halves(word, names)
        elsewhere = _by_surname_origin(word, parsed.surname, names)
        if elsewhere:
            return elsewhere
        if answer.basis:
            return _by_form(parsed.surname, answer, names)
    form = _by_form(parsed.surname, UNKNOWN, names)
    if form.basis or not parsed.words:
        return form
    return _by_form(parsed.words[0], UNKNOWN, names)


def _family_origin(words: tuple[str, ...], names: Names) -> str:
    """The origin by which the first or the last word is the family name, and all others are given names.
    Empty if there is none, or if the name may as well be American.
    """
    first = family_first(words, names.origins)
    if first:
        return first
    if _is_hungarian(words, names):
        return "HU"
    last = family_last(words, names.origins)
    own = last and last in names.origins.given.get(words[0], {})
    return last if own or (last and not _by_census(words[0], names).basis) else ""


def _is_hungarian(words: tuple[str, ...], names: Names) -> bool:
    """Whether a Hungarian family name, which is nobody's given name, stands before a known given name."""
    return (
        1 < len(words) <= MAX_GIVEN + 1
        and words[0] in names.origins.family["HU"]
        and not _by_census(words[0], names).basis
        and _by_tables(words[-1], names).basis != ""
    )


def _by_title(name: str, title: str, names: Names) -> GenderResult:
    """The gender that the title before a name tells. A title that stands alone and is also a given name of
    the census, such as `Lady`, is looked up there.
    """
    alone = _by_census(fold(name).strip(), names)
    if alone.basis:
        return alone
    return UNKNOWN if title == "neither" else GenderResult(title, 1.0, "title")


def _by_family_name(origin: str, parsed: PersonalName, names: Names) -> GenderResult:
    """The gender of the given name in a name with a family name of `origin`, by the signs of that origin.
    A Chinese or Korean name in Latin letters says nothing.
    """
    first = parsed.words[0] in names.origins.family[origin]
    given = parsed.words[1:] if first else parsed.words[:-1]
    if origin == "VN" and given[0] in VIETNAMESE_SIGNS:
        return GenderResult(VIETNAMESE_SIGNS[given[0]], ELSEWHERE, "origin")
    word = given[-1]
    gender = names.origins.given.get(word, {}).get(origin)
    if gender in ("male", "female"):
        return GenderResult(gender, ELSEWHERE, "origin")
    if origin == "JP" and word.endswith("hiko"):
        return GenderResult("male", ELSEWHERE, "origin")
    if (origin == "JP" and word.endswith("ko")) or (origin == "HU" and word.endswith("ne")):
        return GenderResult("female", ELSEWHERE, "origin")
    if origin in ROMANISED_ONE_WAY:
        return _by_tables(word, names)
    return UNKNOWN if origin == "CN" else _by_asian(origin, given, names)


def _by_asian(origin: str, given: tuple[str, ...], names: Names) -> GenderResult:
    """The gender of a Korean or Vietnamese given name that the census lacks: a Korean one of two syllables,
    the last word of a Vietnamese one.
    """
    word = "".join(given).replace("-", "") if origin == "KR" else given[-1]
    if _by_census(word, names).basis or (origin == "KR" and len(word) < KOREAN_LETTERS):
        return UNKNOWN
    world = _by_world(word, names)
    answer = world if world.basis else _by_social_security(word, names)
    return answer if answer.confidence > WEAK else UNKNOWN


def _by_surname_origin(word: str, surname: str, names: Names) -> GenderResult | None:
    """The result for a given name (`word`) that has another gender in some countries, by the origin of the
    surname.

    The result is None if no such origin is known.
    """
    genders = names.origins.given.get(word)
    if not genders or not surname:
        return None
    gender = genders.get(by_surname(surname, names.origins))
    if not gender:
        return None
    return UNKNOWN if gender == "either" else GenderResult(gender, ELSEWHERE, "origin")


def _by_form(surname: str, answer: GenderResult, names: Names) -> GenderResult:
    """The result `answer`, corrected by a surname that tells the gender itself.

    No man has the woman's form of a Slavic or Icelandic surname (`Nováková`, not the Italian `Casanova`).
    Every Sikh man is called `Singh`, every Sikh woman `Kaur`; these decide only if `answer` is weak.
    """
    feminine = names.origins.feminine.search(surname) is not None and not _is_american(surname, names)
    if feminine and answer.gender != "female":
        return GenderResult("female", ELSEWHERE, "origin")
    if surname in SIKH and answer.confidence <= WEAK:
        return GenderResult(SIKH[surname], WEAK, "origin")
    return answer


def _is_american(surname: str, names: Names) -> bool:
    return any(names.surnames.find(part) is not None for part in surname.split("-"))


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


def _by_world(word: str, names: Names) -> GenderResult:
    row = names.world.find(word)
    return UNKNOWN if row is None else _winner(int(row[0]), 100 - int(row[0]), "world")


def us_answer(word: str, names: Names) -> GenderResult:
    """The gender of a given name by the American tables alone: the census, else Social Security."""
    census = _by_census(word, names)
    return census if census.basis else _by_social_security(word, names)


def _by_given(word: str, surname: str, names: Names) -> GenderResult:
    """The gender of a given name beside `surname`, which is empty if unknown: first by the tables of its
    people.
    """
    world = _by_world(word, names) if surname and not _is_american(surname, names) else UNKNOWN
    return world if world.basis else _by_tables(word, names)


def _by_tables(word: str, names: Names) -> GenderResult:
    american = us_answer(word, names)
    return american if american.basis else _by_world(word, names)


def _by_halves(word: str, names: Names) -> GenderResult:
    """The gender of a compound such as `Markwayne`, if its halves have the same gender in the census."""
    if len(word) not in COMPOUND_LETTERS:
        return UNKNOWN
    genders = {
        first.gender
        for at in range(HALF, len(word) - HALF + 1)
        if (first := _by_census(word[:at], names)).gender == _by_census(word[at:], names).gender
    } - {UNKNOWN.gender}
    return GenderResult(genders.pop(), COMPOUND, "compound") if len(genders) == 1 else UNKNOWN


def _winner(male: float, female: float, basis: str) -> GenderResult:
    """The more frequent gender; unknown on a tie. The confidence of `male` is the male share, that of
    `female` is 1 minus the male share, as these equal the published figures exactly.
    """
    share = male / (male + female)
    if male == female:
        return UNKNOWN
    return GenderResult("male", share, basis) if male > female else GenderResult("female", 1 - share, basis)
