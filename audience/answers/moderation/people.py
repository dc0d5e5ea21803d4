"""Names of people that are also words of the list: Christopher Coons, Dick Cheney, Porn Somchai."""

import re
from collections.abc import Callable
from functools import cache
from itertools import takewhile

from audience.answers.folding import fold
from audience.answers.gender.gender import SortedTable
from audience.answers.gender.personal_name import DATA, Kinds, load_kinds
from audience.answers.moderation.languages import is_function_word, rows

NAME = r"(?<![^\W\d_])[^\W\d_]++(?:['’][^\W\d_]++)?"
WORD = re.compile(rf"({NAME})")
NAMES = re.compile(rf"{NAME}\.?(?:(?:, | |-){NAME}\.?)++")  # words in a row: a name has two or more
SHORTEST_GIVEN = 3  # `My` is in the table
MAX_GIVEN = 4
TITLES = frozenset({"male", "female", "title"})
HOUSEHOLDS = frozenset({"familie", "family", "famille", "familia", "famiglia"})


def without_names(text: str, is_profane_if_single: Callable[[str], bool]) -> str:
    """The text without the words that are part of a person's name there: both words have a capital.

    A word that would be profane with its doubled letters single (`Tiit`) is a name too.
    """
    return NAMES.sub(lambda match: _without_names(match[0], is_profane_if_single), text)


def _without_names(row: str, is_profane_if_single: Callable[[str], bool]) -> str:
    pieces = WORD.split(row)
    words, inverted = pieces[1::2], ", " in row
    for at, word in enumerate(words):
        before = list(takewhile(_is_of_name, reversed(words[max(0, at - MAX_GIVEN) : at])))
        after = list(filter(_is_of_name, words[at + 1 : at + 2]))
        if _is_of_name(word) and (
            _is_part(fold(word), before, after, inverted)
            or ((before or after) and is_profane_if_single(fold(word)))
        ):
            pieces[2 * at + 1] = ""
    return "".join(pieces)


def _is_part(word: str, before: list[str], after: list[str], inverted: bool) -> bool:
    parts = _people().get(word, {})
    if "given" in parts and after and fold(after[0]).endswith(parts["given"]):
        return True
    beside = before + (after if inverted else [])
    return "surname" in parts and any(map(_introduces, beside))


def _is_of_name(word: str) -> bool:
    """Whether it has a capital, and is no word such as `You`."""
    return (
        word[0].isupper()
        and (word.istitle() or word.isupper() or "'" in word or "’" in word)
        and not is_function_word(fold(word))
    )


def _introduces(word: str) -> bool:
    """Whether a surname may follow: a given name of Social Security, or a title."""
    folded = fold(word)
    known = len(folded) >= SHORTEST_GIVEN and _given_names().find(folded) is not None
    return known or folded in HOUSEHOLDS or bool(_titles().get(folded, frozenset()) & TITLES)


@cache
def _people() -> dict[str, dict[str, tuple[str, ...]]]:
    """By word, the parts of a name that it may be, with the endings of the name beside it."""
    people: dict[str, dict[str, tuple[str, ...]]] = {}
    for row in rows("people"):
        people.setdefault(row["word"], {})[row["part"]] = tuple(row["beside"].split()) or ("",)
    return people


@cache
def _given_names() -> SortedTable:
    return SortedTable(DATA / "ssa_first_names_1880_2017.csv")


@cache
def _titles() -> Kinds:
    return load_kinds()
