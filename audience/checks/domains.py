"""Domain names as people write them, and which of them exist in public."""

import re
from functools import cache

import idna
from publicsuffixlist import PublicSuffixList

LONGEST = 253  # RFC 1035 section 2.3.4, without the trailing dot
LONGEST_INPUT = 2000  # room for an address with its path; nobody's domain needs more
LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)", re.ASCII)
SCHEME = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//", re.ASCII | re.IGNORECASE)
PORT = re.compile(r":[0-9]*$", re.ASCII)
SPECIAL = frozenset({"arpa", "onion"})  # in the public suffix list, but no place for people's domains


def parse_domain(text: str) -> str:
    """The domain in `text` in lower-case A-label form, freed of scheme, user, port, path, query and trailing
    dot. Raises `ValueError` for what is not a dotted host name (an address included)."""
    if len(text) > LONGEST_INPUT:
        raise ValueError("too long")
    host = re.split(r"[/?#\\]", SCHEME.sub("", text, count=1), maxsplit=1)[0]
    host = PORT.sub("", host.rpartition("@")[2]).strip().removesuffix(".")
    if not host.isascii():
        host = idna.encode(host, uts46=True).decode("ascii")  # its error is a ValueError
    host = host.lower()
    labels = host.split(".")
    if len(labels) < 2 or len(host) > LONGEST or not all(LABEL.fullmatch(label) for label in labels):
        raise ValueError("not a dotted host name")
    if not labels[-1].strip("0123456789") or labels[-1].startswith("0x"):
        raise ValueError("an address, not a domain")
    return host


def is_public(domain: str) -> bool:
    """Whether somebody can have registered `domain` (as `parse_domain` gives it) in the public DNS: false for
    special-use names (RFC 6761), for top-level domains that do not exist and for suffixes such as co.uk."""
    if domain.rpartition(".")[2] in SPECIAL:
        return False
    return _suffixes(only_icann=True).privatesuffix(domain) is not None


def has_suffix(domain: str) -> bool:
    """Whether `domain` ends in a public suffix that exists."""
    return _suffixes(only_icann=False).publicsuffix(domain) is not None


def is_suffix(domain: str) -> bool:
    """Whether `domain` is itself a suffix that domains are registered under."""
    return bool(_suffixes(only_icann=False).is_public(domain))


def is_registrable(domain: str) -> bool:
    """Whether somebody can hold `domain` or a domain above it."""
    return _suffixes(only_icann=False).privatesuffix(domain) is not None


def registrable(domain: str) -> str:
    """The part of `domain` that its holder controls: example.co.uk for www.example.co.uk."""
    return _suffixes(only_icann=False).privatesuffix(domain) or domain


@cache
def _suffixes(*, only_icann: bool) -> PublicSuffixList:
    """The public suffix list, read once: that of the registries alone, or with those of hosters as well."""
    return PublicSuffixList(only_icann=only_icann, accept_unknown=False)
