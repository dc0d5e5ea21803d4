"""Checks that every table of words must pass."""

from collections.abc import Iterable

from schemas.formats.consent_words import fold


def normalized(words: Iterable[str]) -> bool:
    """Whether each word is spelled as in a normalized header: in lower case, `_` for a blank or a hyphen."""
    return all(word == word.strip().lower().replace(" ", "_").replace("-", "_") for word in words)


def repeated(rows: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """The words that stand for more than one meaning."""
    meanings: dict[str, set[str]] = {}
    for meaning, word in rows:
        meanings.setdefault(fold(word), set()).add(meaning)
    return {word: found for word, found in meanings.items() if len(found) > 1}
