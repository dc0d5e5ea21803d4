"""Text as it is compared: small letters without accents."""

import unicodedata

UNDECOMPOSED = str.maketrans(  # Latin letters that Unicode does not take apart
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)


def fold(text: str) -> str:
    """Small letters without accents; Latin ones in `a` to `z`, those of other scripts in their own."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).translate(UNDECOMPOSED)
