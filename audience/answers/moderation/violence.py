"""Threats against the reader, and calls to kill oneself or a people: phrases of `threats.csv`.

A text is read as folded words, its clauses separated by commas. A phrase of the place `order` counts where a
clause begins, or after words such as `go`, `just` and `should`: `go kill yourself`, but not `please don't
kill yourself`. What follows may show that it is a figure of speech (`unless`): `I will shoot you an e-mail`.
"""

import re
from functools import cache

from audience.answers.folding import fold
from audience.answers.moderation.languages import rows, without_foreign_words

TOKEN = re.compile(r"([^\W_]+)|[.!?;:,\n()\"“”…]")
WORDS = {  # names of groups of words in the phrases
    "SELF": "(yourself|yourselves|yourselfs|urself|urselves|ur self|your self|yaself)",
    "I WILL": "(i|we) (ll|will|shall|(am|are|m|re) (going to|gonna|about to)|gonna|want to|wanna)",
    "SURELY": "(fucking |really |personally |find you and |come and |hunt you down and )*",
    "PEOPLE": (
        "(jews?|muslims?|moslems?|arabs?|christians|hindus|sikhs|blacks|black people|whites|white people|"
        "asians|mexicans|gypsies|roma|gays|gay people|homosexuals|lesbians|trans people|immigrants?|"
        "migrants?|refugees?|foreigners?)"
    ),
    "CLOCK": r"\d|ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|halb|mitternacht|die ecke",
}
ORDER = (
    r"(?<=, )((go|just|should|please|pls|plz|now|so|and|or|must|then|better|simply|do|yes|hey|you|u|"
    r"doch|bitte|jetzt|geh|also|alors|et|mais|y|pues|anda|vete|e|ma|dai|vai|ora) ){0,4}"
)
LATER_ORDER = r"(?<= )(go|just|should|must) "


def has_threat(text: str) -> bool:
    """Whether `text` threatens its reader, or calls for the death of them or of a people."""
    tokens = (match[1] or "," for match in TOKEN.finditer(without_foreign_words(fold(text))))
    return _phrases().search(f", {' '.join(tokens)} ,") is not None


@cache
def _phrases() -> re.Pattern[str]:
    return re.compile("|".join(map(_pattern, rows("threats"))))


def _pattern(row: dict[str, str]) -> str:
    phrase, unless = fold(_spelled_out(row["phrase"])), fold(_spelled_out(row["unless"]))
    before = f"(?:{ORDER}|{LATER_ORDER})" if row["place"] == "order" else "(?<= )"
    return f"{before}(?:{phrase})(?= )" + (f"(?! (?:{unless}))" if unless else "")


def _spelled_out(phrase: str) -> str:
    for group, words in WORDS.items():
        phrase = phrase.replace(f"{group} " if group == "SURELY" else group, words)
    return phrase
