"""What undo does to each subscriber whom an import or bulk action created or changed.

A value is restored if the subscriber still has it as the action set it. Subscribers that the action created
are deleted, unless anything has mentioned them since.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from audience.addresses import identity
from audience.changes.changes import json_equal
from audience.changes.consents import ConsentBefore
from audience.changes.entries import UPDATED, LogEntry, Values, unpack
from audience.sources import Source
from audience.undo.prior_consents import PriorConsents, before_change
from storage.bulk import tag_renames
from storage.changes import changed_subscribers
from storage.changes import log as stored
from storage.changes.log import LogRow
from storage.erasures.suppressions import UNSUBSCRIBED, Suppression
from storage.subscribers import subscribers as stored_subscribers
from storage.subscribers.subscribers import TEXT_COLUMNS, Subscriber, consent
from storage.undo import undos

REMOVED, RESTORED, KEPT = "removed", "restored", "kept"
ROWS_AT_ONCE = 50
# Values of `Decision.by`. `NOTHING`: nothing stays or, if kept, the subscriber was erased since.
# `SUPPRESSED`: the subscriber is removed, and the address stays suppressed.
NOTHING, SUPPRESSED = (
    Source("", 0),
    Source("left", 0),
)
CHANGED, STAYS_UNSUBSCRIBED = Source("changed", 0), Source("unsubscribed", 0)
Own = list[tuple[Values, Values]]  # new, old
Key = tuple[str, Any]  # a name, ("field", key) or ("tag", id)


class UndoneAction(NamedTuple):
    """The import or bulk action that is undone: its `source`, and its first row and number in the record.

    With `resubscribe`, subscribers whom only this import unsubscribed are resubscribed.
    """

    source: Source
    first_row: int
    first_number: int
    resubscribe: bool = False


@dataclass
class Decision:
    """What undo does to one subscriber. `outcome` is `REMOVED`, `RESTORED` or `KEPT`.

    `subscriber` is None if it no longer exists. `values` has the values to restore: None for a field that was
    not there, and for a tag whether the subscriber had it. `consent` has the columns of consent to restore,
    None to leave them. `by` is the source because of which something stays.

    `lifted` is the suppression that the action lifted when it created the subscriber. `has_traces` is true if
    the record of changes has values of the subscriber. `former_addresses` are suppressed again, as the
    subscriber was unsubscribed before the action.

    `only_unsubscribed` is true if only the action unsubscribed the subscriber. `resubscribed` and
    `unsubscribed_again` are what the undo does. `unsubscribed_kept` is true if the subscriber was subscribed
    before the action, and stays unsubscribed.
    """

    id: int
    outcome: str
    subscriber: Subscriber | None = None
    values: dict[Key, Any] = field(default_factory=dict)
    consent: ConsentBefore | None = None
    by: Source = NOTHING
    lifted: Suppression | None = None
    has_traces: bool = False
    unsubscribed_kept: bool = False
    unsubscribed_again: bool = False
    resubscribed: bool = False
    only_unsubscribed: bool = False
    former_addresses: dict[str, Suppression] = field(default_factory=dict)


class RowReader:
    """Decides on the subscribers of one row of the record: of `length` entries from the index `start` on.

    Works in the caller's session. Reads later rows for values that the action changed again, and for
    addresses that a subscriber had meanwhile.
    """

    def __init__(self, site_id: int, action: UndoneAction, row: LogRow, start: int, length: int) -> None:
        self.row, self.whole, self._action = row, unpack(row.entries), action
        self.entries = self.whole.in_order(start, length)
        self.end = start + len(self.entries)
        self.is_last = self.end >= row.length
        self.ids = {entry.subscriber_id for entry in self.entries}
        self.lifted = {row[0]: Suppression(*row[1:]) for row in self.whole.lifted}
        self.undone_imports = undos.numbers_of_imports_with_undo(site_id)
        self.own: dict[int, Own] = defaultdict(list)
        self.accepted: dict[int, int] = defaultdict(lambda: self.whole.accepted)
        self.addresses: dict[int, list[str]] = defaultdict(list)  # former ones, since then
        self.lost_tags: dict[int, set[int]] = defaultdict(set)  # by deletions, renames and merges since then
        self.prior = PriorConsents(self.undone_imports | ({self.whole.accepted} - {0}))
        repeated = {id_ for id_, *_ in self.whole.repeated} if self.is_last else set()
        ids_by_number = changed_subscribers.rows_of(site_id, self.ids | repeated, action.first_number)
        self.traced = {id_ for ids in ids_by_number.values() for id_ in ids}
        for later in _rows(site_id, [number for number in ids_by_number if number > row.number]):
            self._read_later_row(later, set(ids_by_number[later.number]))
        self.merged_tags = tag_renames.replacements(site_id, set[int]().union(*self.lost_tags.values()))
        self._read_consents(site_id, [number for number in ids_by_number if number < 0])
        self.repeated = [(id_, self.prior.find(id_, before)) for id_, before in self.whole.consents_before()]
        self.without_entry = {id_ for id_, before in self.repeated if before.unsubscribed_at is not None}
        self.without_entry &= repeated - {entry.subscriber_id for entry in self.whole.in_order()}
        self.ids |= self.without_entry
        self.subscribers = stored_subscribers.get_by_ids(site_id, self.ids)

    def _read_consents(self, site_id: int, numbers: Sequence[int]) -> None:
        """Notes the consent events in this row and in the rows `numbers`. If another undone import has an
        earlier event of a subscriber, also notes all earlier rows.
        """
        self.prior.note(self.whole, is_own=True)
        for row in _rows(site_id, numbers):
            self.prior.note(unpack(row.entries), (row.source, row.source_id) == self._action.source)
        if ids := self.prior.unknown():
            for row in _rows(site_id, list(changed_subscribers.rows_of(site_id, ids))):
                self.prior.note(unpack(row.entries), (row.source, row.source_id) == self._action.source)

    def _read_later_row(self, row: LogRow, ids: set[int]) -> None:
        """Notes what a later row has of the subscribers `ids`: changes by the action, earlier addresses, tags
        that the site lost.
        """
        entries, is_own = unpack(row.entries), (row.source, row.source_id) == self._action.source
        for id_, new, old in entries.changed:
            if id_ in ids and is_own:
                self.own[id_].append((new, old))
                if entries.accepted and "consent" in old:
                    self.accepted[id_] = entries.accepted
            if id_ in ids and "email" in old:
                self.addresses[id_].append(old["email"])
            if id_ in ids and entries.unnamed and "tags" in new:
                self.lost_tags[id_].update(new["tags"][1])

    def decisions(self, decided: Collection[int], mentioned: Mapping[int, Source]) -> list[Decision]:
        """The decisions on subscribers not in `decided`. `mentioned` has later sources by id of the
        subscriber.

        Includes subscribers without an entry, whose unsubscribe counts again.
        """
        entries = [*self.entries, *(LogEntry(UPDATED, id_, {}, {}) for id_ in sorted(self.without_entry))]
        return [
            self._decide_created(entry.subscriber_id, mentioned.get(entry.subscriber_id))
            if entry.new is None
            else self._decide_changed(entry)
            for entry in entries
            if entry.subscriber_id not in decided
        ]

    def _decide_created(self, id_: int, by: Source | None) -> Decision:
        """The decision on a subscriber whom the action created: removed, unless mentioned since (`by`)."""
        subscriber, lifted = self.subscribers.get(id_), self.lifted.get(id_)
        if subscriber is None:
            return Decision(id_, KEPT)
        if by is None:
            return self._decide_removal(id_, subscriber)
        decision = Decision(id_, KEPT, subscriber, by=by)
        before = ConsentBefore(lifted.since, *lifted[1:]) if lifted else ConsentBefore()
        if subscriber.unsubscribed_at is None:
            before = self.prior.find(id_, before)
        if before.unsubscribed_at is not None or subscriber.unsubscribed_at is not None:
            self._decide_consent(decision, before, subscriber)
        return decision

    def _decide_removal(self, id_: int, subscriber: Subscriber) -> Decision:
        """The decision to remove a subscriber whom the action created.

        An unsubscribed subscriber's address stays suppressed, unless the undo is to resubscribe them. One
        that was suppressed before the action gets that suppression back.
        """
        lifted, is_only = self.lifted.get(id_), self._is_only(subscriber)
        stays = subscriber.unsubscribe_number is not None and subscriber.unsubscribed_at is not None
        by = SUPPRESSED if stays and not lifted and not (self._action.resubscribe and is_only) else NOTHING
        decision = Decision(id_, REMOVED, subscriber, by=by, lifted=lifted, has_traces=id_ in self.traced)
        decision.only_unsubscribed = is_only and not lifted
        return decision

    def _decide_changed(self, entry: LogEntry) -> Decision:
        """The decision on a subscriber from before the action: kept, unless all can be restored."""
        id_, subscriber = entry.subscriber_id, self.subscribers.get(entry.subscriber_id)
        if subscriber is None:
            return Decision(id_, KEPT)
        own = [(entry.new or {}, entry.old), *self.own[id_]]
        values, is_whole = _values_to_restore(subscriber, own)
        for tag_id in self.lost_tags[id_]:
            values.pop(("tag", self.merged_tags.get(tag_id)), None)
        decision = Decision(id_, RESTORED if is_whole else KEPT, subscriber, values)
        if not is_whole:
            decision.by = CHANGED
        befores = [before_change(old) for new, old in own if "unsubscribed_at" in new]
        before = befores[0] if befores else ConsentBefore(*consent(subscriber)[:4])
        if subscriber.unsubscribed_at is None and self._is_own(subscriber):
            before = self.prior.find(id_, before)
        if befores or before.unsubscribed_at != subscriber.unsubscribed_at:
            self._decide_consent(decision, before, subscriber)
        return decision

    def _decide_consent(self, decision: Decision, before: ConsentBefore, subscriber: Subscriber) -> None:
        """Restores the consent `before` the action, if the event that counts is the action's.

        A subscriber whom the action unsubscribed is resubscribed only if nothing else unsubscribed them, and
        for an import only with `resubscribe`. Consent from another undone import does not resubscribe. If no
        consent is restored, the outcome is `KEPT`.
        """
        was_unsubscribed, is_unsubscribed = (
            before.unsubscribed_at is not None,
            subscriber.unsubscribed_at is not None,
        )
        is_own = self._is_own(subscriber)
        if was_unsubscribed and (is_own or is_unsubscribed):
            decision.former_addresses = self._former_addresses(subscriber, before)
        decision.only_unsubscribed = not was_unsubscribed and self._is_only(subscriber)
        resubscribes = (
            decision.only_unsubscribed
            and (self._action.resubscribe or self._action.source.kind != "import")
            and before.number not in self.undone_imports
        )
        if is_own and (was_unsubscribed or not is_unsubscribed or resubscribes):
            decision.consent = before
            decision.unsubscribed_again = was_unsubscribed and not is_unsubscribed
            decision.resubscribed = resubscribes
        else:
            decision.outcome = KEPT
            decision.unsubscribed_kept = is_unsubscribed and not was_unsubscribed
            if decision.by == NOTHING:
                decision.by = STAYS_UNSUBSCRIBED if is_unsubscribed else CHANGED

    def _is_own(self, subscriber: Subscriber) -> bool:
        """Whether the event that counts is the action's, and nothing else has unsubscribed the subscriber."""
        numbers = {subscriber.consent_number}
        if subscriber.unsubscribed_at is not None and subscriber.unsubscribe_number is not None:
            numbers.add(subscriber.unsubscribe_number)
        return numbers == {self.accepted[subscriber.id]}

    def _is_only(self, subscriber: Subscriber) -> bool:
        """Whether the action, and nothing else, has unsubscribed the subscriber."""
        is_unsubscribed = subscriber.unsubscribed_at is not None and subscriber.unsubscribe_number is not None
        return is_unsubscribed and self._is_own(subscriber)

    def _former_addresses(self, subscriber: Subscriber, before: ConsentBefore) -> dict[str, Suppression]:
        """The suppressions of former addresses, as `change_email` would have added them."""
        since = before.at or before.unsubscribed_at or 0
        suppression = Suppression(UNSUBSCRIBED, since, before.number, before.kind)
        keys = list(dict.fromkeys(map(identity, self.addresses[subscriber.id])))
        suppressions = dict.fromkeys(keys, suppression)
        if keys and subscriber.id in self.lifted:
            suppressions[keys[0]] = self.lifted[subscriber.id]
        suppressions.pop(subscriber.email_key, None)
        return suppressions


def _rows(site_id: int, numbers: Sequence[int]) -> Iterator[LogRow]:
    """Yields the rows of the record that are indexed under these numbers."""
    for first in range(0, len(numbers), ROWS_AT_ONCE):
        yield from stored.rows_indexed_as(site_id, numbers[first : first + ROWS_AT_ONCE])


def _values_to_restore(subscriber: Subscriber, own: Own) -> tuple[dict[Key, Any], bool]:
    """The (values to restore, whether all values are then as before the action).

    `own` has the action's changes, in order. A value that something else has set since is not restored.
    """
    values: dict[Key, Any] = {}
    before: dict[Key, Any] = {}
    for new, old in reversed(own):
        for key, value, value_before in _changed_values(new, old):
            if json_equal(values.setdefault(key, _value(subscriber, key)), value):
                values[key] = value_before
            before[key] = value_before
    changed = {key: value for key, value in values.items() if not json_equal(value, _value(subscriber, key))}
    return changed, all(json_equal(value, before[key]) for key, value in values.items())


def _changed_values(new: Values, old: Values) -> Iterator[tuple[Key, Any, Any]]:
    """Yields the (key, new value, old value) of an entry."""
    for name in TEXT_COLUMNS:
        if name in new:
            yield ("name", name), new[name], old[name]
    for key, value in new.get("fields", {}).items():
        yield ("field", key), value, old["fields"][key]
    for tag_ids, has_it in zip(new.get("tags", ()), (True, False), strict=False):
        for tag_id in tag_ids:
            yield ("tag", tag_id), has_it, not has_it


def _value(subscriber: Subscriber, key: Key) -> Any:
    kind, name = key
    if kind == "field":
        return subscriber.fields.get(name)
    return name in subscriber.tag_ids if kind == "tag" else getattr(subscriber, name)
