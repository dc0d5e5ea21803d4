"""The operator's lists of a site: addresses and domains that are always, or never, valid."""

from dataclasses import dataclass
from typing import Literal

from audience import clock
from audience.sites import Site
from storage import address_lists as stored
from storage import database

Kind = Literal["allow", "deny"]


@dataclass(frozen=True)
class Lists:
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@database.session()
def of(site: Site | None) -> Lists:
    """Both lists of a site; empty ones where a request names none."""
    if site is None:
        return Lists()
    entries = stored.entries(site.id)
    return Lists(
        tuple(entry for kind, entry in entries if kind == "allow"),
        tuple(entry for kind, entry in entries if kind == "deny"),
    )


@database.write()
def add(site: Site, kind: Kind, entry: str) -> None:
    """Puts an address or a domain on a list, and takes it off the other."""
    stored.put(site.id, kind, entry.strip().lower(), clock.now())


@database.write()
def remove(site: Site, entry: str) -> bool:
    """Takes an address or a domain off the lists; whether it was on one."""
    return stored.remove(site.id, entry.strip().lower())
