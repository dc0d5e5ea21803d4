"""Writes `audience/data/gender/world_first_names.csv`: first names that the US tables do not decide.

From the lists of men's and women's first names, by country and language, of PyPI `faker` and npm
`@faker-js/faker`, both under the MIT License. A row is written if four of five of the lists that have a name
are of one gender; its figures are the share of these lists, smoothed, out of 100.
"""

import pkgutil
import re
from ast import literal_eval
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module

from faker.providers import person

from audience.answers.folding import fold
from audience.answers.gender.gender import open_names, us_answer
from audience.answers.gender.personal_name import LETTER
from tables.first_names import write
from tables.registry import npm

NPM_VERSION = "8.4.1"  # later ones have one file for all lists
NPM_LIST = re.compile(r"dist/cjs/locales/\w+/person/(female|male)_first_name\.js")
PYPI_LIST = re.compile(r"first_(?:romanized_)?names_(female|male)(?:_\w+)?")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)+"')
PLAIN = re.compile(rf"[a-z]{{3,}}|(?:(?!\u02bc){LETTER}){{2,}}")  # U+02BC is asked as an apostrophe
SMOOTHING = 0.07  # a name on one list is right in 0.94, measured on every second author
CERTAIN = 0.8


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


def rows() -> Iterator[tuple[str, str, str]]:
    american = open_names()
    families = frozenset().union(*american.origins.family.values())
    for name, (male, female) in counts().items():
        share = (male + SMOOTHING) / (male + female + 2 * SMOOTHING)
        certain = max(male, female) >= CERTAIN * (male + female)
        if certain and name not in families and not us_answer(name, american).basis:
            yield name, str(round(100 * share)), str(100 - round(100 * share))


if __name__ == "__main__":
    write("world_first_names.csv", ["name", "male", "female"], list(rows()))
