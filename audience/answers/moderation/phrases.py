"""Phrases that threaten, show contempt of a people or insult a person. `phrases.csv` has them, made of the
words of `groups.csv`.

A text is read as folded words with its clauses separated by commas. A phrase with `order` in the column
`place` counts only at the beginning of a clause, or after words such as `go`, `just` and `should`: `go kill
yourself`, but not `please don't kill yourself`.

A phrase does not count if words of its column `unless` follow, which show that it is a figure of speech: `I
will shoot you an e-mail`. It is looked for only if the text has one of its words, function words aside.
"""

import re
from functools import cache

from audience.answers.folding import fold
from audience.answers.moderation.languages import LETTER, is_function_word, without_foreign_words
from audience.answers.moderation.profanity import CAPITAL_I, without_disguise
from audience.answers.tables import rows

TOKEN = re.compile(rf"({LETTER}+)|[.!?;:,\n()\"“”…]")
WORD = re.compile(rf"{LETTER}{{3,}}")
ORDER = (
    r"(?<=, )((go|just|should|please|pls|plz|now|so|and|or|must|then|better|simply|do|yes|hey|you|u|"
    r"do (?:us|everyone|everybody|the world) (?:all )?an? favou?r and|"
    r"doch|bitte|jetzt|geh|also|alors|et|mais|y|pues|anda|vete|e|ma|dai|vai|ora) ){0,4}"
)
# Before a phrase, one of these turns it round: `no sé dónde vives`.
NOT = "".join(
    f"(?<! {word} )" for word in ("no", "non", "não", "ne", "не", "nie", "nem", "nu", "δεν", "لا", "ما")
)
LATER_ORDER = r"(?<= )(go|just|should|must) "


def find_phrases(text: str) -> dict[str, str]:
    """The first match of a phrase in `text`, by reason (`threat`, `hate` or `insult`). A reason without a
    match is left out.
    """
    text = fold(CAPITAL_I.sub(lambda run: "l" * len(run[0]), text))
    tokens = [match[1] or "," for match in TOKEN.finditer(without_foreign_words(without_disguise(text)))]
    due = {at for token in tokens for at in _by_word().get(token, ())}
    joined = f", {' '.join(tokens)} , "
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
    """The indexes of the phrases by word. A text that matches a phrase has at least one of the words by which
    it is listed here.
    """
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
    return f"{before}{fold(NOT)}(?:{phrase})(?= )" + (f"(?! (?:{unless}))" if unless else "")


def _spelled_out(phrase: str) -> str:
    for row in _groups():
        words = row["words"] if row["words"].startswith("(") else f"({row['words']})"
        phrase = phrase.replace(f"{row['name']} " if words.endswith(("*", "}")) else row["name"], words)
    return phrase


@cache
def _groups() -> list[dict[str, str]]:
    return rows("moderation/groups")
