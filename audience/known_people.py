"""What an import may change of people who are known: everything, what is blank, or nothing.

Whichever it is, who left in the file leaves. Known is who exists when the row is applied.
"""

from collections.abc import Iterator, Sequence

from audience.changes import Change, Consent
from audience.subscriber_batches import SubscriberBatch
from schemas.values import KnownPeople


def limited(batch: SubscriberBatch, changes: Sequence[Change]) -> Sequence[Change]:
    """The changes, without what may not be done to those whom the site knows.

    What `fill` finds blank is decided as each is applied.
    """
    return list(_each(batch, changes)) if any(change.known for change in changes) else changes


def _each(batch: SubscriberBatch, changes: Sequence[Change]) -> Iterator[Change]:
    known = set(batch.known)
    for change in changes:
        is_known = change.key in known
        if change.known and (is_known or batch.left_before(change.key)):
            yield _limited(change, is_known)
        else:
            yield change
        known.add(change.key)


def _limited(change: Change, is_known: bool) -> Change:
    consent = "" if change.consent == Consent.SUBSCRIBE else change.consent
    if not is_known:
        return change._replace(consent=consent)
    if change.known == KnownPeople.SKIP:
        return Change(change.key, change.email, consent=consent, dates=change.dates, at=change.at)
    return change._replace(consent=consent, remove_tags=())
