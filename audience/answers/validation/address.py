"""Parsing e-mail addresses (RFC 5321, 5322, 6531), without DNS."""

import re
import unicodedata
from dataclasses import dataclass

from audience.answers.domains import a_labels

SURROGATE = re.compile("[\ud800-\udfff]")  # cannot be encoded
MAX_LENGTH = 320  # 64 + @ + 255
RESERVED = frozenset(  # RFC 2606, 6761, 6762, 7686, 8375, 9476
    {"alt", "arpa", "example", "internal", "invalid", "lan", "local", "localhost", "onion", "test"}
    | {"example.com", "example.net", "example.org"}
)


@dataclass(frozen=True)
class Address:
    """An e-mail address. `local` is the local part as it was sent, `domain` is in A-labels and lower case."""

    local: str
    domain: str

    @property
    def mailbox(self) -> str:
        """The local part in lower case, without a plus tag."""
        return self.local.lower().partition("+")[0]


def parse(text: str) -> Address | None:
    """The address in a text; None if the text is no e-mail address."""
    from email_validator import (  # which a command that parses none need not load
        EmailNotValidError,
        validate_email,
    )

    loose = split_loosely(text)
    if loose is None:
        return None
    reserved = is_reserved(loose.domain)  # which the parser refuses, unless it is below another domain
    plain = f"{text.strip()}.com" if reserved else text.strip()
    try:
        parts = validate_email(plain, check_deliverability=False, strict=True)
    except (EmailNotValidError, UnicodeError):
        return None
    return Address(parts.local_part, loose.domain if reserved else parts.ascii_domain.lower())


def is_reserved(domain: str) -> bool:
    return not RESERVED.isdisjoint(ancestors(domain))


def split_loosely(text: str) -> Address | None:
    """Splits a text at its last @, whether or not it is a valid address. None without an @, or if the text is
    far too long.

    Doubled @ are removed, and so are blanks around the text and in the domain.
    """
    local, at, domain = text.strip().rpartition("@")
    if not at or len(text) > MAX_LENGTH or SURROGATE.search(text):
        return None
    return Address(local.rstrip("@ "), loose_a_labels("".join(domain.split())))


def loose_a_labels(domain: str) -> str:
    """The domain in A-labels, without blanks and dots at its ends. A domain that has no A-labels is only
    brought into lower case.
    """
    plain = unicodedata.normalize("NFKC", domain).strip().strip(".").lower()
    try:
        return a_labels(plain)
    except ValueError:
        return plain


def ancestors(domain: str) -> list[str]:
    """The domain and its parents, closest first: `a.b.c`, `b.c`, `c`."""
    labels = domain.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]
