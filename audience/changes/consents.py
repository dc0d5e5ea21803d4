"""Which consent event of a subscriber counts: the one with the latest instant (docs/contract.md, Consent).

Also the lines about consent that go into the log that outlives the database.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from audience import clock
from audience.access import site_keys
from audience.changes.changes import UNSUBSCRIBED_BY, Acceptance, Change, Consent
from audience.privacy import pepper
from storage.access import site_counters
from storage.changes.consents import ConsentKind
from storage.erasures.log import ERASED, SUBSCRIBED, UNSUBSCRIBED, UNSUBSCRIBED_BY_DATE, LogLine
from storage.erasures.suppressions import Suppression
from storage.subscribers.batches import (
    CONSENT_AT,
    CONSENT_KIND,
    CONSENT_NUMBER,
    KEY,
    UNSUBSCRIBE_NUMBER,
    UNSUBSCRIBED_AT,
    UPDATED_AT,
    SubscriberRow,
)
from storage.subscribers.subscribers import Subscriber

DATE, WORD, UNCONFIRMED, LEFT_BEFORE = "date", "word", "unconfirmed", "left before"  # reasons
UNDONE = "undone"
UNSUBSCRIBES = frozenset({ConsentKind.UNSUBSCRIBE, ConsentKind.DATED_UNSUBSCRIBE})
SUBSCRIBES = frozenset({ConsentKind.SUBSCRIBE, ConsentKind.DATED_SUBSCRIBE})
RANKS = {
    ConsentKind.DATED_SUBSCRIBE: -1,
    ConsentKind.DATED_UNSUBSCRIBE: 1,
}  # at one instant; 0 without a date
LOGGED_AS = {ERASED: ERASED, ConsentKind.DATED_UNSUBSCRIBE: UNSUBSCRIBED_BY_DATE}  # or unsubscribed
ChangedConsent = tuple[SubscriberRow, int, bool, str]  # whose, when, whether they subscribed, and why


class ConsentEvent(NamedTuple):
    """A consent event. `number` is the acceptance number: the position in the site's order of the transaction
    that accepted the event.

    `instant`, in milliseconds, orders it: the date of the event, but at most the acceptance; without a date,
    the acceptance.
    """

    instant: int
    number: int
    kind: ConsentKind

    @property
    def unsubscribes(self) -> bool:
        return self.kind in UNSUBSCRIBES

    def counts_over(self, stored_event: "ConsentEvent", now: int) -> bool:
        """Whether this event replaces the stored one: its order is not lower.

        A stored subscribe may be later than `now` (milliseconds), from a clock that was ahead. For an
        unsubscribe it counts as of `now`.
        """
        if stored_event.kind == ConsentKind.NONE:
            return True
        if stored_event.instant > now and self.unsubscribes and stored_event.kind in SUBSCRIBES:
            stored_event = stored_event._replace(instant=now)
        return self.order >= stored_event.order

    @property
    def order(self) -> tuple[int, int, int]:
        """What events are compared by: the instant, the rank of the kind, the acceptance number."""
        return self.instant, RANKS.get(self.kind, 0), self.number


class ConsentBefore(NamedTuple):
    """A subscriber's columns of consent before an undone action; blank if created subscribed."""

    unsubscribed_at: int | None = None
    at: int | None = None
    number: int = 0
    kind: int = 0


class Consents:
    """The consent events of a batch of changes; `changes` has those that subscribed or unsubscribed somebody.

    `ignored` has the (subscriber, instant to show, event) of each unsubscribe that a later subscribe
    outweighed. `subscribes_ignored` counts the subscribes that a later unsubscribe outweighed.

    `unsubscribed_keys` has the subscribers whom an event without a date unsubscribed.
    """

    def __init__(self, now: int) -> None:
        self.now = now
        self.unsubscribed_keys: set[str] = set()
        self.changes: list[ChangedConsent] = []
        self.ignored: list[tuple[SubscriberRow, int, ConsentEvent]] = []
        self.subscribes_ignored = 0

    def apply(self, subscriber: SubscriberRow, change: Change, accepted: Acceptance) -> bool:
        """Applies the events of a change. Returns whether the subscriber's date of unsubscribing changed."""
        before = subscriber[UNSUBSCRIBED_AT]
        for event, shown_at, reason in events(change, accepted):
            self._apply(subscriber, event, min(shown_at, self.now), reason)
        return bool(subscriber[UNSUBSCRIBED_AT] != before)

    def _apply(self, subscriber: SubscriberRow, event: ConsentEvent, shown_at: int, reason: str) -> None:
        """Applies an event if it counts over the stored one. A shown date of unsubscribing stays.

        The number of the last unsubscribe is stored even if that event does not count. If it differs from the
        number of the event that counts, an undo of either transaction resubscribes nobody. So if a row's
        event counts, a second row of the same import leaves the number as it is.
        """
        subscribed = subscriber[UNSUBSCRIBED_AT] is None
        repeats = not subscribed and event.number == subscriber[CONSENT_NUMBER]
        if event.unsubscribes and not (repeats and subscriber[UNSUBSCRIBE_NUMBER]):
            subscriber[UNSUBSCRIBE_NUMBER] = event.number
        if event.kind == ConsentKind.UNSUBSCRIBE:
            self.unsubscribed_keys.add(subscriber[KEY])
        if not event.counts_over(stored_event(subscriber), self.now):
            if event.unsubscribes and subscribed:
                self.ignored.append((subscriber, shown_at, event))
            self.subscribes_ignored += not (event.unsubscribes or subscribed)
            return
        put(subscriber, event)
        if subscribed == event.unsubscribes:
            subscriber[UNSUBSCRIBED_AT] = shown_at if subscribed else None
            self.changes.append((subscriber, shown_at, not subscribed, reason))

    def put_back(self, subscriber: SubscriberRow, before: ConsentBefore) -> None:
        """Restores the consent event `before` an undone action, with its instant.

        An unsubscribe that was accepted since, or still waits, counts over the restored event.
        """
        was, shown_at = subscriber[UNSUBSCRIBED_AT], before.unsubscribed_at
        subscriber[UNSUBSCRIBED_AT] = shown_at
        subscriber[CONSENT_AT], subscriber[CONSENT_NUMBER], subscriber[CONSENT_KIND] = before[1:]
        if shown_at != was:
            subscriber[UPDATED_AT] = self.now
            at = self.now if shown_at is None else shown_at
            self.changes.append((subscriber, at, shown_at is None, UNDONE))


def events(change: Change, accepted: Acceptance) -> Iterator[tuple[ConsentEvent, int, str]]:
    """Yields the (consent event, instant to show in milliseconds, reason) of a change.

    A date of unsubscribing without a command is a dated unsubscribe. Beside `unsubscribe` it is only shown:
    the command counts from its own instant. Beside `subscribe` it is ignored.
    """
    left_at = change.dates.get("unsubscribed_at")
    if left_at is not None and not change.consent:
        instant = min(change.dates.get(UNSUBSCRIBED_BY, left_at), accepted.at)
        event = ConsentEvent(instant, accepted.number, ConsentKind.DATED_UNSUBSCRIBE)
        yield event, min(left_at, accepted.at), DATE
    if change.consent:
        dated_at = left_at if change.consent == Consent.UNSUBSCRIBE else None
        dated = change.consent_at is not None or dated_at is not None
        instant = accepted.at if change.consent_at is None else change.consent_at
        kind = ConsentKind[f"{'DATED_' if dated else ''}{change.consent.upper()}"]
        shown_at = next((at for at in (dated_at, change.at) if at is not None), accepted.at)
        event = ConsentEvent(min(instant, accepted.at), accepted.number, kind)
        yield event, min(shown_at, accepted.at), change.reason or WORD


def stored_event(subscriber: SubscriberRow) -> ConsentEvent:
    """The stored consent event of a row of the batch."""
    return ConsentEvent(subscriber[CONSENT_AT] or 0, subscriber[CONSENT_NUMBER], subscriber[CONSENT_KIND])


def current_event(subscriber: Subscriber) -> ConsentEvent:
    """The consent event that counts for a subscriber, from its columns."""
    kind = ConsentKind(subscriber.consent_kind)
    return ConsentEvent(subscriber.consent_at or 0, subscriber.consent_number, kind)


def put(subscriber: SubscriberRow, event: ConsentEvent) -> None:
    subscriber[CONSENT_AT], subscriber[CONSENT_NUMBER], subscriber[CONSENT_KIND] = event


# A subject of the log: the hash of an address, `ERASED` or the kind of the consent event, the instant that
# orders it, the instant of unsubscribing that is shown (None: subscribed), and the hash of the uuid.
Subject = tuple[str, ConsentKind | int | str, int | None, int | None, str | None]


def log_lines(site_id: int, number: int, subjects: Iterable[Subject]) -> list[LogLine]:
    """The log lines for these subjects, of the transaction with a `number`.

    They are logged at the site's newest acceptance if the clock was set back: otherwise the sweep would take
    them for old and drop them.
    """
    site_uuid, check_value = site_keys.get(site_id).uuid, pepper.check_value()
    now = max(clock.now_ms(), site_counters.newest_accepted_at(site_id))
    return [
        LogLine(
            site_uuid, address_hash, at or left_at or now, number, check_value,
            SUBSCRIBED if left_at is None else LOGGED_AS.get(kind, UNSUBSCRIBED),
            person_hash, left_at if at and left_at != at else None, now,
        )
        for address_hash, kind, at, left_at, person_hash in subjects
    ]  # fmt: skip


def of_subscribers(site_id: int, subscribers: Iterable[Subscriber]) -> Iterator[Subject]:
    """Yields the consent of subscribers as subjects of the log."""
    hash_of = site_keys.get(site_id).digest
    for row in subscribers:
        consent = row.consent_kind, row.consent_at, row.unsubscribed_at
        yield hash_of(row.email_key), *consent, hash_of(row.uuid)


def of_suppressions(by_hash: Mapping[str, Suppression]) -> Iterator[Subject]:
    """Yields the consent of suppressed addresses, by hash, as subjects of the log, without a subscriber."""
    for address_hash, row in by_hash.items():
        yield address_hash, ERASED if row.reason == ERASED else row.kind, row.since, row.since, None
