"""Threats, contempt of a people, insults of a person: `phrases.csv`, made of the words of `groups.csv`.

A text is read as folded words, its clauses separated by commas. A phrase of the place `order` counts where a
clause begins, or after words such as `go`, `just` and `should`: `go kill yourself`, but not `please don't
kill yourself`. What follows may show that it is a figure of speech (`unless`): `I will shoot you an e-mail`.
A phrase is looked for only in a text that has one of its telling words.
"""

import re
from functools import cache

from audience.answers.folding import fold
from audience.answers.moderation.languages import is_function_word, without_foreign_words
from audience.answers.tables import rows

TOKEN = re.compile(r"([^\W_]+)|[.!?;:,\n()\"“”…]")
WORD = re.compile(r"[^\W_]{3,}")
ORDER = (
    r"(?<=, )((go|just|should|please|pls|plz|now|so|and|or|must|then|better|simply|do|yes|hey|you|u|"
    r"doch|bitte|jetzt|geh|also|alors|et|mais|y|pues|anda|vete|e|ma|dai|vai|ora) ){0,4}"
)
LATER_ORDER = r"(?<= )(go|just|should|must) "


def find_phrases(text: str) -> dict[str, str]:
    """For each reason (`threat`, `hate`, `insult`), the first words of `text` that match a phrase."""
    tokens = [match[1] or "," for match in TOKEN.finditer(without_foreign_words(fold(text)))]
    due = {at for token in tokens for at in _by_word().get(token, ())}
    joined = f", {' '.join(tokens)} ,"
    hits: dict[str, str] = {}
    for at in sorted(due):
        reason, pattern = _phrases()[at]
        if reason not in hits and (match := pattern.search(joined)):
            hits[reason] = match[0].strip(" ,")
    return hits


@cache
def _phrases() -> list[tuple[str, re.Pattern[str]]]:
    return [(row["reason"], re.compile(_pattern(row))) for row in rows("moderation/phrases")]


@cache
def _by_word() -> dict[str, list[int]]:
    """The indexes of the phrases, by word. Every text that matches a phrase has one of its words."""
    by_word: dict[str, list[int]] = {}
    for at, row in enumerate(rows("moderation/phrases")):
        words = set(WORD.findall(fold(_spelled_out(row["phrase"]))))
        for word in words:
            if not is_function_word(word):
                by_word.setdefault(word, []).append(at)
    return by_word


def _pattern(row: dict[str, str]) -> str:
    phrase, unless = fold(_spelled_out(row["phrase"])), fold(_spelled_out(row["unless"]))
    before = f"(?:{ORDER}|{LATER_ORDER})" if row["place"] == "order" else "(?<= )"
    return f"{before}(?:{phrase})(?= )" + (f"(?! (?:{unless}))" if unless else "")


def _spelled_out(phrase: str) -> str:
    for row in rows("moderation/groups"):
        words = row["words"] if row["words"].startswith("(") else f"({row['words']})"
        phrase = phrase.replace(f"{row['name']} " if words.endswith("*") else row["name"], words)
    return phrase
