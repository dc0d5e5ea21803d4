"""What the log that outlives the database gets of a batch: who was unsubscribed, and who resubscribed."""

from collections.abc import Mapping, Sequence

from audience.access import site_keys
from audience.changes import consents
from audience.changes.batches import SubscriberBatch
from audience.changes.consents import Subject
from storage.erasures import log as stored
from storage.subscribers.batches import (
    CONSENT,
    CONSENT_AT,
    CONSENT_KIND,
    KEY,
    UNSUBSCRIBED_AT,
    UUID,
    SubscriberRow,
)


def note(
    batch: SubscriberBatch, created: Sequence[SubscriberRow], changed: Mapping[int, Sequence[SubscriberRow]]
) -> None:
    """Logs the consent events of a saved batch. `changed` has the changed existing subscribers, by sum of
    groups of columns.

    A created subscriber is logged by the address's hash alone, because no backup has the subscriber under
    another address.
    """
    hash_of, hashes = site_keys.get(batch.site_id).digest, batch.hashes
    subjects: list[Subject] = [
        (
            hashes.get(row[KEY]) or hash_of(row[KEY]),
            row[CONSENT_KIND], row[CONSENT_AT], row[UNSUBSCRIBED_AT], None,
        )
        for row in created
        if row[UNSUBSCRIBED_AT] is not None or row[KEY] in batch.lifted
    ]  # fmt: skip
    for groups, rows in changed.items():
        if groups & CONSENT:
            subjects += [
                (
                    hash_of(row[KEY]),
                    row[CONSENT_KIND], row[CONSENT_AT], row[UNSUBSCRIBED_AT], hash_of(row[UUID]),
                )
                for row in rows
                if row[UNSUBSCRIBED_AT] is not None or batch.existing[row[KEY]][UNSUBSCRIBED_AT] is not None
            ]  # fmt: skip
    if subjects:
        stored.add(consents.log_lines(batch.site_id, batch.accepted.number, subjects))
