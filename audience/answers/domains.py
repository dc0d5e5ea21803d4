"""Domain names: reading them from text, and looking them up in the public suffix list."""

import re
from functools import cache

import idna
from publicsuffixlist import PublicSuffixList

MAX_LENGTH = 253  # RFC 1035 section 2.3.4, without the trailing dot
MAX_INPUT_LENGTH = 2000  # a URL with its path
LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)", re.ASCII)
SCHEME = re.compile(r"\A(?:[a-z][a-z0-9+.-]*:)?//", re.ASCII | re.IGNORECASE)
AFTER_HOST = re.compile(r"[/?#\\]")
PORT = re.compile(r":[0-9]*$", re.ASCII)
FULL_STOPS = str.maketrans("。．｡", "...")  # that people type between labels, of UTS 46
SPECIAL = frozenset({"arpa", "onion"})  # on the public suffix list, but not open to registration


def a_labels(domain: str) -> str:
    """The domain in A-labels (UTS 46), lower case. Raises `ValueError`."""
    return (domain if domain.isascii() else idna.encode(domain, uts46=True).decode("ascii")).lower()


def parse_domain(text: str) -> str:
    """The domain in `text`, in A-labels. Scheme, user, port, path, query and a dot at the end are removed.

    Raises `ValueError` unless it is a host name with a dot. An IP address is no host name.
    """
    if len(text) > MAX_INPUT_LENGTH:
        raise ValueError("too long")
    host = AFTER_HOST.split(SCHEME.sub("", text.strip()), maxsplit=1)[0]
    host = a_labels(PORT.sub("", host.rpartition("@")[2]).strip().removesuffix("."))
    labels = host.split(".")
    if len(labels) < 2 or len(host) > MAX_LENGTH or not all(LABEL.fullmatch(label) for label in labels):
        raise ValueError("not a dotted host name")
    if not labels[-1].strip("0123456789") or labels[-1].startswith("0x"):
        raise ValueError("an IP address, not a domain")
    return host


def is_public(domain: str) -> bool:
    """Whether `domain` (as `parse_domain` returns it) can be registered in the public DNS.

    False for special-use names (RFC 6761), unknown top-level domains and suffixes such as co.uk.
    """
    if domain.rpartition(".")[2] in SPECIAL:
        return False
    return _suffixes(only_icann=True).privatesuffix(domain) is not None


def has_suffix(domain: str) -> bool:
    """Whether `domain` ends in a known public suffix."""
    return _suffixes(only_icann=False).publicsuffix(domain) is not None


def is_suffix(domain: str) -> bool:
    """Whether `domain` is itself a public suffix."""
    return bool(_suffixes(only_icann=False).is_public(domain))


def is_registrable(domain: str) -> bool:
    """Whether `domain` ends in a known public suffix, and has a label before it."""
    return _suffixes(only_icann=False).privatesuffix(domain) is not None


def registrable(domain: str) -> str:
    """The registrable part of `domain`: example.co.uk for www.example.co.uk. Without a known public suffix,
    the whole domain.
    """
    return _suffixes(only_icann=False).privatesuffix(domain) or domain


@cache
def _suffixes(*, only_icann: bool) -> PublicSuffixList:
    """The public suffix list, read once: its ICANN section, and also its private section unless
    `only_icann`.
    """
    return PublicSuffixList(only_icann=only_icann, accept_unknown=False)
