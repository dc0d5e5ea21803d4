"""Waiting changes to an address that has changed hands. They are for the subscriber who had the address when
they were accepted.
"""

from collections.abc import Sequence

from audience.access import site_keys
from audience.changes import consents
from audience.changes import log as change_log
from audience.changes.changes import UNSUBSCRIBED_BY, Acceptance, Change, Consent
from storage.erasures import suppressions
from storage.erasures.suppressions import UNSUBSCRIBED, Suppression
from storage.imports import moved_addresses as stored
from storage.subscribers import subscribers

DATES = ("unsubscribed_at", UNSUBSCRIBED_BY)


def redirect(
    site_id: int, changes: Sequence[Change], accepted: Acceptance
) -> tuple[Sequence[Change], list[Change]]:
    """The changes, redirected to whoever had the addresses when they were accepted.

    The second list unsubscribes whoever has the addresses now. Changes for subscribers who no longer exist
    are left out. A change to a subscriber who took over the address later subscribes nobody.
    """
    if not stored.any_after(site_id, accepted.number):
        return changes, []
    hashes = {
        hash_: change.key for change in changes for hash_ in site_keys.address_hashes(site_id, change.key)
    }
    moves = stored.after(site_id, accepted.number, hashes)
    moved = {hashes[move.address_hash]: move for move in reversed(moves)}
    existing = subscribers.get_by_ids(site_id, {move.subscriber_id for move in moved.values()})
    taken_keys = subscribers.get_by_keys(site_id, moved)
    kept_changes, unsubscribes = list[Change](), list[Change]()
    for change in changes:
        move = moved.get(change.key)
        if move is None:
            kept_changes.append(change)
        elif move.came:
            kept_changes.append(
                change if change.consent != Consent.SUBSCRIBE else change._replace(consent="")
            )
        elif subscriber := existing.get(move.subscriber_id):
            kept_changes.append(change._replace(key=subscriber.email_key, email=subscriber.email))
            if subscriber.email_key != change.key:
                unsubscribes.append(_unsubscribe(change))
            if change.key not in taken_keys:
                _leave(site_id, change, accepted)
    return kept_changes, unsubscribes


def _unsubscribe(change: Change) -> Change:
    """The unsubscribing part of a change, for the subscriber who has its address now."""
    return Change(
        change.key,
        change.email,
        consent=Consent.UNSUBSCRIBE if change.consent == Consent.UNSUBSCRIBE else "",
        dates={name: change.dates[name] for name in DATES if name in change.dates},
        creates=False,
    )


def _leave(site_id: int, change: Change, accepted: Acceptance) -> None:
    """Suppresses an address without a subscriber, if the change unsubscribes it."""
    events = [event for event, *_ in consents.events(change, accepted) if event.unsubscribes]
    [address_hash] = site_keys.renew_hashes(site_id, [change.key]).values()
    if events and not suppressions.find_by_hash(site_id, [address_hash]):
        change_log.suppress(site_id, {address_hash: Suppression(UNSUBSCRIBED, *events[-1])}, accepted.number)
