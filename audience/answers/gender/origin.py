"""The origin of a whole name, as far as its words show it, and which of its words is the given name.

`origins.csv` has the signs of an origin: surnames, their endings and beginnings, and family names that come
first. `given_elsewhere.csv` has the given names whose gender there differs from that in the United States, or
which have either gender.

An origin is the language of a country, by the country's code. CA is Catalan, YU South Slavic.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from audience.answers.tables import rows

FAMILY_FIRST = ("VN", "KR", "CN", "JP", "HU")
# Syllables of romanised names: two or three make a given name.
SYLLABLES = {
    "CN": r"(?:[bpmfdtnlgkhjqxzcsryw]|zh|ch|sh|hs)?"
    r"(?:[aeiou]|ai|ei|ui|ao|ou|iu|ie|ue|ia|ua|uo|iao|uai|io)(?:ng|n|r|h)?",
    "KR": r"(?:[bcdghjklmnprstwy]|ch|kk|pp|tt|ss|jj)?y?"
    r"(?:ae|eo|eu|oo|ee|ou|ui|wa|wo|we|wi|[aeiou])(?:ng|ck|[klmnpt])?h?",
    "JP": r"(?:[bdfghjkmnprstwyz]|ch|sh|ts|[bghkmnpr]y)?[aiueo]|n",
}
GIVEN = {
    "CN": re.compile(rf"(?:{SYLLABLES['CN']}){{1,2}}"),
    "KR": re.compile(rf"(?:{SYLLABLES['KR']}){{1,2}}"),
    "JP": re.compile(rf"(?:{SYLLABLES['JP']}){{2,6}}"),
}
VIETNAMESE_SIGNS = {"thi": "female", "van": "male"}  # the first word after the family name
SHORT_FAMILY = 3  # letters: `Le` and `Do` need a sign after them
MAX_GIVEN = 3  # words after a family name


@dataclass(frozen=True)
class Origins:
    """The tables that tell the origin of a name. `family` has the family names by origin, `surnames` the
    origin by surname.

    `patterns` are (origin, pattern of a surname's beginning or ending) pairs.
    """

    family: Mapping[str, frozenset[str]]
    surnames: Mapping[str, str]
    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    feminine: re.Pattern[str]  # endings that only a woman's surname has
    given: Mapping[str, Mapping[str, str]]  # by given name and origin: `male`, `female` or `either`


def load_origins() -> Origins:
    signs: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
    for row in rows("gender/origins"):
        signs[row["sign"]][row["origin"]] = row["values"].split()
    patterns = [(origin, f"(?:{'|'.join(values)})$") for origin, values in signs["ending"].items()]
    patterns += [(origin, f"^(?:{'|'.join(values)})") for origin, values in signs["start"].items()]
    feminine = "|".join(ending for values in signs["feminine"].values() for ending in values)
    given: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in rows("gender/given_elsewhere"):
        for name in row["names"].split():
            given[name][row["origin"]] = row["gender"]
    return Origins(
        {origin: frozenset(values) for origin, values in signs["family"].items()},
        {value: origin for origin, values in signs["surname"].items() for value in values},
        tuple((origin, re.compile(pattern)) for origin, pattern in patterns),
        re.compile(rf"(?:{feminine})$"),
        given,
    )


def family_first(words: tuple[str, ...], origins: Origins) -> str:
    """The origin by which the first of the folded `words` is the family name and the others are given names.
    Empty if there is none.
    """
    if not 1 < len(words) <= MAX_GIVEN + 1:
        return ""
    parts = [part for word in words[1:] for part in word.split("-")]
    for origin in FAMILY_FIRST:
        if words[0] in origins.family[origin] and _are_given(origin, words[0], words[1:], parts, origins):
            return origin
    return ""


def family_last(words: tuple[str, ...], origins: Origins) -> str:
    """The origin by which the last of the folded `words` is the family name, as in `Jun Li`. Empty if there
    is none.
    """
    origin = family_first(words[-1:] + words[:-1], origins)
    return origin if origin in ("CN", "JP") else ""


def by_surname(surname: str, origins: Origins) -> str:
    """The origin of a folded surname. Empty if it is unknown."""
    known = origins.surnames.get(surname)
    return known or next((origin for origin, sign in origins.patterns if sign.search(surname)), "")


def _are_given(origin: str, family: str, words: tuple[str, ...], parts: list[str], origins: Origins) -> bool:
    """Whether `words` are given names of `origin`, in which `family` is a family name. `parts` are the words,
    split at hyphens.
    """
    if origin == "VN":
        return words[0] in VIETNAMESE_SIGNS or len(family) > SHORT_FAMILY
    if origin == "HU":
        return "HU" in origins.given.get(words[-1], {}) or words[-1].endswith("ne")
    return all(GIVEN[origin].fullmatch(part) for part in parts)
