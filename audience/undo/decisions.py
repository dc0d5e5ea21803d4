"""What undo does to each subscriber whom an import or bulk action created or changed.

What it changed goes back where the subscriber still has what it set. Whom it created goes, unless anything
has mentioned them since.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from audience.addresses import identity
from audience.changes.changes import Source, json_equal
from audience.changes.consents import ConsentBefore
from audience.changes.entries import LogEntry, Values, consent_before, unpack
from storage.changes import changed_subscribers
from storage.changes import log as stored
from storage.changes.log import LogRow
from storage.erasures.suppressions import UNSUBSCRIBED, Suppression
from storage.subscribers import subscribers as stored_subscribers
from storage.subscribers.subscribers import TEXT_COLUMNS, Subscriber
from storage.undo import undos

REMOVED, RESTORED, KEPT = "removed", "restored", "kept"
ROWS_AT_ONCE = 50
NOTHING, LEFT = Source("", 0), Source("left", 0)  # of the kept: erased since; of the removed: known as left
CHANGED, STAYS_UNSUBSCRIBED = Source("changed", 0), Source("unsubscribed", 0)
Own = list[tuple[Values, Values]]  # new, old
Key = tuple[str, Any]  # a name, ("field", key) or ("tag", id)


class TakenBack(NamedTuple):
    """What is undone: its source, and where its record begins. `resubscribe` resubscribes whom an import
    unsubscribed, and nothing else.
    """

    source: Source
    first_row: int
    first_number: int
    resubscribe: bool = False


@dataclass
class Decision:
    """`back` are the values to put back: a field that was not there is None, a tag is whether they had it.
    `by` is why something stays. Of a subscriber who is gone `person` is None. `left_at` are addresses that
    somebody who had left has moved away from since, to be known as left again. `only_unsubscribed`: by what
    is undone, and by nothing else.
    """

    id: int
    outcome: str
    person: Subscriber | None = None
    back: dict[Key, Any] = field(default_factory=dict)
    consent: ConsentBefore | None = None
    by: Source = NOTHING
    lifted: Suppression | None = None
    has_traces: bool = False
    unsubscribed_kept: bool = False
    unsubscribed_again: bool = False
    resubscribed: bool = False
    only_unsubscribed: bool = False
    left_at: dict[str, Suppression] = field(default_factory=dict)


class RowReader:
    """Decides on the subscribers of one row of the record, from the entry at `start` on, in the caller's
    session.
    """

    def __init__(self, site_id: int, action: TakenBack, row: LogRow, start: int, length: int) -> None:
        self.row, self.whole, self._action = row, unpack(row.entries), action
        self.entries = self.whole.in_order(start, length)
        self.end = start + len(self.entries)
        self.is_last = self.end >= row.length
        self.ids = {entry.subscriber_id for entry in self.entries}
        self.people = stored_subscribers.get_by_ids(site_id, self.ids)
        self.lifted = {row[0]: Suppression(*row[1:]) for row in self.whole.lifted}
        self.taken_back = undos.taken_back_imports(site_id)
        self.own: dict[int, Own] = defaultdict(list)
        self.accepted: dict[int, int] = defaultdict(lambda: self.whole.accepted)
        self.addresses: dict[int, list[str]] = defaultdict(list)  # that somebody has moved away from since
        ids_by_number = changed_subscribers.rows_of(site_id, self.ids, action.first_number)
        self.traced = {id_ for ids in ids_by_number.values() for id_ in ids}
        numbers = [number for number in ids_by_number if number > row.number]
        for first in range(0, len(numbers), ROWS_AT_ONCE):
            for later in stored.at_numbers(site_id, numbers[first : first + ROWS_AT_ONCE]):
                self._read_later(later, set(ids_by_number[later.number]))

    def _read_later(self, row: LogRow, ids: set[int]) -> None:
        entries, is_own = unpack(row.entries), (row.source, row.source_id) == self._action.source
        for id_, new, old in entries.changed:
            if id_ in ids and is_own:
                self.own[id_].append((new, old))
                if entries.accepted and "consent" in old:
                    self.accepted[id_] = entries.accepted
            if id_ in ids and "email" in old:
                self.addresses[id_].append(old["email"])

    def decisions(self, decided: Collection[int], mentioned: Mapping[int, Source]) -> list[Decision]:
        """One for each subscriber who is not `decided` on; `mentioned` are those of whom it created."""
        return [
            self._created(entry.subscriber_id, mentioned.get(entry.subscriber_id))
            if entry.new is None
            else self._changed(entry)
            for entry in self.entries
            if entry.subscriber_id not in decided
        ]

    def _created(self, id_: int, by: Source | None) -> Decision:
        person, lifted = self.people.get(id_), self.lifted.get(id_)
        if person is None:
            return Decision(id_, KEPT)
        if by is None:
            return self._removed(id_, person)
        decision = Decision(id_, KEPT, person, by=by)
        if lifted:
            self._decide_consent(decision, ConsentBefore(lifted.since, *lifted[1:]), person)
        elif person.unsubscribed_at is not None:
            self._decide_consent(decision, ConsentBefore(), person)
        return decision

    def _removed(self, id_: int, person: Subscriber) -> Decision:
        """Who had left stays known; not who had still to confirm, nor who is to be brought back."""
        lifted, is_only = self.lifted.get(id_), self._is_only(person)
        stays = person.unsubscribe_number is not None and person.unsubscribed_at is not None
        by = LEFT if stays and not lifted and not (self._action.resubscribe and is_only) else NOTHING
        decision = Decision(id_, REMOVED, person, by=by, lifted=lifted, has_traces=id_ in self.traced)
        decision.only_unsubscribed = is_only and not lifted
        return decision

    def _changed(self, entry: LogEntry) -> Decision:
        id_, person = entry.subscriber_id, self.people.get(entry.subscriber_id)
        if person is None:
            return Decision(id_, KEPT)
        own = [(entry.new or {}, entry.old), *self.own[id_]]
        back, is_whole = _values_to_restore(person, own)
        decision = Decision(id_, RESTORED if is_whole else KEPT, person, back)
        if not is_whole:
            decision.by = CHANGED
        for old in [old for new, old in own if "unsubscribed_at" in new][:1]:
            left_at = old["unsubscribed_at"]
            before = ConsentBefore(left_at, *consent_before(left_at, *old["consent"]))
            self._decide_consent(decision, before, person)
        return decision

    def _decide_consent(self, decision: Decision, before: ConsentBefore, person: Subscriber) -> None:
        """Puts it back where the consent event that counts is its own; never resubscribes by an import that
        is undone.
        """
        had_left, has_left = before.unsubscribed_at is not None, person.unsubscribed_at is not None
        is_own = self._is_own(person)
        if had_left and (is_own or has_left):
            decision.left_at = self._left_at(person, before)
        decision.only_unsubscribed = not had_left and self._is_only(person)
        comes_back = (
            decision.only_unsubscribed
            and (self._action.resubscribe or self._action.source.kind != "import")
            and before.number not in self.taken_back
        )
        if is_own and (had_left or not has_left or comes_back):
            decision.consent = before
            decision.unsubscribed_again = had_left and not has_left
            decision.resubscribed = comes_back
        else:
            decision.outcome = KEPT
            decision.unsubscribed_kept = has_left and not had_left
            if decision.by == NOTHING:
                decision.by = STAYS_UNSUBSCRIBED if has_left else CHANGED

    def _is_own(self, person: Subscriber) -> bool:
        """Whether what counts of consent is its own, and nothing else has unsubscribed them."""
        numbers = {person.consent_number}
        if person.unsubscribed_at is not None and person.unsubscribe_number is not None:
            numbers.add(person.unsubscribe_number)
        return numbers == {self.accepted[person.id]}

    def _is_only(self, person: Subscriber) -> bool:
        """Whether it has unsubscribed them, and nothing else."""
        has_left = person.unsubscribed_at is not None and person.unsubscribe_number is not None
        return has_left and self._is_own(person)

    def _left_at(self, person: Subscriber, before: ConsentBefore) -> dict[str, Suppression]:
        """What to keep of the addresses that a person has moved away from, as `change_email` would have."""
        since = before.at or before.unsubscribed_at or 0
        left = Suppression(UNSUBSCRIBED, since, before.number, before.kind)
        keys = list(dict.fromkeys(map(identity, self.addresses[person.id])))
        at = dict.fromkeys(keys, left)
        if keys and person.id in self.lifted:
            at[keys[0]] = self.lifted[person.id]
        at.pop(person.email_key, None)
        return at


def _values_to_restore(person: Subscriber, own: Own) -> tuple[dict[Key, Any], bool]:
    """What goes back, newest change first, and whether all of it is as before the first."""
    values: dict[Key, Any] = {}
    before: dict[Key, Any] = {}
    for new, old in reversed(own):
        for key, value, value_before in _each_value(new, old):
            if json_equal(values.setdefault(key, _value(person, key)), value):
                values[key] = value_before
            before[key] = value_before
    back = {key: value for key, value in values.items() if not json_equal(value, _value(person, key))}
    return back, all(json_equal(value, before[key]) for key, value in values.items())


def _each_value(new: Values, old: Values) -> Iterator[tuple[Key, Any, Any]]:
    """Each value that an entry changed, with the one before."""
    for name in TEXT_COLUMNS:
        if name in new:
            yield ("name", name), new[name], old[name]
    for key, value in new.get("fields", {}).items():
        yield ("field", key), value, old["fields"][key]
    for tag_ids, has_it in zip(new.get("tags", ()), (True, False), strict=False):
        for tag_id in tag_ids:
            yield ("tag", tag_id), has_it, not has_it


def _value(person: Subscriber, key: Key) -> Any:
    kind, name = key
    if kind == "field":
        return person.fields.get(name)
    return name in person.tag_ids if kind == "tag" else getattr(person, name)
