"""The operator's allow and deny lists: addresses and domains that are always, or never, valid."""

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
        """The list with the closest entry for the address, `deny` on a tie; None without an entry."""
        allowed, denied = precision(self.allow, address), precision(self.deny, address)
        if allowed > denied:
            return "allow"
        return "deny" if denied else None


def parse_entry(text: str) -> str:
    """The normal form of an entry: an address (`ann@example.com`), or a domain, which covers its subdomains
    (`example.com`, `*.example.com`, `@example.com`). Raises `ValueError`."""
    local, _, domain = text.strip().rpartition("@")
    if len(local) + len(domain) > MAX_LENGTH:
        raise ValueError("too long to be an address or a domain")
    name = loose_a_labels(domain.removeprefix("*."))
    if any(map(str.isspace, local)) or not all(map(LABEL.fullmatch, name.split("."))):
        raise ValueError(f"{text!r} is neither an address nor a domain")
    return f"{local.lower()}@{name}" if local else name


def matching_entries(address: Address) -> list[str]:
    """The entries that match an address, closest first: the address, its domain, the parent domains."""
    return [f"{address.local.lower()}@{address.domain}", *ancestors(address.domain)]


def precision(entries: Iterable[str], address: Address) -> int:
    """How closely the entries match the address; 0 if none does."""
    listed, names = frozenset(entries), matching_entries(address)
    return next((len(names) - at for at, name in enumerate(names) if name in listed), 0)
