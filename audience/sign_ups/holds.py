"""What operators do with held sign-ups, and what maintenance does: a trickle, and what has expired."""

from collections.abc import Collection

from audience import clock
from audience.access import audit_log, sites
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.sign_ups import alarms, mailboxes, sign_ups
from audience.sign_ups.alarms import held_since
from storage import database
from storage.sign_ups import sign_ups as stored
from storage.sign_ups.sign_ups import HELD, SignUp

__all__ = ["held_since"]

CHUNK_ROWS = 500
EXPIRED = "expired"  # the outcome


@database.writes_site
def release(site: Site, actor: Actor, ids: Collection[int] | None = None, before: int | None = None) -> int:
    """Has the confirmations of held sign-ups sent: those with some ids, those asked for before an instant,
    or all. Without ids, this ends the alarm. Returns how many.
    """
    held = _held(site.id, ids, before)
    for sign_up in held:
        sign_ups.release(site, sign_up)
    if ids is None:
        alarms.turn_off(site.id)
    audit_log.record(actor, "held sign-ups released", site, subjects=len(held))
    return len(held)


@database.writes_site
def discard(site: Site, actor: Actor, ids: Collection[int] | None = None, before: int | None = None) -> int:
    """Deletes held sign-ups, chosen as in `release`. Returns how many."""
    held = _held(site.id, ids, before)
    for sign_up in held:
        stored.delete(site_id=site.id, id=sign_up.id)
    audit_log.record(actor, "held sign-ups discarded", site, subjects=len(held))
    return len(held)


def _held(site_id: int, ids: Collection[int] | None, before: int | None) -> list[SignUp]:
    held = stored.with_status(site_id, HELD, before)
    return [sign_up for sign_up in held if ids is None or sign_up.id in ids]


def sweep() -> bool:
    """Deletes what has expired of one site, and sends a trickle of what is held. Returns whether there may be
    more that has expired.
    """
    now = clock.now_ms()
    with database.session():
        site_id = stored.site_with_expired(now)
    if site_id is not None:
        return _expire(site_id, now)
    with database.session():
        site_ids = stored.sites_with_held()
    for held_site_id in site_ids:
        alarms.trickle(sites.get(held_site_id))
    mailboxes.sweep()
    return False


@database.writes_site
def _expire(site_id: int, now: int) -> bool:
    for sign_up in stored.expired(site_id, now, CHUNK_ROWS):
        if sign_up.is_open:
            sign_ups.count(site_id, sign_up, EXPIRED)
        stored.delete(site_id=site_id, id=sign_up.id)
    return True
