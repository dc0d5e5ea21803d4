"""The operator's allow and deny lists, whose addresses and domains are always valid, or never."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from audience.answers.domains import LABEL
from audience.answers.validation.address import MAX_LENGTH, Address, ancestors, loose_a_labels

Kind = Literal["allow", "deny"]


@dataclass(frozen=True)
class AllowDenyLists:
    """Lists of allowed and denied entries, as `parse_entry` returns them."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    def __add__(self, other: "AllowDenyLists") -> "AllowDenyLists":
        return AllowDenyLists(self.allow + other.allow, self.deny + other.deny)

    def decide(self, address: Address) -> Kind | None:
        """The list that decides about an address: the one with the closest entry, and `deny` if both are as
        close. None if neither has an entry.
        """
        allowed, denied = precision(self.allow, address), precision(self.deny, address)
        if allowed > denied:
            return "allow"
        return "deny" if denied else None


def parse_entry(text: str) -> str:
    """The normal form of an entry, which is an address (`ann@example.com`) or a domain. A domain
    (`example.com`, `*.example.com`, `@example.com`) covers its subdomains. Raises `ValueError`.
    """
    local, _, domain = text.strip().rpartition("@")
    if len(local) + len(domain) > MAX_LENGTH:
        raise ValueError("too long to be an address or a domain")
    name = loose_a_labels(domain.removeprefix("*."))
    if any(map(str.isspace, local)) or not all(map(LABEL.fullmatch, name.split("."))):
        raise ValueError(f"{text!r} is neither an address nor a domain")
    return f"{local.lower()}@{name}" if local else name


def matching_entries(address: Address) -> list[str]:
    """All entries that would match an address, the closest first: the address itself, its domain, the parent
    domains.
    """
    return [f"{address.local.lower()}@{address.domain}", *ancestors(address.domain)]


def precision(entries: Iterable[str], address: Address) -> int:
    """How close the closest of the entries is to the address: the more, the closer. 0 if none matches."""
    listed, names = frozenset(entries), matching_entries(address)
    return next((len(names) - at for at, name in enumerate(names) if name in listed), 0)
