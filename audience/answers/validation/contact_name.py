"""Suspicious properties of a contact's name."""

import re

from audience.answers.folding import fold

MAX_LENGTH = 200  # the rest is ignored
MARKUP = re.compile(r"[<>{}\[\]]|&(?:[a-z]+|#\w+);", re.IGNORECASE)
ORDINAL = re.compile(r"\b(?:1st|2nd|3rd|[4-9]th)\b", re.IGNORECASE)
LATIN = re.compile(r"[a-z]+")
MIN_SHOUT_LENGTH = 8  # letters; initials and short names are often in capitals
MIN_SHARED_LENGTH = 3  # letters that a word of the name and a mailbox share


def has_markup(name: str) -> bool:
    return MARKUP.search(name) is not None


def has_digits(name: str) -> bool:
    """Whether the name contains digits other than ordinals (`3rd`)."""
    return any(character.isdigit() for character in ORDINAL.sub("", name))


def is_shouting(name: str) -> bool:
    return name.isupper() and len(name.split()) > 1 and sum(map(str.isalpha, name)) >= MIN_SHOUT_LENGTH


def is_unrelated(name: str, mailbox: str) -> bool:
    """Whether the mailbox contains neither the start of a word of the name nor its initials.

    False unless both are long enough, and in Latin letters.
    """
    words = LATIN.findall(fold(name).replace("'", ""))
    letters = "".join(LATIN.findall(fold(mailbox)))
    if not fold(name + mailbox).isascii() or len("".join(words)) < 5 or len(letters) < 5:
        return False
    initials = "".join(word[0] for word in words)
    starts = [word[:MIN_SHARED_LENGTH] for word in words if len(word) >= MIN_SHARED_LENGTH]
    nicknames = [letters[at : at + 4] for at in range(len(letters) - 3)]
    return not (
        any(start in letters for start in starts)
        or any(part in word for word in words for part in nicknames)
        or letters.startswith((initials, initials[::-1]))
    )
