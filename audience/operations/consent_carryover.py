"""Who has left an instance since a backup was made stays away when it is restored."""

from collections.abc import Iterator, Mapping, Sequence

from audience import clock
from audience.access import site_keys, sites
from audience.changes import consents
from audience.changes.changes import RESTORE, Acceptance, Change, Consent, Outcome
from audience.changes.consents import ConsentEvent
from audience.imports import payloads as import_payloads
from audience.subscribers import subscribers
from storage import database
from storage.access import sites as stored_sites
from storage.bulk import acts as stored_bulk_acts
from storage.changes.consents import ConsentKind
from storage.erasures import suppressions
from storage.erasures.suppressions import Suppression
from storage.imports import imports as stored_imports
from storage.subscribers import subscribers as stored_subscribers
from storage.subscribers.subscribers import Left

CHUNK_ROWS = 500


def read(accepted: Mapping[str, int]) -> dict[str, list[Left]]:
    """By uuid of the site, who left the open database's sites after a number that the site accepted.

    With whoever an undo has unsubscribed again: it puts the old number back, whenever it was done; and with
    whom what is accepted and still waits unsubscribes.
    """
    return {
        site.uuid: [
            *stored_subscribers.left_after(site.id, accepted.get(site.uuid, 0)),
            *stored_subscribers.left_by_undo(site.id),
            *_leaving(site.id, accepted.get(site.uuid, 0)),
        ]
        for site in stored_sites.list_all()
    }


def _leaving(site_id: int, after: int) -> Iterator[Left]:
    """Whom what waits unsubscribes, imports and bulk actions accepted after a number, where that counts."""
    for payload, number, at in stored_imports.accepted_batches(site_id):
        if number > after:
            accepted = Acceptance(number, at)
            changes = [change for change in import_payloads.read(payload) if change]
            yield from _counting(
                site_id,
                [
                    (change.key, event, shown_at)
                    for change in changes
                    for event, shown_at, _ in consents.events(change, accepted)
                    if event.unsubscribes
                ],
            )
    for ids, number, at in stored_bulk_acts.waiting_unsubscribes(site_id, after):
        event = ConsentEvent(at, number, ConsentKind.UNSUBSCRIBE)
        keys = [key for _, key in stored_bulk_acts.keys(site_id, ids).values()]
        yield from _counting(site_id, [(key, event, at) for key in keys])


def _counting(site_id: int, events: Sequence[tuple[str, ConsentEvent, int]]) -> Iterator[Left]:
    """Those of some unsubscribes that count over what is kept of each subscriber now."""
    people, now = stored_subscribers.get_by_keys(site_id, {key for key, _, _ in events}), clock.now_ms()
    for key, event, shown_at in events:
        person = people.get(key)
        if person is None or event.counts_over(consents.current_event(person), now):
            yield Left("", key, shown_at, event.instant, event.kind)


def apply(left: Mapping[str, Sequence[Left]]) -> int:
    """Unsubscribes in the open instance whoever is in `left`, by site; returns how many were subscribed.

    Of an address that it does not know, it keeps the hash.
    """
    return sum(
        _leave(site.id, people[start : start + CHUNK_ROWS])
        for site in sites.list_all()
        for people in [left.get(site.uuid, [])]
        for start in range(0, len(people), CHUNK_ROWS)
    )


def leave_again(site_id: int, left: Mapping[str, Suppression]) -> int:
    """Unsubscribes whom the open instance has, by the hash of their address; how many it had subscribed."""
    if not left:
        return 0
    accepted, last, count = subscribers.accept_now(site_id, RESTORE), 0, 0
    while keys := stored_subscribers.keys_after(site_id, last, CHUNK_ROWS):
        last = keys[-1][0]
        changes = [
            _leaving_again(key, left[address_hash].since, left[address_hash].kind, accepted)
            for _, key, _ in keys
            for address_hash in site_keys.address_hashes(site_id, key)
            if address_hash in left
        ]
        count += subscribers.write(site_id, changes, accepted).outcomes.count(Outcome.UPDATED)
    return count


def _leave(site_id: int, people: Sequence[Left]) -> int:
    with database.write(site_id):
        accepted = subscribers.accept_now(site_id, RESTORE)
        keys = stored_subscribers.keys_of(site_id, [subscriber.uuid for subscriber in people])
        left = [
            (key, at, subscriber.kind)
            for subscriber in people
            for key in {subscriber.email_key, keys.get(subscriber.uuid, subscriber.email_key)}
            for at in (subscriber.unsubscribed_at, subscriber.consent_at)
        ]
        outcomes = subscribers.write(
            site_id, [_leaving_again(*entry, accepted) for entry in left], accepted
        ).outcomes
        missing = [entry for entry, outcome in zip(left, outcomes, strict=True) if outcome is Outcome.MISSING]
        hashes = site_keys.renewed(site_id, {key for key, _, _ in missing})
        known = suppressions.known(site_id, set(hashes.values()))
        kept = {address_hash: (state.since, state.kind) for address_hash, state in known.items()}
        for key, at, kind in missing:
            kept[hashes[key]] = max((at, kind), kept.get(hashes[key], (at, kind)))
        suppressions.add(
            site_id,
            {
                address_hash: Suppression(suppressions.UNSUBSCRIBED, at, accepted.number, kind)
                for address_hash, (at, kind) in kept.items()
            },
        )
    return outcomes.count(Outcome.UPDATED)


def _leaving_again(key: str, at: int, kind: int, accepted: Acceptance) -> Change:
    """What was dated stays so: of equal instants, it counts over a `subscribe` after the restore."""
    dated_at = accepted.at if kind == ConsentKind.DATED_UNSUBSCRIBE else None
    return Change(key, key, consent=Consent.UNSUBSCRIBE, at=at, consent_at=dated_at, creates=False)
