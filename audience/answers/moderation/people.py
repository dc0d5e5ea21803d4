"""Names of people and places that are also words of the list, as in Christopher Coons, Familie Wichser, Coon
Rapids and `in Dildo, Newfoundland`.
"""

import re
from functools import cache
from itertools import takewhile

from audience.answers.folding import fold
from audience.answers.gender.gender import open_names
from audience.answers.moderation.languages import is_function_word
from audience.answers.tables import lines

NAME = r"(?<![^\W\d_])[^\W\d_]++(?:['’][^\W\d_]++)?"
WORD = re.compile(rf"({NAME})")
NAMES = re.compile(rf"{NAME}\.?(?:(?:, | |-){NAME}\.?)++")  # words in a row: a name has two or more
SHORTEST_GIVEN = 3  # `My` is in the table
MAX_GIVEN = 4
TITLES = frozenset({"male", "female", "title"})
PLACES = frozenset({
    "bay", "bridge", "county", "creek", "falls", "harbor", "harbour", "hill", "island", "lake", "peak",
    "point", "rapids", "ridge", "river", "valley",
})  # fmt: skip
NEAR = frozenset({"at", "bei", "from", "in", "near", "of", "to"})
HOUSEHOLDS = frozenset({"familie", "family", "famille", "familia", "famiglia"})


def without_surnames(text: str) -> str:
    """The text without the surnames that are also words of the list of profanity. A surname is recognised by
    its capital, and by a given name or title with a capital beside it.
    """
    return NAMES.sub(lambda match: _without_surnames(match[0]), text)


def _without_surnames(row: str) -> str:
    pieces = WORD.split(row)
    words = pieces[1::2]
    for at, word in enumerate(words):
        if fold(word) in _surnames() and _is_of_name(word):
            beside = list(takewhile(_is_of_name, reversed(words[max(0, at - MAX_GIVEN) : at])))
            beside += filter(_is_of_name, words[at + 1 : at + 2] if ", " in row else [])
            if any(map(_introduces, beside)) or _is_place(words, at, row):
                pieces[2 * at + 1] = ""
    return "".join(pieces)


def _is_place(words: list[str], at: int, row: str) -> bool:
    """Whether the word at `at` is the name of a place: `Coon Rapids`, `in Dildo, Newfoundland`."""
    before, after = "".join(words[max(0, at - 1) : at]), "".join(words[at + 1 : at + 2])
    return after[:1].isupper() and (
        fold(after) in PLACES or (before in NEAR and f"{words[at]}, {after}" in row)
    )


def _is_of_name(word: str) -> bool:
    """Whether a word may be part of a name: it has a capital, and is not a function word such as `You`."""
    return (
        word[0].isupper()
        and (word.istitle() or word.isupper() or "'" in word or "’" in word)
        and not is_function_word(fold(word))
    )


def _introduces(word: str) -> bool:
    """Whether a surname may stand beside the word: it is a title, a word such as `Familie`, or a given name
    in the table of Social Security.
    """
    folded, names = fold(word), open_names()
    known = len(folded) >= SHORTEST_GIVEN and names.social_security.find(folded) is not None
    return known or folded in HOUSEHOLDS or not TITLES.isdisjoint(names.kinds.get(folded, ()))


@cache
def _surnames() -> frozenset[str]:
    return frozenset(lines("moderation/surnames"))
