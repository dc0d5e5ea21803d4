"""How addresses, domains and names that somebody types may be stored."""

import unicodedata
from collections.abc import Collection
from itertools import takewhile
from string import ascii_lowercase, ascii_uppercase

from audience.addresses import MAX_ADDRESS_BYTES
from audience.answers.domains import FULL_STOPS, a_labels
from schemas.values import trim
from storage.searches.lists import Start

LATIN = str.maketrans(ascii_uppercase, ascii_lowercase)
APOSTROPHES = "'", "\N{RIGHT SINGLE QUOTATION MARK}"
INTERNATIONAL = "xn--"
MAX_NAME_LENGTH = 300  # of what is spelled otherwise: normalising takes quadratic time on marks


def names(text: str) -> Collection[str]:
    """The forms in which a name may be stored, apart from the case of Latin letters. They are: as typed, in
    small letters, in capitals, with capitals at the start, with `ß` for `ss`, composed or not, and with
    either apostrophe.
    """
    words = " ".join(text.split())
    if len(words) > MAX_NAME_LENGTH:
        return [words]
    texts = (words, words.replace("ß", "ss"), words.replace("ss", "ß"))
    cased = [text for spelt in texts for text in (spelt, spelt.lower(), spelt.upper(), spelt.title())]
    forms = [unicodedata.normalize(form, spelling) for spelling in cased for form in ("NFC", "NFD")]
    return {
        spelling.translate(LATIN): spelling for form in forms for spelling in _with_apostrophes(form)
    }.values()


def _with_apostrophes(text: str) -> Collection[str]:
    """The text, and the text with all its apostrophes of one or the other kind."""
    typed, printed = APOSTROPHES
    plain = text.replace(printed, typed)
    return dict.fromkeys((text, plain, plain.replace(typed, printed)))


def starts(text: str) -> tuple[list[Start], list[Start]]:
    """The forms in which addresses, and domains, that begin with the text may be stored.

    Each blank in an address was a `+` that was not encoded. After an `@`, a dot at the end does not belong to
    the domain.
    """
    typed = trim(text)
    if len(typed) > MAX_ADDRESS_BYTES:
        return [], []
    typed = unicodedata.normalize("NFKC", typed).lower().replace(" ", "+")
    local, at, domain = typed.rpartition("@")
    domain = domain.translate(FULL_STOPS)
    shown = domain.removesuffix(".") if at else domain.removesuffix(".") or domain
    if at and local:
        return [_start(f"{form}@", shown) for form in _with_apostrophes(local)], []
    whole = [] if at else [Start("", form) for form in _with_apostrophes(typed)]
    return whole, [_start("", shown)]


def _start(local: str, shown: str) -> Start:
    """The beginning of a stored address. Whole labels become A-labels; the last one may be the beginning of a
    label.
    """
    whole, dot, last = shown.rpartition(".")
    try:
        labels = a_labels(whole) + dot
    except ValueError:
        return Start(local, shown)
    letters = "".join(takewhile(str.isascii, last))
    return Start(local, labels + last, f"{labels}{INTERNATIONAL}{letters}", shown)
