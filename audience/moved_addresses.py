"""An unsubscribe that waits for an address follows whoever has moved away from it since it was accepted."""

from collections.abc import Sequence

from audience import consents, pepper
from audience.changes import UNSUBSCRIBED_BY, Acceptance, Change, Consent
from storage import moved_addresses as stored
from storage import subscribers

DATES = ("unsubscribed_at", UNSUBSCRIBED_BY)


def followed(site_id: int, changes: Sequence[Change], accepted: Acceptance) -> list[Change]:
    """The unsubscribes among accepted changes, for those who have another address by now."""
    if not stored.any_after(site_id, accepted.number):
        return []
    leaving = {
        pepper.address_hash(site_id, change.key): change
        for change in changes
        if any(event.unsubscribes for event, *_ in consents.events(change, accepted))
    }
    moved = stored.after(site_id, accepted.number, leaving)
    people = subscribers.get_by_ids(site_id, {subscriber_id for _, subscriber_id in moved})
    return [
        _unsubscribe(people[subscriber_id].email_key, leaving[address_hash])
        for address_hash, subscriber_id in moved
        if subscriber_id in people
    ]


def _unsubscribe(key: str, change: Change) -> Change:
    dates = {name: change.dates[name] for name in DATES if name in change.dates}
    consent = Consent.UNSUBSCRIBE if change.consent else ""
    return Change(key, key, consent=consent, dates=dates, at=change.at, creates=False)
