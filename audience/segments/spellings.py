"""The forms in which typed addresses, domains and names may be stored."""

import unicodedata
from collections.abc import Collection
from itertools import takewhile
from string import ascii_lowercase, ascii_uppercase

from audience.addresses import MAX_ADDRESS_BYTES
from audience.answers.domains import FULL_STOPS, a_labels
from schemas.values import trim
from storage.searches.lists import AddressStart

LATIN = str.maketrans(ascii_uppercase, ascii_lowercase)
APOSTROPHES = "'", "\N{RIGHT SINGLE QUOTATION MARK}"
INTERNATIONAL = "xn--"
MAX_NAME_LENGTH = 300  # of what is spelled otherwise: normalising takes quadratic time on marks


def names(text: str) -> Collection[str]:
    """The forms in which a typed name may be stored. The case of Latin letters is ignored.

    A name may be as typed, in small letters, in capitals, or with initial capitals, with `ß` or `ss`, either
    apostrophe, and letters composed or decomposed.
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
    """The text as it is, and with all its apostrophes straight or all curly."""
    typed, printed = APOSTROPHES
    plain = text.replace(printed, typed)
    return dict.fromkeys((text, plain, plain.replace(typed, printed)))


def starts(text: str) -> tuple[list[AddressStart], list[AddressStart]]:
    """The beginnings of (stored addresses, stored domains) that a typed text may mean.

    A blank in an address counts as `+`, which some clients do not encode. After an `@`, a final dot is not
    part of the domain.
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
    whole = [] if at else [AddressStart("", form) for form in _with_apostrophes(typed)]
    return whole, [_start("", shown)]


def _start(local: str, shown: str) -> AddressStart:
    """The beginning of a stored address; `shown` is the beginning of its domain.

    Whole labels become A-labels (`xn--…`). The last label may be incomplete, and stays as typed.
    """
    whole, dot, last = shown.rpartition(".")
    try:
        labels = a_labels(whole) + dot
    except ValueError:
        return AddressStart(local, shown)
    letters = "".join(takewhile(str.isascii, last))
    return AddressStart(local, labels + last, f"{labels}{INTERNATIONAL}{letters}", shown)
