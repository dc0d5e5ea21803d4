"""Folding text, so that texts can be compared: lower case, without accents."""

import unicodedata

UNDECOMPOSED = str.maketrans(  # Latin letters without a Unicode decomposition
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)


def fold(text: str) -> str:
    """The text in lower case without accents: `a` to `z` for Latin letters. Other scripts are unchanged."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).translate(UNDECOMPOSED)
