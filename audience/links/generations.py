"""Generations of a site's links, with keys of their own. Rotation begins one; revocation ends all earlier."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from audience import clock
from audience.access import audit_log, site_keys, sites
from audience.access.audit_log import COMMAND_LINE, Actor
from audience.access.sites import Site
from audience.privacy import pepper
from storage import database
from storage.access import sites as stored_sites
from storage.erasures import log as stored_log
from storage.erasures.log import REVOKED, ROTATED, LogLine
from storage.links import generations as stored
from storage.links.generations import Generation

FIRST = Generation(1, "", 1, 0)  # which each site has without a row
NONCE_BYTES = 16


class Standing(StrEnum):
    """Whether a link is current. Older preferences links can only unsubscribe; revoked links do nothing."""

    CURRENT = "current"
    OLD = "old"
    REVOKED = "revoked"


class Generations(NamedTuple):
    """The generations of a site's links, by number."""

    by_number: Mapping[int, Generation]

    @property
    def current(self) -> Generation:
        return self.by_number[max(self.by_number)]

    def standing(self, number: int) -> Standing:
        if number < self.current.lowest:
            return Standing.REVOKED
        return Standing.CURRENT if number == self.current.generation else Standing.OLD


def read(site_id: int) -> Generations:
    """The generations of a site's links, in the caller's session."""
    return Generations({row.generation: row for row in (FIRST, *stored.list_all(site_id))})


def key(site_id: int, purpose: str, generation: Generation) -> bytes:
    """The key that signs a generation's links for a purpose."""
    return site_keys.link_key(site_id, purpose, generation.generation, generation.nonce)


@database.writes_site
def rotate(site: Site, revokes: bool = False, actor: Actor = COMMAND_LINE) -> int:
    """Begins a new generation of links. Returns its number. With `revokes`, all earlier links do nothing."""
    current = read(site.id).current
    number = current.generation + 1
    _begin(site, number, number if revokes else current.lowest)
    audit_log.record(actor, "all links ended" if revokes else "new links made", site)
    return number


def _begin(site: Site, number: int, lowest: int) -> None:
    generation = Generation(number, secrets.token_hex(NONCE_BYTES), lowest, clock.now_ms())
    stored.put(site.id, [generation])
    stored_log.add(lines(site.uuid, generation))


def lines(site_uuid: str, current: Generation) -> list[LogLine]:
    """The lines on a generation for the log that is kept outside the database; none for `FIRST`."""
    both = {ROTATED: current.generation, REVOKED: current.lowest}
    at, check_value, now = current.made_at, pepper.check_value(), clock.now_ms()
    return [
        LogLine(site_uuid, "", at, number, check_value, kind, logged_at=now)
        for kind, number in both.items()
        if number > FIRST.generation
    ]


def repeat(logged: Iterable[LogLine]) -> None:
    """Begins a new generation on each site whose last rotation or revocation is only in the log."""
    numbers: dict[str, dict[str, int]] = defaultdict(lambda: {ROTATED: 0, REVOKED: 0})
    for line in logged:
        of_site = numbers[line.site_uuid]
        of_site[line.kind] = max(of_site[line.kind], line.number or 0)
    for site in sites.list_all():
        with database.write(site.id):
            current, least = read(site.id).current, numbers[site.uuid]
            if least[ROTATED] > current.generation or least[REVOKED] > current.lowest:
                number = max(least[ROTATED], current.generation + 1)
                _begin(site, number, max(least[REVOKED], current.lowest))


def list_by_site() -> dict[str, list[Generation]]:
    """The link generations of all sites, by site uuid. A restore carries them over."""
    return {site.uuid: stored.list_all(site.id) for site in stored_sites.list_all()}


def carry_over(generations: Mapping[str, Sequence[Generation]]) -> None:
    """Stores the generations from before a restore, so that revoked links stay revoked."""
    with database.session():
        sites = stored_sites.list_all()
    for site in sites:
        with database.write(site.id):
            stored.put(site.id, generations.get(site.uuid, ()))
