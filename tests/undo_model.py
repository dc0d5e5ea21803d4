"""What undo makes of a site's subscribers, in plain Python, by the whole history of each subscriber."""

import copy
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from audience import addresses
from tests.subscriber_model import Hash, Row, SubscriberModel, counts, events, is_unsubscribe, same, shown

NAMES = ("first_name", "last_name")
CONSENT = ("consent_at", "consent_number", "consent_kind")


class Entry(NamedTuple):
    """A subscriber before and after a write. `named` is true if nothing shown was changed.

    `leaves` is true if the write unsubscribes the subscriber, whether that counts or not, unless it repeats
    its own unsubscribe.
    """

    source: str
    before: Row | None
    after: Row
    named: bool = False
    lifted: Hash | None = None
    number: int = 0  # of the write, in order
    leaves: bool = False
    ignored: tuple[Any, ...] = ()  # unsubscribes of this write that a later event outweighed


def values(row: Row | None) -> dict[Any, Any]:
    """The values of a row that undo restores, without consent."""
    if row is None:
        return {}
    found: dict[Any, Any] = {name: row[name] for name in NAMES if row[name]}
    found |= {("field", key): value for key, value in row["fields"].items()}
    return found | {("tag", tag): True for tag in row["tags"]}


def changed(entry: Entry) -> set[Any]:
    """The keys of the values that a write changed."""
    before, after = values(entry.before), values(entry.after)
    return {key for key in before.keys() | after.keys() if not same(before.get(key), after.get(key))}


def put(row: Row, key: Any, value: Any) -> None:
    if key in NAMES:
        row[key] = value or ""
    elif key[0] == "tag":
        if value and key[1] not in row["tags"]:
            row["tags"] = [*row["tags"], key[1]]
        elif not value:
            row["tags"] = [tag for tag in row["tags"] if tag != key[1]]
    elif value is None:
        row["fields"].pop(key[1], None)
    else:
        row["fields"][key[1]] = value


@dataclass
class HistoryModel:
    """Subscribers with their histories, by key.

    `made` has the tags and fields that each import added. `gone` counts, by source, the subscribers that it
    changed and that were erased or removed. `dropped` has the writes after which a tag was deleted: another
    may have its name since.

    `taken_back` are the acceptance numbers of imports whose undo was requested, `undone` the sources of all
    undos.
    """

    people: SubscriberModel
    histories: dict[str, list[Entry]] = field(default_factory=dict)
    made: dict[str, tuple[set[str], set[str]]] = field(default_factory=dict)
    gone: Counter[str] = field(default_factory=Counter)
    dropped: dict[str, list[int]] = field(default_factory=dict)
    taken_back: set[int] = field(default_factory=set)
    undone: set[str] = field(default_factory=set)
    writes: int = 0
    resubscribe: bool = False
    now: int = 0

    def write(self, source: str, changes: list[Row], number: int, now: int, accepted_at: int) -> list[str]:
        keys = list(dict.fromkeys(change["key"] for change in changes))
        self.writes += 1
        before = copy.deepcopy({key: self.people.people.get(key) for key in keys})
        tags, fields = set(self.people.tags), set(self.people.fields)
        outcomes = self.people.write(changes, number, now, accepted_at)
        made_tags, made_fields = self.made.get(source, (set(), set()))
        made_tags, made_fields = (
            made_tags | set(self.people.tags) - tags,
            made_fields | self.people.fields - fields,
        )
        self.made[source] = made_tags, made_fields
        leaving = {
            change["key"]
            for change in changes
            if any(is_unsubscribe(event) for event, _ in events(change, number, accepted_at))
        }
        for key in keys:
            if after := copy.deepcopy(self.people.people.get(key)):
                was = before[key]
                named = was is not None and same(shown(after), shown(was))
                lifted = self.people.lifted.get(key)
                ignored = tuple(event for event, _ in after["ignored"] if event[1] == number)
                leaves = key in leaving and after["unsubscribe_number"] == number
                self.histories.setdefault(key, []).append(
                    Entry(source, was, after, named, lifted, self.writes, leaves, ignored)
                )
        return outcomes

    def move(self, old: str, new: str, email: str, number: int, now: int) -> bool:
        before = copy.deepcopy(self.people.people.get(old))
        done = self.people.move(old, new, email, number, now)
        if done:
            named = (before or {})["email"] == email
            after = copy.deepcopy(self.people.people[new])
            self.histories[new] = [*self.histories.pop(old), Entry("move", before, after, named)]
        return done

    def erase(self, key: str, number: int, now: int) -> None:
        self._forget(key)
        self.people.erase(key, number, now)

    def _forget(self, key: str) -> list[Entry]:
        """Removes a subscriber's history, and returns it."""
        history = self.histories.pop(key, [])
        self.gone.update({entry.source for entry in history if not entry.named})
        return history

    def undo(
        self, source: str, number: int, now: int, resubscribe: bool = False, waiting: Collection[str] = ()
    ) -> Counter[str]:
        """Undoes the import or bulk action `source`, accepted under a number. Returns the counts by outcome.

        Rows that are accepted for the keys `waiting` have still to be applied.
        """
        self.resubscribe, self.now = resubscribe, now
        count = Counter[str](kept=self.gone[source])
        for key, history in self.histories.items():
            self._restore_repeated(self.people.people[key], history, source, number, count)
        for key in list(self.histories):
            history = self.histories[key]
            own = [place for place, entry in enumerate(history) if entry.source == source and not entry.named]
            if own:
                self._undo_person(key, source, number, now, own[0], count, key in waiting)
        tags, fields = self.made.get(source, (set(), set()))
        rows = self.people.people.values()
        for tag in tags - {tag for row in rows for tag in row["tags"]}:
            if self.people.tags.pop(tag, None):
                self.dropped.setdefault(tag, []).append(self.writes)
        self.people.fields -= fields - {name for row in rows for name in row["fields"]}
        return count

    def _undo_person(
        self, key: str, source: str, number: int, now: int, place: int, count: Counter[str], waits: bool
    ) -> None:
        history, row = self.histories[key], self.people.people[key]
        first, since = history[place], history[place:]
        if first.before is None and not waits and not any(self._keeps(entry, source) for entry in since):
            self._remove(key, row, first, number)
            count["removed"] += 1
            return
        was, is_whole = copy.deepcopy(row), first.before is not None
        if is_whole:
            own = [entry for entry in since if entry.source == source]
            for each in {each: None for entry in own for each in self._changed(entry)}:
                is_whole &= self._restore_value(row, each, own)
        self.people.fields |= row["fields"].keys()
        is_whole &= self._undo_consent(row, since, history, source, number, now, count)
        count["restored" if is_whole else "kept"] += 1
        if not same(shown(row), shown(was)):
            row["updated_at"] = now
            history.append(Entry("undo", was, copy.deepcopy(row), number=self.writes))

    def _keeps(self, entry: Entry, source: str) -> bool:
        """Whether a write keeps its subscriber from being removed. A write that is undone itself does so only
        if it changed consent.
        """
        if entry.source in (source, "undo"):
            return False
        return entry.source not in self.undone or entry.before is None or turns(entry) or bool(entry.ignored)

    def _restore_value(self, row: Row, each: tuple[Any, int], own: list[Entry]) -> bool:
        """Undoes the changes of a value, the newest first. Returns whether it is as before the first of them.

        A deleted tag is not restored, even if a later tag has its name.
        """
        key, exists = each[0], each == self._now(each[0])
        steps = [entry for entry in own if each in self._changed(entry)]
        value = values(row).get(key) if exists else None
        for entry in reversed(steps):
            if same(value, values(entry.after).get(key)):
                value = values(entry.before).get(key)
        if exists:
            put(row, key, value)
        return same(value, values(steps[0].before).get(key))

    def _changed(self, entry: Entry) -> dict[tuple[Any, int], None]:
        return {(each, self._tags_gone(each, entry.number)): None for each in changed(entry)}

    def _now(self, key: Any) -> tuple[Any, int]:
        return key, self._tags_gone(key, self.writes + 1)

    def _tags_gone(self, key: Any, number: int) -> int:
        """How many tags with the key's name were deleted before a write: each later tag of the name is
        another one.
        """
        gone = self.dropped.get(key[1], ()) if key[0] == "tag" else ()
        return sum(when < number for when in gone)

    def _restore_repeated(
        self, row: Row, history: list[Entry], source: str, number: int, count: Counter[str]
    ) -> None:
        """Restores the consent event before a repeated subscribe of the import, if nothing counts since.

        A subscriber who is not changed otherwise, and is unsubscribed by this, counts as restored.
        """
        own = [entry for entry in history if entry.source == source]
        for entry in own:
            was = entry.before
            is_last = (
                row["unsubscribed_at"] is None
                and row["consent_number"] == entry.after["consent_number"] == number
            )
            if is_last and was and was["unsubscribed_at"] is entry.after["unsubscribed_at"] is None:
                left = self._prior_consent(row, history, source, (None, *(was[name] for name in CONSENT)))
                if left[0] is None:
                    row |= dict(zip(CONSENT, left[1:], strict=True))
                elif all(each.named for each in own):
                    count.update(restored=1, unsubscribed_again=1)
                    self._put_consent(row, left)

    def _prior_consent(
        self, row: Row, history: list[Entry], source: str, left: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """The consent event to restore, given the event `left` before. Skips events of other undone imports.

        An unsubscribe that was ignored meanwhile counts over it.
        """
        seen = set[int]()
        while left[2] in self.taken_back - seen:
            seen.add(left[2])
            for entry in history:
                was = entry.before
                if entry.source.startswith("import") and entry.after["consent_number"] == left[2] and was:
                    has_left = was["unsubscribed_at"] is not None
                    if was["consent_number"] != left[2] and (turns(entry) or not has_left):
                        left = (was["unsubscribed_at"], *(was[name] for name in CONSENT))
                        break
        for event, shown_at in row["ignored"]:
            own = any(event in entry.ignored for entry in history if entry.source == source)
            if not own and counts(event, (left[1] or 0, left[2], left[3]), self.now):
                left = (shown_at if left[0] is None else left[0], *event)
        return left

    def _put_consent(self, row: Row, left: tuple[Any, ...]) -> None:
        if row["unsubscribed_at"] != left[0]:
            has_left = left[0] is not None
            row["said"] = [*row["said"], (left[0] if has_left else self.now, not has_left)]
        row["unsubscribed_at"], row["consent_at"], row["consent_number"], row["consent_kind"] = left

    def _remove(self, key: str, row: Row, first: Entry, number: int) -> None:
        history = self._forget(key)
        del self.people.people[key]
        if first.lifted:
            self.people.hashes[key] = first.lifted
        elif (
            row["unsubscribed_at"] is not None
            and row["unsubscribe_number"]
            and not (self.resubscribe and is_own(row, history, first.source, number))
        ):
            since = row["consent_at"] or row["unsubscribed_at"]
            self.people.hashes[key] = ("unsubscribed", since, row["consent_number"], row["consent_kind"])

    def _undo_consent(
        self, row: Row, since: list[Entry], history: list[Entry], source: str, number: int, now: int,
        count: Counter[str],
    ) -> bool:  # fmt: skip
        """Undoes what the source changed of consent. Returns whether nothing of that stays."""
        own = [entry for entry in since if entry.source == source]
        turned = [entry for entry in own if entry.before and turns(entry)]
        if own[0].before is None:
            left: tuple[Any, ...] = (None, None, 0, 0)
            if own[0].lifted:
                _, at, order, kind = own[0].lifted
                left = (at, at, order, kind)
            if row["unsubscribed_at"] is None:
                left = self._prior_consent(row, history, source, left)
            if left[0] is row["unsubscribed_at"] is None:
                return True
        else:
            row_before = (turned[0].before if turned else None) or row
            left = (row_before["unsubscribed_at"], *(row_before[name] for name in CONSENT))
            if row["unsubscribed_at"] is None and is_own(row, history, source, number):
                left = self._prior_consent(row, history, source, left)
            if not turned and left[0] == row["unsubscribed_at"]:
                return True
        had_left, has_left = left[0] is not None, row["unsubscribed_at"] is not None
        counts = is_own(row, history, source, number)
        if had_left and (has_left or counts):
            self._suppress_former_addresses(row, since, own[0].lifted, (left[1] or left[0], left[2], left[3]))
        comes_back = (source.startswith("bulk_act") or self.resubscribe) and bool(row["unsubscribe_number"])
        comes_back &= left[2] not in self.taken_back
        if not counts or (has_left and not had_left and not comes_back):
            count["unsubscribed_kept"] += has_left and not had_left
            return False
        count["resubscribed"] += has_left and not had_left
        count["unsubscribed_again"] += had_left and not has_left
        self._put_consent(row, left)
        return True

    def _suppress_former_addresses(
        self, row: Row, since: list[Entry], lifted: Hash | None, left: tuple[Any, Any, Any]
    ) -> None:
        """Suppresses the addresses that the subscriber has since given up and nobody has, as unsubscribed or
        erased.
        """
        keys = [addresses.identity(entry.before["email"]) for entry in since if entry.before]
        moved = [key for key, after in pairwise([*keys, addresses.identity(row["email"])]) if key != after]
        for place, key in enumerate(dict.fromkeys(moved)):
            if key in self.people.people or self.people.hashes.get(key, ("",))[0] == "erased":
                continue
            self.people.hashes[key] = lifted if lifted and place == 0 else ("unsubscribed", *left)


def is_own(row: Row, history: list[Entry], source: str, number: int) -> bool:
    """Whether the consent event that counts is the source's. If unsubscribed, the source must also be the
    last that unsubscribed.
    """
    leaving = [entry.source for entry in history if entry.leaves]
    has_unsubscribed = row["unsubscribed_at"] is not None and row["unsubscribe_number"] is not None
    return row["consent_number"] == number and (not has_unsubscribed or leaving[-1:] == [source])


def turns(entry: Entry) -> bool:
    """Whether a write subscribed or unsubscribed an existing subscriber."""
    return bool((entry.before or {})["unsubscribed_at"] != entry.after["unsubscribed_at"])
