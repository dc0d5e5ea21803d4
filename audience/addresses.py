"""The normal form of e-mail addresses: addresses with the same normal form are of one subscriber."""

import re
import unicodedata
from functools import lru_cache

from audience.answers.domains import a_labels
from schemas.codes import Code, Sentence
from schemas.values import trim

MAX_LOCAL_BYTES = 64  # RFC 5321 section 4.5.3.1.1
MAX_ADDRESS_BYTES = 254  # RFC 5321 section 4.5.3.1.3, less the angle brackets
ASCII_LOCAL = re.compile(r"[!-?A-~]+")
PLAIN = re.compile(rf"([!-?A-~]{{1,{MAX_LOCAL_BYTES}}})@([!-~]+)")  # as most are: nothing to trim or to fold
QUOTING = frozenset('"\\()')  # of a local part: "ann", a\nn and ann(home) are further spellings of ann
DOMAIN = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+")
UNWANTED = ("Cc", "Cf", "Cs")  # categories of control, invisible and half characters

MALFORMED = Sentence(
    Code.MALFORMED_ADDRESS,
    "Send an address of the form name@example.com, without spaces, quotes, comments or invisible characters. "
    "Its domain has a dot, letters, digits and hyphens. "
    f"At most {MAX_LOCAL_BYTES} bytes are before the @, and {MAX_ADDRESS_BYTES} in total.",
)


class MalformedAddress(ValueError):
    """The text does not have the form of an address."""


def identity(address: str) -> str:
    """The normal form of an address: trimmed, NFKC, the local part in small letters, the domain in A-labels.

    Raises `MalformedAddress`. Checks only the form: `answers.validation` tells whether mail can be delivered.
    """
    if (plain := PLAIN.fullmatch(address)) and len(address) <= MAX_ADDRESS_BYTES:
        return f"{plain[1].lower()}@{_ascii_domain(plain[2])}"
    text = trim(address)
    _check_lengths(text)
    if not text.isascii():
        text = trim(unicodedata.normalize("NFKC", text))
    local, at, domain = text.partition("@")
    if not (local and at and domain) or not _is_visible(local):
        raise MalformedAddress(MALFORMED)
    key = f"{local.lower()}@{_ascii_domain(domain)}"
    if not address.isascii():
        _check_lengths(key)
    return key


def identity_of_new(address: str) -> str:
    """The normal form of an address that may be added.

    Raises `MalformedAddress`, also for quotes and comments, by which one mailbox has several spellings.
    """
    key = identity(address)
    if not QUOTING.isdisjoint(key):
        raise MalformedAddress(MALFORMED)
    return key


def _check_lengths(text: str) -> None:
    """Raises `MalformedAddress` if an address is too long.

    Also called before NFKC, which takes quadratic time on combining marks, and makes up to 18 characters of
    one.
    """
    local, at, _ = text.partition("@")
    local_bytes = len(local.encode(errors="replace")) if at else 0
    if local_bytes > MAX_LOCAL_BYTES or len(text.encode(errors="replace")) > MAX_ADDRESS_BYTES:
        raise MalformedAddress(MALFORMED)


def _is_visible(text: str) -> bool:
    if text.isascii():
        return ASCII_LOCAL.fullmatch(text) is not None
    return "@" not in text and not any(
        character.isspace() or unicodedata.category(character) in UNWANTED for character in text
    )


@lru_cache(maxsize=1024)
def _ascii_domain(domain: str) -> str:
    """A domain in A-labels. Raises `MalformedAddress`."""
    if not _is_visible(domain):
        raise MalformedAddress(MALFORMED)
    try:
        domain = a_labels(domain)
    except ValueError as error:
        raise MalformedAddress(MALFORMED) from error
    if not DOMAIN.fullmatch(domain):
        raise MalformedAddress(MALFORMED)
    return domain
