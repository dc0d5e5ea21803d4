"""An e-mail address taken apart (RFC 5321, 5322, 6531), without asking the DNS."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

import idna
from email_validator import EmailNotValidError, validate_email

from audience.checks.domains import LABEL

SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which no protocol can carry
MOST_CHARACTERS = 320  # 64 + @ + 255: nothing longer is worth parsing
RESERVED = frozenset(  # RFC 2606, 6761, 6762, 7686, 8375, 9476
    {"alt", "arpa", "example", "internal", "invalid", "lan", "local", "localhost", "onion", "test"}
    | {"example.com", "example.net", "example.org"}
)


@dataclass(frozen=True)
class Address:
    """`local` as given; `domain` in A-labels, lower case."""

    local: str
    domain: str

    @property
    def mailbox(self) -> str:
        """The local part in lower case, without a plus tag."""
        return self.local.lower().partition("+")[0]


def parse(text: str) -> Address | None:
    """The address that `text` is, or None."""
    given = roughly(text)
    if given is None:
        return None
    reserved = is_reserved(given.domain)
    try:
        parts = validate_email(
            f"{given.local}@example.com" if reserved else text.strip(),
            check_deliverability=False,
            strict=True,
        )
    except (EmailNotValidError, UnicodeError):
        return None
    return Address(parts.local_part, given.domain if reserved else parts.ascii_domain.lower())


def is_reserved(domain: str) -> bool:
    return not RESERVED.isdisjoint(ancestors(domain))


def roughly(text: str) -> Address | None:
    """What stands around the last @ of a text that need not be an address."""
    local, at, domain = text.strip().rpartition("@")
    if not at or len(text) > MOST_CHARACTERS or SURROGATE.search(text):
        return None
    return Address(local, a_labels(domain))


def a_labels(domain: str) -> str:
    """The domain in A-labels (UTS 46), lower case, without a trailing dot; unchanged where that fails."""
    plain = unicodedata.normalize("NFKC", domain).strip().strip(".").lower()
    try:
        return plain if plain.isascii() else idna.encode(plain, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return plain


def ancestors(domain: str) -> list[str]:
    """The domain itself and every one above it: `a.b.c`, `b.c`, `c`."""
    labels = domain.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]


def list_names(address: Address) -> list[str]:
    """The entries of an operator's list that name the address, the closest first: itself, its domain, and
    those above."""
    return [f"{address.local.lower()}@{address.domain}", *ancestors(address.domain)]


def list_entry(text: str) -> str:
    """An entry as it is compared: an address (`ann@example.com`) or a domain, which speaks for its subdomains
    too (`example.com`, `*.example.com`, `@example.com`). Raises `ValueError`."""
    local, _, domain = text.strip().rpartition("@")
    name = a_labels(domain.removeprefix("*."))
    if any(map(str.isspace, local)) or not all(map(LABEL.fullmatch, name.split("."))):
        raise ValueError(f"{text!r} is neither an address nor a domain")
    return f"{local.lower()}@{name}" if local else name


class AddressList:
    """The operator's addresses and domains, as `list_entry` gives them."""

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self._entries = frozenset(entries)

    def precision(self, address: Address) -> int:
        """0 where no entry names the address; else the more, the closer the entry is."""
        names = list_names(address)
        return next((len(names) - at for at, name in enumerate(names) if name in self._entries), 0)
