"""Who an address names: the identity by which people are compared (contract section 2)."""

import re
import unicodedata

import idna

LOCAL_OCTETS = 64  # RFC 5321 section 4.5.3.1.1
ADDRESS_OCTETS = 254  # RFC 5321 section 4.5.3.1.3, less the angle brackets
ASCII_ADDRESS = re.compile(r"[!-?A-~]+@[!-?A-~]+")

MALFORMED = (
    "Send an address of the form name@example.com: one @, a domain with a dot, no blanks, "
    "at most 64 octets before the @ and 254 in all."
)


class MalformedAddress(ValueError):
    """The text fails the check of form."""


def identity(address: str) -> str:
    """The key that an address is compared by: trimmed, NFKC, lower-case local part, domain in A-label form.

    Raises `MalformedAddress`. Whether mail arrives there is the validation endpoint's business.
    """
    text = address.strip()
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).strip()
    local, at, domain = text.partition("@")
    if not (local and at and domain) or "@" in domain or _has_blank(text):
        raise MalformedAddress(MALFORMED)
    local = local.lower()
    key = f"{local}@{_ascii_domain(domain)}"
    if (
        len(local.encode(errors="replace")) > LOCAL_OCTETS
        or len(key.encode(errors="replace")) > ADDRESS_OCTETS
    ):
        raise MalformedAddress(MALFORMED)
    return key


def _has_blank(text: str) -> bool:
    if text.isascii():
        return ASCII_ADDRESS.fullmatch(text) is None
    return any(character.isspace() or unicodedata.category(character) in ("Cc", "Cs") for character in text)


def _ascii_domain(domain: str) -> str:
    if not domain.isascii():
        try:
            domain = idna.encode(domain, uts46=True).decode()
        except idna.IDNAError as error:
            raise MalformedAddress(MALFORMED) from error
    domain = domain.lower()
    labels = domain.split(".")
    if len(labels) < 2 or not all(0 < len(label) <= 63 for label in labels):
        raise MalformedAddress(MALFORMED)
    return domain
