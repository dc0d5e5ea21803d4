"""Suspicious properties of a contact's name."""

import re
from collections.abc import Sequence

from audience.answers.folding import fold

MAX_LENGTH = 200  # the rest is ignored
MARKUP = re.compile(r"[<>{}\[\]]|&(?:[a-z]+|#\w+);", re.IGNORECASE)
ORDINAL = re.compile(r"\b(?:1st|2nd|3rd|[4-9]th)\b", re.IGNORECASE)
LATIN = re.compile(r"[a-z]+")
MIN_SHOUT_LENGTH = 8  # letters; initials and short names are often in capitals
VOWEL = re.compile(r"[aeiouy]")
# Keys of the letters of a Korean keyboard, in Unicode's order of initials, vowels and finals.
KOREAN_KEYS = (
    "r r s e e f a q q t t d w w c z x v g",
    "k o i o j p u p h hk ho hl y n nj np nl b m ml l",
    "r r rt s sw sg e f fr fa fq ft fx fv fg a q qt t t d w c z x v g",
)
LATIN_MODE = {
    first + at: keys
    for first, row in zip((0x1100, 0x1161, 0x11A8), KOREAN_KEYS, strict=True)
    for at, keys in enumerate(row.split())
} | dict(zip(map(ord, "йцукенгшщзфывапролдячсмить"), "qwertyuiopasdfghjklzxcvbnm", strict=True))
MIN_SHARED_LENGTH = 3  # letters that a word of the name and a mailbox share


def has_markup(name: str) -> bool:
    return MARKUP.search(name) is not None


def has_digits(name: str) -> bool:
    """Whether the name contains digits other than ordinals (`3rd`)."""
    return any(character.isdigit() for character in ORDINAL.sub("", name))


def is_shouting(name: str) -> bool:
    return name.isupper() and len(name.split()) > 1 and sum(map(str.isalpha, name)) >= MIN_SHOUT_LENGTH


def is_related(name: str, mailbox: str) -> bool:
    """Whether the mailbox may be made from the name, also from the keys by which a Korean or Russian name is
    typed. False for one word without a vowel.

    The mailbox begins with the initials of the name, contains the beginning of one of its words, or
    abbreviates it (`hbrghtn` for H Broughton). A word of the name may also contain four letters in a row of
    the mailbox.
    """
    words, letters = _words(name), _letters(mailbox)
    initials = "".join(word[0] for word in words)
    starts = [word[:MIN_SHARED_LENGTH] for word in words if len(word) >= MIN_SHARED_LENGTH]
    nicknames = [letters[at : at + 4] for at in range(len(letters) - 3)]
    return bool(words) and (
        any(start in letters for start in starts)
        or any(part in word for word in words for part in nicknames)
        or letters.startswith((initials, initials[::-1]))
        or _abbreviates(letters, words)
        or _abbreviates(letters, words[::-1])
    )


def _abbreviates(letters: str, words: Sequence[str]) -> bool:
    """Whether the letters abbreviate the words: they begin with the same letter, and all occur in the words
    in the same order.
    """
    left = iter("".join(words))
    return letters[:1] == words[0][0] and all(letter in left for letter in letters)


def _words(name: str) -> list[str]:
    typed = fold(name).translate(LATIN_MODE).replace("'", "")
    words = LATIN.findall(typed)
    return words if len(words) > 1 or VOWEL.search(typed) else []


def _letters(mailbox: str) -> str:
    return "".join(LATIN.findall(fold(mailbox)))
