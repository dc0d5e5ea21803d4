"""A batch of changes to subscribers: read at once, applied in memory, written at once."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import uuid_utils

from audience import pepper
from audience.changes import AcceptedConsent, Change, Consent, Outcome, apply_change, apply_tags, json_equal
from storage import sites as stored_sites
from storage import subscribers as stored
from storage import suppressions
from storage import tags as stored_tags
from storage.subscribers import Subscriber
from storage.suppressions import Suppression


class SubscriberBatch:
    """Loads the subscribers of changes, applies the changes in memory, and saves the result.

    `number` is that of the transaction that accepted them. A fixed number of statements, whatever the number
    of changes; in the caller's transaction.
    """

    def __init__(self, site_id: int, changes: Sequence[Change], number: int) -> None:
        self.site_id = site_id
        self.number = number
        self.subscribers = stored.get_by_keys(site_id, {change.key for change in changes})
        self.before = {key: _copy(subscriber) for key, subscriber in self.subscribers.items()}
        self.tagged: dict[str, dict[int, None]] = {}
        self.updated: set[str] = set()
        self.hashes: dict[str, str] = {}
        self.known: dict[str, Suppression] = {}
        self.lifted: set[str] = set()
        self.dated: set[str] = set()
        if suppressions.any_for_site(site_id):
            absent = {change.key for change in changes} - self.subscribers.keys()
            self.hashes = {key: pepper.address_hash(site_id, key) for key in absent}
            self.known = suppressions.known(site_id, self.hashes.values())
        self.admitted = set(self.subscribers)

    def admit(self, change: Change) -> bool:
        """Whether a change will be applied, given the changes before it."""
        if change.key not in self.admitted and change.creates and not self._erased(change):
            self.admitted.add(change.key)
        return change.key in self.admitted

    def _suppression(self, key: str) -> Suppression:
        return self.known.get(self.hashes.get(key, ""), Suppression("", 0, 0))

    def _erased(self, change: Change) -> bool:
        reason, since, number = self._suppression(change.key)
        word = AcceptedConsent(change.at, self.number, change.dated)
        return reason == suppressions.ERASED and not (
            change.consent is Consent.SUBSCRIBE and word.counts_after(since, number)
        )

    def apply(self, change: Change, tag_ids: Mapping[str, int], at: int) -> Outcome:
        """`tag_ids` are by name key; `at` is the time of the write in milliseconds."""
        subscriber = self.subscribers.get(change.key)
        if subscriber is None and self._erased(change):
            return Outcome.SUPPRESSED
        if subscriber is None and not change.creates:
            return Outcome.MISSING
        if subscriber is None:
            self.subscribers[change.key] = subscriber = self._new(change, at)
            self._apply_change(subscriber, change, tag_ids)
            return Outcome.CREATED
        if not self._apply_change(subscriber, change, tag_ids):
            return Outcome.UNCHANGED
        self.dated.discard(change.key)
        self.updated.add(change.key)
        return Outcome.UPDATED

    def _apply_change(self, subscriber: Subscriber, change: Change, tag_ids: Mapping[str, int]) -> bool:
        """Whether that changed the subscriber."""
        changed = apply_change(subscriber, change, self.number)
        if change.tags or change.remove_tags:
            if change.key not in self.tagged:
                self.tagged[change.key] = dict.fromkeys(subscriber.tag_ids)
            changed |= apply_tags(self.tagged[change.key], change, tag_ids)
        return changed

    def _new(self, change: Change, at: int) -> Subscriber:
        subscriber = Subscriber(
            0, str(uuid_utils.uuid7()), change.email, change.key, created_at=at, updated_at=at
        )
        subscriber.created_at = change.dates.get("created_at", at)
        subscriber.last_event_at = change.dates.get("last_event_at")
        if "updated_at" in change.dates:
            subscriber.updated_at = change.dates["updated_at"]
            self.dated.add(change.key)
        reason, since, number = self._suppression(change.key)
        if reason:
            self.lifted.add(self.hashes[change.key])
        if reason == suppressions.UNSUBSCRIBED:
            subscriber.unsubscribed_at = subscriber.consent_at = since
            subscriber.consent_number = number
        elif change.unconfirmed:
            subscriber.unsubscribed_at = subscriber.consent_at = change.at
            subscriber.consent_number = self.number
        return subscriber

    def save(self, at: int) -> None:
        """Writes subscribers, tag links and counters, and lifts suppressions."""
        for key, tag_ids in self.tagged.items():
            self.subscribers[key].tag_ids = list(tag_ids)
        changed = [
            subscriber
            for key, subscriber in self.subscribers.items()
            if not _unchanged(subscriber, self.before.get(key))
        ]
        for subscriber in changed:
            if subscriber.email_key in self.updated and subscriber.email_key not in self.dated:
                subscriber.updated_at = at
        stored.save(self.site_id, changed)
        self._assign_ids([subscriber for subscriber in changed if not subscriber.id])
        self._save_tags()
        suppressions.lift(self.site_id, self.lifted)
        stored_sites.count(
            self.site_id,
            users=len(self.subscribers) - len(self.before),
            unsubscribers=_unsubscribed(self.subscribers) - _unsubscribed(self.before),
        )

    def _assign_ids(self, created: Sequence[Subscriber]) -> None:
        ids = stored.ids(self.site_id, [subscriber.email_key for subscriber in created])
        for subscriber in created:
            subscriber.id = ids[subscriber.email_key]

    def _save_tags(self) -> None:
        added, removed = [], []
        for key, after in self.tagged.items():
            subscriber, before = self.subscribers[key], self.before.get(key)
            old = dict.fromkeys(before.tag_ids if before else ())
            added += [(tag_id, subscriber.id) for tag_id in after.keys() - old.keys()]
            removed += [(tag_id, subscriber.id) for tag_id in old.keys() - after.keys()]
        stored_tags.link(self.site_id, sorted(added))
        stored_tags.unlink(self.site_id, removed)


def _copy(subscriber: Subscriber) -> Subscriber:
    return replace(subscriber, fields=dict(subscriber.fields), tag_ids=list(subscriber.tag_ids))


def _unchanged(subscriber: Subscriber, before: Subscriber | None) -> bool:
    return before is not None and subscriber == before and json_equal(subscriber.fields, before.fields)


def _unsubscribed(subscribers: Mapping[str, Subscriber]) -> int:
    return sum(subscriber.unsubscribed_at is not None for subscriber in subscribers.values())
