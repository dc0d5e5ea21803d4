"""What a contact's name gives away about a sign-up."""

import re

from audience.checks.folding import fold

MOST_CHARACTERS = 200  # what lies beyond is not looked at
MARKUP = re.compile(r"[<>{}\[\]]|&(?:[a-z]+|#\w+);", re.IGNORECASE)
ORDINAL = re.compile(r"\b(?:1st|2nd|3rd|[4-9]th)\b", re.IGNORECASE)
LEAST_SHOUT = 8  # letters; initials and short names are in capitals often enough
LEAST_SHARED = 3  # letters that relate a word of the name to an address


def holds_markup(name: str) -> bool:
    return MARKUP.search(name) is not None


def holds_digits(name: str) -> bool:
    """Ordinals (`3rd`) stand behind names and do not count."""
    return any(character.isdigit() for character in ORDINAL.sub("", name))


def shouts(name: str) -> bool:
    return name.isupper() and len(name.split()) > 1 and sum(map(str.isalpha, name)) >= LEAST_SHOUT


def is_unrelated(name: str, mailbox: str) -> bool:
    """Whether nothing of the name is found in the mailbox, neither its words' beginnings nor its initials.

    Only where both are in Latin letters and long enough to tell.
    """
    words = re.findall(r"[a-z]+", fold(name).replace("'", ""))
    letters = "".join(re.findall(r"[a-z]+", fold(mailbox)))
    if not fold(name + mailbox).isascii() or len("".join(words)) < 5 or len(letters) < 5:
        return False
    initials = "".join(word[0] for word in words)
    starts = [word[:LEAST_SHARED] for word in words if len(word) >= LEAST_SHARED]
    nicknames = [letters[at : at + 4] for at in range(len(letters) - 3)]
    return not (
        any(start in letters for start in starts)
        or any(part in word for word in words for part in nicknames)
        or letters.startswith((initials, initials[::-1]))
    )
