"""What operators do with held and failed sign-ups, and their maintenance: releasing a few, and expiry."""

from collections.abc import Collection

from audience import clock
from audience.access import audit_log, sites
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.sign_ups import alarms, mailboxes, sign_ups
from audience.sign_ups.alarms import held_since
from storage import database
from storage.sign_ups import sign_ups as stored
from storage.sign_ups.sign_ups import FAILED, HELD, SignUp

__all__ = ["held_since"]

CHUNK_ROWS = 500
EXPIRED = "expired"  # the outcome
RECORDED = {HELD: "held sign-ups released", FAILED: "failed sign-ups sent again"}


@database.writes_site
def release(
    site: Site,
    actor: Actor,
    ids: Collection[int] | None = None,
    before: int | None = None,
    status: str = HELD,
) -> int:
    """Queues the confirmations of held (or, by `status`, `FAILED`) sign-ups. Returns their number.

    `ids` and `before` (of the request, in milliseconds) limit the choice. Of failed sign-ups, only the oldest
    of each mailbox that may get mail now is released. Releasing held sign-ups without `ids` also turns
    the alarm off.
    """
    chosen = _chosen(site.id, ids, before, status)
    if status == FAILED:
        chosen = _within_limits(site, chosen)
    for sign_up in chosen:
        sign_ups.release(site, sign_up)
    if ids is None and status == HELD:
        alarms.turn_off(site.id)
    audit_log.record(actor, RECORDED[status], site, subjects=len(chosen))
    return len(chosen)


@database.writes_site
def discard(site: Site, actor: Actor, ids: Collection[int] | None = None, before: int | None = None) -> int:
    """Deletes held sign-ups, chosen as in `release`. Returns their number."""
    held = _chosen(site.id, ids, before, HELD)
    for sign_up in held:
        stored.delete(site_id=site.id, id=sign_up.id)
    audit_log.record(actor, "held sign-ups discarded", site, subjects=len(held))
    return len(held)


def _chosen(site_id: int, ids: Collection[int] | None, before: int | None, status: str) -> list[SignUp]:
    found = stored.with_status(site_id, status, before)
    return [sign_up for sign_up in found if ids is None or sign_up.id in ids]


def _within_limits(site: Site, failed: Collection[SignUp]) -> list[SignUp]:
    """All sign-ups of test forms, and the oldest of each mailbox that may get an email now."""
    tests = [sign_up for sign_up in failed if sign_up.is_test]
    oldest: dict[str, SignUp] = {}
    for sign_up in failed:
        if not sign_up.is_test:
            oldest.setdefault(mailboxes.mailbox_of(sign_up.email), sign_up)
    return tests + [one for one in oldest.values() if not sign_ups.seconds_to_wait(site, one.email)]


def sweep(only_site: int | None = None) -> bool:
    """Deletes expired sign-ups of one site. If there are none, releases a few held ones.

    Returns True if it deleted sign-ups, since there may be more.
    """
    now = clock.now_ms()
    with database.session():
        expired_of = stored.site_with_expired(now) if only_site is None else only_site
    if expired_of is not None and _expire(expired_of, now):
        return True
    with database.session():
        site_ids = stored.sites_with_held() if only_site is None else [only_site]
    for site_id in site_ids:
        alarms.trickle(sites.get(site_id))
    mailboxes.sweep()
    sign_ups.sweep_counts(only_site)
    return False


@database.writes_site
def _expire(site_id: int, now: int) -> bool:
    expired = stored.list_expired(site_id, now, CHUNK_ROWS)
    for sign_up in expired:
        if sign_up.is_open:
            sign_ups.count_outcome(site_id, sign_up, EXPIRED)
        stored.delete(site_id=site_id, id=sign_up.id)
    return bool(expired)
