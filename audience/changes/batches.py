"""A batch of changes to subscribers: what exists is read once, and decided on in plain lists."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson
import uuid_utils

from audience.access import site_keys
from audience.changes import consents, existing_subscribers
from audience.changes.changes import Acceptance, Change, Outcome, json_equal
from audience.changes.consents import ConsentEvent, Consents
from storage.changes.consents import ConsentKind
from storage.erasures import suppressions
from storage.erasures.suppressions import Suppression
from storage.subscribers import batches as stored
from storage.subscribers.batches import (  # fmt: skip
    EMAIL,
    FIELDS,
    ID,
    LAST_EVENT_AT,
    TAG_IDS,
    TEXT_POSITIONS,
    UNSUBSCRIBE_NUMBER,
    UNSUBSCRIBED_AT,
    UPDATED_AT,
    SubscriberRow,
)
from storage.subscribers.subscribers import TEXT_COLUMNS, read_values, texts

CREATED, UPDATED, UNCHANGED = Outcome.CREATED, Outcome.UPDATED, Outcome.UNCHANGED  # slow to look up
POSITIONS = dict(zip(TEXT_COLUMNS, TEXT_POSITIONS, strict=True))
BLANK = [""] * len(TEXT_COLUMNS)
ABSENT: Any = object()  # the value of a custom field that a subscriber did not have
DATED = {name: stored.INSERTED.index(name) for name in ("created_at", "updated_at", "last_event_at")}
NOT_SUPPRESSED = Suppression("", 0, 0)


class SubscriberBatch:
    """Reads the subscribers of changes and applies the changes in order, to be saved then.

    By key, `existing` has the existing subscribers as they were, and `subscribers` all as they are now.
    `values` and `tagged` have the custom values and tag ids of changed subscribers, `replaced` and
    `tagged_before` the old ones. `revalued` has the keys of subscribers whose values were set twice,
    `consents` the consent events.

    `unsubscribed` counts the changes that leave their subscriber unsubscribed, by (subscribed before,
    unsubscribed already).
    """

    def __init__(self, site_id: int, changes: Sequence[Change], accepted: Acceptance, at: int) -> None:
        self.site_id, self.accepted, self.at = site_id, accepted, at
        keys = {change.key for change in changes}
        self.existing = stored.read_existing(site_id, keys)
        self.subscribers: dict[str, SubscriberRow] = {key: list(row) for key, row in self.existing.items()}
        self.values: dict[str, dict[str, Any]] = {}
        self.replaced: dict[str, dict[str, Any]] = {}
        self.revalued: set[str] = set()
        self.tagged: dict[str, dict[int, None]] = {}
        self.tagged_before: dict[str, dict[int, None]] = {}
        self.tag_ids: Mapping[str, int] = {}
        self.twins: Mapping[int, Collection[int]] = {}  # tags with equal names, by the older id
        self.field_ids: Mapping[str, int] = {}
        self.consents = Consents(at)
        self.unsubscribed = [0, 0]
        self.created_by = f"{accepted.source.kind} {accepted.source.id}"
        self.hashes: dict[str, str] = {}
        self.suppressed: dict[str, Suppression] = {}
        self.lifted: dict[str, Suppression] = {}  # by key
        self.noted: dict[str, Suppression] = {}  # erased addresses that were unsubscribed again, by key
        self.made_tags, self.made_fields = list[int](), list[str]()  # by this batch, for the site
        if suppressions.has(site_id=site_id):
            self.hashes = site_keys.renew_hashes(site_id, keys - self.existing.keys())
            self.suppressed = suppressions.find_by_hash(site_id, self.hashes.values())
        self.admitted = set(self.existing)

    def those_admitted(self, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes that will be applied, for which `admit` is true."""
        if not self.suppressed and all(change.creates for change in changes):
            return changes
        return [change for change in changes if self.admit(change)]

    def admit(self, change: Change) -> bool:
        """Whether a change will be applied: its subscriber exists, or it or an earlier one creates it."""
        if change.key not in self.admitted and change.creates and not self._is_erased(change):
            self.admitted.add(change.key)
        return change.key in self.admitted

    def _suppression(self, key: str) -> Suppression:
        return self.suppressed.get(self.hashes.get(key, ""), NOT_SUPPRESSED)

    def _is_erased(self, change: Change) -> bool:
        """Whether the address of a change is erased, and no later event of the change subscribes it again."""
        if not self.suppressed:
            return False
        erasure = self._suppression(change.key)
        return erasure.reason == suppressions.ERASED and not any(
            event.kind in consents.SUBSCRIBES and event.counts_over(_event(erasure), self.at)
            for event, *_ in consents.events(change, self.accepted)
        )

    def _note_unsubscribe(self, change: Change) -> None:
        """Stores the unsubscribe of an erased address, so that no earlier `subscribe` lifts the erasure."""
        erasure = self._suppression(change.key)
        for event, *_ in consents.events(change, self.accepted):
            if event.unsubscribes and event.counts_over(_event(erasure), self.at):
                erasure = Suppression(suppressions.ERASED, *event)
                self.suppressed[self.hashes[change.key]] = self.noted[change.key] = erasure

    def apply(self, change: Change) -> Outcome:
        """Applies a change to its subscriber, or creates one. Returns the outcome."""
        subscriber = self.subscribers.get(change.key)
        if subscriber is None:
            return self._create(change)
        was_unsubscribed = subscriber[UNSUBSCRIBED_AT] is not None
        changed = self._change(subscriber, change)
        if subscriber[UNSUBSCRIBED_AT] is not None:
            self.unsubscribed[was_unsubscribed] += 1
        if not changed:
            return UNCHANGED
        subscriber[UPDATED_AT] = self.at
        return UPDATED

    def _create(self, change: Change) -> Outcome:
        """Creates the subscriber of a change. Returns `SUPPRESSED` or `MISSING` if it creates none."""
        if self.suppressed and self._is_erased(change):
            self._note_unsubscribe(change)
            return Outcome.SUPPRESSED
        if not change.creates:
            return Outcome.MISSING
        subscriber = self._add(change)
        self._change(subscriber, change)
        if subscriber[UNSUBSCRIBED_AT] is not None:
            self.unsubscribed[False] += 1
            self.unsubscribed[True] += change.key in self.lifted
        return CREATED

    def _add(self, change: Change) -> SubscriberRow:
        """Adds the subscriber of a change: unsubscribed, if unconfirmed or the address is suppressed."""
        subscriber = self.subscribers[change.key] = [
            0, change.email, "{}", "[]", *BLANK, None, None, None, 0, 0, None, self.at, change.key,
            str(uuid_utils.uuid7()), self.created_by, self.at, self.site_id,
        ]  # fmt: skip
        for name, at in change.dates.items():
            if name in DATED:
                subscriber[DATED[name]] = min(at, self.accepted.at)
        hash_ = self._suppression(change.key)
        if hash_.reason:
            self.lifted[change.key] = hash_
        if hash_.reason == suppressions.UNSUBSCRIBED:
            self._add_unsubscribed(subscriber, _event(hash_), consents.LEFT_BEFORE)
        elif change.unconfirmed:
            event = ConsentEvent(self.accepted.at, self.accepted.number, ConsentKind.UNCONFIRMED)
            self._add_unsubscribed(subscriber, event, consents.UNCONFIRMED)
        return subscriber

    def _add_unsubscribed(self, subscriber: SubscriberRow, event: ConsentEvent, why: str) -> None:
        consents.put(subscriber, event)
        subscriber[UNSUBSCRIBED_AT] = min(event.instant, self.at)
        subscriber[UNSUBSCRIBE_NUMBER] = event.number if event.unsubscribes else None
        self.consents.changes.append((subscriber, subscriber[UNSUBSCRIBED_AT], False, why))

    def limited(self, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes, each reduced to what its `known` allows; see `existing_subscribers`."""
        return existing_subscribers.limit(changes, self.existing, self.is_suppressed)

    def is_suppressed(self, key: str) -> bool:
        """Whether the address with a key is suppressed, for any reason."""
        return self._suppression(key) is not NOT_SUPPRESSED

    def _change(self, subscriber: SubscriberRow, change: Change) -> bool:
        """Applies a change. Returns whether it changed what is shown of the subscriber."""
        changed = False
        if change.known or change.if_unset:
            values = self.values.get(change.key) or read_values(subscriber[FIELDS])
            had = [name for name, position in POSITIONS.items() if subscriber[position]]
            change = existing_subscribers.only_blanks(change, values, had)
        if change.rewrites_email and subscriber[EMAIL] != change.email:
            subscriber[EMAIL], changed = change.email, True
        for position, text in zip(TEXT_POSITIONS, texts(change), strict=True):
            if text and subscriber[position] != text:
                subscriber[position], changed = text, True
        if change.event_at is not None:
            last = subscriber[LAST_EVENT_AT]
            if last is None or change.event_at > last:
                subscriber[LAST_EVENT_AT], changed = change.event_at, True
        if change.consent or "unsubscribed_at" in change.dates:
            changed |= self.consents.apply(subscriber, change, self.accepted)
        if change.fields or change.remove_fields:
            changed |= self._set_values(subscriber, change)
        if change.tags or change.remove_tags:
            changed |= self._set_tags(subscriber, change)
        return changed

    def _set_values(self, subscriber: SubscriberRow, change: Change) -> bool:
        """Sets and removes a subscriber's custom values. Returns whether a shown value changed."""
        values = self.values.get(change.key)
        if values is None:
            if subscriber[FIELDS] == "{}" and not change.remove_fields:
                self.values[change.key] = dict(change.fields)
                self.replaced[change.key] = dict.fromkeys(change.fields, ABSENT)
                return True
            values = self.values[change.key] = read_values(subscriber[FIELDS])
            self.replaced[change.key] = {}
        else:
            self.revalued.add(change.key)
        replaced, changed = self.replaced[change.key], False
        for name, value in change.fields.items():
            before = values.get(name, ABSENT)
            if value is before or (type(value) is str and value == before):
                continue
            if before is ABSENT or not json_equal(value, before):
                replaced.setdefault(name, before)
                values[name], changed = value, True
        if change.remove_fields:
            changed |= self._remove_values(subscriber, change)
        return changed

    def _remove_values(self, subscriber: SubscriberRow, change: Change) -> bool:
        """Removes a subscriber's names and custom values. Returns whether there were any."""
        values, replaced, changed = self.values[change.key], self.replaced[change.key], False
        for name in change.remove_fields:
            if name in POSITIONS:
                changed |= subscriber[POSITIONS[name]] != ""
                subscriber[POSITIONS[name]] = ""
            if name in values:
                replaced.setdefault(name, values[name])
                changed = True
                del values[name]
        return changed

    def _set_tags(self, subscriber: SubscriberRow, change: Change) -> bool:
        """Adds and removes tags; one in both lists is removed. Returns whether the tags changed."""
        tagged = self.tagged.get(change.key)
        added = dict.fromkeys(map(self.tag_ids.__getitem__, change.tags))
        if tagged is None:
            before = _tags(subscriber[TAG_IDS])
            if not change.remove_tags and added.keys() <= before.keys():
                return False
            self.tagged_before[change.key] = before
            tagged = self.tagged[change.key] = dict(before)
        if not change.remove_tags:
            count = len(tagged)
            tagged.update(added)
            return len(tagged) > count
        removed = {self.tag_ids[name] for name in change.remove_tags if name in self.tag_ids}
        removed.update(*(self.twins.get(tag_id, ()) for tag_id in removed.copy()))
        more = [new for new in added if new not in tagged and new not in removed]
        ended = [old for old in removed if old in tagged]
        tagged.update(dict.fromkeys(more))
        for old in ended:
            del tagged[old]
        return bool(more or ended)

    def ids(self) -> dict[str, int]:
        """The ids, by key, of the subscribers that exist after `save`."""
        return {key: subscriber[ID] for key, subscriber in self.subscribers.items()}


def _event(suppression: Suppression) -> ConsentEvent:
    return ConsentEvent(suppression.since, suppression.number, ConsentKind(suppression.kind))


@lru_cache(maxsize=1024)
def _tags(text: str) -> dict[int, None]:
    """The tag ids in a JSON text. Do not change the result, which subscribers share."""
    return dict.fromkeys(orjson.loads(text))
