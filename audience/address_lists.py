"""The operator's lists of a site: addresses and domains that are always, or never, valid."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from audience import clock
from audience.checks.address import list_entry, list_names, roughly
from audience.errors import Refused
from audience.sites import Site
from storage import address_lists as stored
from storage import database

Kind = Literal["allow", "deny"]
ENTRY = "Send addresses or domains, such as ann@example.com or example.com."


@dataclass(frozen=True)
class Lists:
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@database.session()
def of(site: Site) -> Lists:
    """Both lists of a site, oldest first."""
    return _lists(stored.entries(site.id))


@database.session()
def naming(site: Site | None, email: str) -> Lists:
    """What the lists of a site say of an address, if anything."""
    address = roughly(email) if site else None
    return _lists(stored.among(site.id, list_names(address))) if site and address else Lists()


@database.write()
def add(site: Site, kind: Kind, entry: str) -> None:
    """Puts an address or a domain on a list, and takes it off the other. Raises `Refused`."""
    stored.put(site.id, kind, _entry(entry), clock.now())


@database.write()
def remove(site: Site, entry: str) -> bool:
    """Takes an address or a domain off the lists; whether it was on one. Raises `Refused`."""
    return stored.remove(site.id, _entry(entry))


def _lists(entries: Iterable[tuple[str, str]]) -> Lists:
    found: dict[str, list[str]] = {"allow": [], "deny": []}
    for kind, entry in entries:
        found[kind].append(entry)
    return Lists(tuple(found["allow"]), tuple(found["deny"]))


def _entry(text: str) -> str:
    try:
        return list_entry(text)
    except ValueError as error:
        raise Refused(ENTRY) from error
