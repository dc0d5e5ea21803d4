"""Words of the list of profanity that are ordinary in a text: in its language, which its function words tell,
or beside words by which they mean something else.
"""

import re
from collections import Counter
from functools import cache

from audience.answers.folding import fold
from audience.answers.tables import rows

# Letters and digits, with the vowel signs of India and the signs of Thai and Lao, which are none to Python.
LETTER = r"(?:[^\W_]|[\u0900-\u0eff])"
WORD = re.compile(r"[^\W_]+")
ADDRESSED = frozenset({"you", "u", "ya", "youre", "ur", "ty", "ты"})


def without_foreign_words(text: str) -> str:
    """The folded `text` without words of the list that are ordinary in it: in its language, such as the
    Swedish `slut` (end), or beside other words, such as `bitch` beside `puppies`, if nobody is addressed.
    """
    words = WORD.findall(text)
    ambiguous = [word for word in words if word in _ordinary_elsewhere() or word in _homonyms()]
    if not ambiguous:
        return text
    spoken = _languages(words)
    harmless = {word for word in ambiguous if _ordinary_elsewhere().get(word, frozenset()) & spoken}
    if not ADDRESSED.intersection(words):
        harmless |= {word for word in ambiguous if not _homonyms().get(word, frozenset()).isdisjoint(words)}
    return WORD.sub(lambda match: " " if match[0] in harmless else match[0], text)


def is_function_word(word: str) -> bool:
    """Whether the folded word is a function word of English, such as `you`."""
    return "en" in _function_words().get(word, ())


def _languages(words: list[str]) -> set[str]:
    """The languages of which the text has more function words than of English."""
    counts = Counter(language for word in words for language in _function_words().get(word, ()))
    return {language for language, count in counts.items() if count > counts["en"]}


@cache
def _function_words() -> dict[str, set[str]]:
    languages: dict[str, set[str]] = {}
    for row in rows("moderation/function_words"):
        for word in row["words"].split():
            languages.setdefault(fold(word), set()).add(row["language"])
    return languages


@cache
def _ordinary_elsewhere() -> dict[str, frozenset[str]]:
    """The words of the list that are ordinary in other languages, with these languages."""
    return {row["word"]: frozenset(row["languages"].split()) for row in rows("moderation/other_languages")}


@cache
def _homonyms() -> dict[str, frozenset[str]]:
    """The words of the list that mean something else beside certain words, with those words."""
    return {
        word: frozenset(fold(row["beside"]).split())
        for row in rows("moderation/homonyms")
        for word in fold(row["words"]).split()
    }
