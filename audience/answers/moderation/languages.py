"""The language of a text, told by its function words. It decides whether a word of the list is an ordinary
word there.
"""

import re
from collections import Counter
from functools import cache

from audience.answers.folding import fold
from audience.answers.tables import rows

WORD = re.compile(r"[^\W_]+")


def without_foreign_words(text: str) -> str:
    """The folded `text` without words of the list that are ordinary in the language of the text, such as the
    Swedish `slut` (end).
    """
    words = WORD.findall(text)
    ambiguous = [word for word in words if word in _ordinary_elsewhere()]
    if not ambiguous:
        return text
    spoken = _languages(words)
    harmless = {word for word in ambiguous if _ordinary_elsewhere()[word] & spoken}
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
    return {row["word"]: frozenset(row["languages"].split()) for row in rows("moderation/other_languages")}
