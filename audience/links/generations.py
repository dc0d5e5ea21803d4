"""Generations of a site's links: rotation makes a new one, and revocation ends all before it."""

import secrets
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from audience import clock
from audience.access import audit_log, site_keys
from audience.access.audit_log import COMMAND_LINE, Actor
from audience.access.sites import Site
from storage import database
from storage.access import sites as stored_sites
from storage.links import generations as stored
from storage.links.generations import Generation

FIRST = Generation(1, "", 1, 0)  # which each site has without a row
NONCE_BYTES = 16


class Standing(StrEnum):
    """Old links to preferences only unsubscribe; revoked links do nothing."""

    CURRENT = "current"
    OLD = "old"
    REVOKED = "revoked"


class Generations(NamedTuple):
    """Those of a site, by number."""

    by_number: Mapping[int, Generation]

    @property
    def current(self) -> Generation:
        return self.by_number[max(self.by_number)]

    def standing(self, number: int) -> Standing:
        if number < self.current.lowest:
            return Standing.REVOKED
        return Standing.CURRENT if number == self.current.generation else Standing.OLD


def read(site_id: int) -> Generations:
    """In the caller's session."""
    return Generations({row.generation: row for row in (FIRST, *stored.list_all(site_id))})


def key(site_id: int, purpose: str, generation: Generation) -> bytes:
    """What signs links of a generation for a purpose."""
    return site_keys.link_key(site_id, purpose, generation.generation, generation.nonce)


@database.writes_site
def rotate(site: Site, revokes: bool = False, actor: Actor = COMMAND_LINE) -> int:
    """Begins a new generation, which is returned; if it `revokes`, all links made before are good no more."""
    current = read(site.id).current
    number = current.generation + 1
    lowest = number if revokes else current.lowest
    stored.put(site.id, [Generation(number, secrets.token_hex(NONCE_BYTES), lowest, clock.now_ms())])
    audit_log.record(actor, "links revoked" if revokes else "links rotated", site)
    return number


def carried() -> dict[str, list[Generation]]:
    """Those of the open database, by uuid of the site, to be carried over a restore."""
    return {site.uuid: stored.list_all(site.id) for site in stored_sites.list_all()}


def carry_over(generations: Mapping[str, Sequence[Generation]]) -> None:
    """Puts those of before a restore: no link that was revoked since the backup is good again."""
    with database.session():
        sites = stored_sites.list_all()
    for site in sites:
        with database.write(site.id):
            stored.put(site.id, generations.get(site.uuid, ()))
