"""What the log that outlives the database is told of consent: who was unsubscribed, and who resubscribed."""

from collections.abc import Iterator, Mapping, Sequence

from audience import clock, pepper
from audience.access import site_keys
from audience.changes import consents
from audience.changes.batches import SubscriberBatch
from audience.changes.consents import Person
from storage.erasures import log as stored
from storage.erasures.log import LogLine
from storage.subscribers.batches import (
    CONSENT,
    CONSENT_AT,
    CONSENT_KIND,
    KEY,
    UNSUBSCRIBED_AT,
    UUID,
)


def note(batch: SubscriberBatch, created: Sequence[Person], changed: Mapping[int, Sequence[Person]]) -> None:
    """Logs what a saved batch did; `changed` are the known who differ, by the sum of their groups."""
    subscribers = [row for row in created if row[UNSUBSCRIBED_AT] is not None or row[KEY] in batch.lifted]
    for groups, rows in changed.items():
        if groups & CONSENT:
            subscribers += (row for row in rows if _is_or_was_unsubscribed(batch, row))
    if subscribers:
        stored.add(list(_lines(batch, subscribers)))


def _is_or_was_unsubscribed(batch: SubscriberBatch, row: Person) -> bool:
    return row[UNSUBSCRIBED_AT] is not None or batch.known[row[KEY]][UNSUBSCRIBED_AT] is not None


def _lines(batch: SubscriberBatch, subscribers: Sequence[Person]) -> Iterator[LogLine]:
    site_id, number, now = batch.site_id, batch.accepted.number, clock.now_ms()
    site_uuid, check_value = site_keys.get(site_id).uuid, pepper.check_value()
    for row in subscribers:
        shown_at = row[UNSUBSCRIBED_AT]
        at = row[CONSENT_AT] or shown_at or batch.at
        kind = stored.SUBSCRIBED if shown_at is None else consents.logged_kind(row[CONSENT_KIND])
        yield LogLine(
            site_uuid, site_keys.address_hash(site_id, row[KEY]), at, number, check_value, kind,
            site_keys.address_hash(site_id, row[UUID]), shown_at if shown_at != at else None, now,
        )  # fmt: skip
