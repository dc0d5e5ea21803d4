"""The allow and deny lists of a site: addresses and domains that are always, or never, valid."""

from collections.abc import Iterable

from audience import clock
from audience.access import audit_log, site_keys
from audience.access.audit_log import COMMAND_LINE, Actor
from audience.access.sites import Site
from audience.answers.validation.address import split_loosely
from audience.answers.validation.allow_deny import AllowDenyLists, Kind, matching_entries, parse_entry
from audience.errors import Refused
from storage import database
from storage.access import address_lists as stored

__all__ = ["Kind"]

ENTRY = "Send addresses or domains, such as ann@example.com or example.com."


@database.session()
def for_site(site: Site) -> AllowDenyLists:
    """The allow and deny lists of a site, oldest entries first."""
    return _lists(stored.entries(site.id))


@database.session()
def for_address(site: Site | None, email: str) -> AllowDenyLists:
    """The entries of a site's lists that match an address; none without a site."""
    address = split_loosely(email) if site else None
    if site is None or address is None:
        return AllowDenyLists()
    return _lists(stored.matching(site.id, matching_entries(address)))


@database.writes_site
def add(site: Site, kind: Kind, entry: str, actor: Actor = COMMAND_LINE) -> None:
    """Puts an address or a domain on a list, and removes it from the other. Raises `Refused`."""
    name = _entry(entry)
    if stored.put(site.id, kind, name, clock.now_ms()):
        audit_log.record(actor, f"added to the {kind} list", site, _subject(site, name))


@database.writes_site
def remove(site: Site, entry: str, actor: Actor = COMMAND_LINE) -> bool:
    """Removes an address or a domain from the lists. Returns False if it was on neither. Raises `Refused`."""
    name = _entry(entry)
    removed = stored.remove(site.id, name)
    if removed:
        audit_log.record(actor, "removed from the lists", site, _subject(site, name))
    return removed


def _subject(site: Site, entry: str) -> str:
    """What the audit log calls an entry: a domain itself, an address by its keyed hash."""
    return site_keys.sent_address_hash(site.id, entry) if "@" in entry else entry


def _lists(entries: Iterable[stored.ListEntry]) -> AllowDenyLists:
    by_kind: dict[str, list[str]] = {"allow": [], "deny": []}
    for kind, entry in entries:
        by_kind[kind].append(entry)
    return AllowDenyLists(tuple(by_kind["allow"]), tuple(by_kind["deny"]))


def _entry(text: str) -> str:
    """The normal form of an entry. Raises `Refused`."""
    try:
        return parse_entry(text)
    except ValueError as error:
        raise Refused(ENTRY) from error
