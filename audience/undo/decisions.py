"""What undo does to each person whom an import or act created or changed, by the record alone.

"Later" are entries and names after the first entry of the act for that person, whatever the values.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from audience.addresses import identity
from audience.changes.changes import Source
from audience.changes.entries import LogEntry, Values, consent_before, unpack
from storage.bulk import acts as bulk_acts
from storage.changes import acts as change_log_acts
from storage.changes import changed_subscribers
from storage.changes import log as stored
from storage.changes.log import LogRow
from storage.erasures.suppressions import UNSUBSCRIBED, Suppression
from storage.subscribers import subscribers as stored_subscribers
from storage.subscribers.subscribers import TEXT_COLUMNS, Subscriber
from storage.undo import undos

REMOVED, RESTORED, KEPT = "removed", "restored", "kept"
ROWS_AT_ONCE = 50
NOTHING = Source("", 0)
SUBSCRIBED: "Values" = {"unsubscribed_at": None, "consent": [None, 0, 0]}  # of who came in subscribed
LEFT = Source("left", 0)  # keeps away whom an import created as left
Own = list[tuple[Values, Values]]  # new, old


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
    """`put` are the values to put back, in the form of old values of an entry, tags by whether they had each;
    `by` is what keeps something of the act. Of a person who is gone `person` is None. `left_at` are addresses
    that somebody who had left has moved away from since, to be known as left again. `only_unsubscribed`: by
    the act, and by nothing else.
    """

    id: int
    outcome: str
    person: Subscriber | None = None
    put: Values = field(default_factory=dict)
    by: Source = NOTHING
    lifted: Suppression | None = None
    has_traces: bool = False
    unsubscribed_kept: bool = False
    unsubscribed_again: bool = False
    resubscribed: bool = False
    only_unsubscribed: bool = False
    left_at: dict[str, Suppression] = field(default_factory=dict)


class LaterNames:
    """Who was named without being changed since an act began, by all but undos, or is named by a bulk action
    that still waits: read once, then read on.
    """

    def __init__(self, site_id: int, action: TakenBack) -> None:
        self._site_id, self._act, self._read = site_id, action, action.first_row
        self._rows = [(0, NOTHING)]  # id and source of each row that named somebody
        self._left: dict[int, int] = {}  # ids of rows, by who said again that they leave
        self._last: dict[int, int] = {}  # the place in it of the last row that named a subscriber, by id
        self._piece, self._waiting = 0, dict[int, Source]()

    def read_on(self) -> Iterator[None]:
        """Reads to the end of the record, some rows at each step, in the caller's session."""
        while rows := change_log_acts.after_row(self._site_id, self._read, ROWS_AT_ONCE):
            for row in rows:
                source = Source(row.source, row.source_id)
                if source != self._act.source and source.kind != "undo":
                    entries = unpack(row.entries)
                    self._note(row.id, source, entries.unchanged)
                    self._left |= dict.fromkeys(entries.overtaken, row.id)
            self._read = rows[-1].id
            yield
        while chunks := bulk_acts.waiting_pieces(self._site_id, self._piece, ROWS_AT_ONCE):
            for _, act_id, ids in chunks:
                if (source := Source("bulk_act", act_id)) != self._act.source:
                    self._waiting |= dict.fromkeys(ids, source)
            self._piece = chunks[-1][0]
            yield

    def _note(self, row_id: int, source: Source, ids: Collection[int]) -> None:
        if ids:
            self._last |= dict.fromkeys(ids, len(self._rows))
            self._rows.append((row_id, source))

    def have_left(self, subscriber_id: int, row_id: int) -> bool:
        """Whether somebody said after a row that they leave, which the act had said already."""
        return self._left.get(subscriber_id, 0) > row_id

    def last_named_by(self, subscriber_id: int, row_id: int) -> Source | None:
        """What named somebody last, after a row."""
        if waiting := self._waiting.get(subscriber_id):
            return waiting
        last, source = self._rows[self._last.get(subscriber_id, 0)]
        return source if last > row_id else None


class RowReader:
    """Decides on the people of one row of the act, from the entry at `start` on, in the caller's session."""

    def __init__(self, site_id: int, action: TakenBack, row: LogRow, start: int, length: int) -> None:
        self.row, self.whole, self._act = row, unpack(row.entries), action
        self.entries = self.whole.in_order(start, length)
        self.end = start + len(self.entries)
        self.is_last = self.end >= row.length
        ids = {entry.subscriber_id for entry in self.entries}
        self.people = stored_subscribers.get_by_ids(site_id, ids)
        known = {entry.subscriber_id for entry in self.entries if entry.new is not None}
        self.repeated = undos.created_by(site_id, known, action.source) if known else set()
        self.lifted = {row[0]: Suppression(*row[1:]) for row in self.whole.lifted}
        self.taken_back = undos.taken_back_imports(site_id)
        self.traced: set[int] = set()
        self.own: dict[int, Own] = defaultdict(list)
        self.later: dict[int, list[tuple[Source, bool, Values]]] = defaultdict(list)
        self.accepted: dict[int, int] = defaultdict(lambda: self.whole.accepted)
        self.addresses: dict[int, list[str]] = defaultdict(list)  # that somebody has moved away from since
        self._read_others(site_id, changed_subscribers.rows_of(site_id, ids, action.first_number))

    def _read_others(self, site_id: int, ids_by_number: dict[int, list[int]]) -> None:
        for ids in ids_by_number.values():
            self.traced.update(ids)
        ids_by_number.pop(self.row.number, None)
        numbers = list(ids_by_number)
        for start in range(0, len(numbers), ROWS_AT_ONCE):
            for row in stored.at_numbers(site_id, numbers[start : start + ROWS_AT_ONCE]):
                self._read_row(row, set(ids_by_number[row.number]))

    def _read_row(self, row: LogRow, ids: set[int]) -> None:
        source = Source(row.source, row.source_id)
        if row.number < self.row.number:
            if source == self._act.source:
                self.repeated |= ids
            return
        entries = unpack(row.entries)
        for id_, new, old in entries.changed:
            if id_ not in ids:
                continue
            if source == self._act.source:
                self.own[id_].append((new, old))
                if entries.accepted and "consent" in old:
                    self.accepted[id_] = entries.accepted
            else:
                self.later[id_].append((source, entries.unnamed, new))
            if "email" in old:
                self.addresses[id_].append(old["email"])

    def decisions(self, named: LaterNames, gone: Collection[int]) -> list[Decision]:
        """One for each person whose first entry is among these; `gone` are people decided on before."""
        return [
            self._created(entry.subscriber_id, named) if entry.new is None else self._changed(entry, named)
            for entry in self.entries
            if entry.new is None or entry.subscriber_id not in self.repeated
            if entry.subscriber_id not in gone
        ]

    def _created(self, id_: int, named: LaterNames) -> Decision:
        person, by, later = self.people.get(id_), named.last_named_by(id_, self.row.id), self.later[id_]
        if person is None:
            return Decision(id_, KEPT)
        if by is None and all(unnamed for _, unnamed, _ in later):
            return self._removed(id_, person)
        put = {} if by else _values_to_restore(_whole(person), later)
        decision = Decision(id_, KEPT, person, put, by or later[-1][0])
        if lifted := self.lifted.get(id_):
            before = {"unsubscribed_at": lifted.since, "consent": lifted[1:]}
            self._put_consent(decision, before, person, named)
        elif person.unsubscribed_at is not None:
            self._put_consent(decision, SUBSCRIBED, person, named)
        return decision

    def _removed(self, id_: int, person: Subscriber) -> Decision:
        """Who had left stays known; not who had still to confirm, nor who is to be brought back."""
        lifted, is_only = self.lifted.get(id_), self._is_only(person)
        stays = person.unsubscribe_number is not None and person.unsubscribed_at is not None
        by = LEFT if stays and not lifted and not (self._act.resubscribe and is_only) else NOTHING
        decision = Decision(id_, REMOVED, person, {}, by, lifted, id_ in self.traced)
        decision.only_unsubscribed = is_only and not lifted
        return decision

    def _changed(self, entry: LogEntry, named: LaterNames) -> Decision:
        id_, person = entry.subscriber_id, self.people.get(entry.subscriber_id)
        if person is None:
            return Decision(id_, KEPT)
        by, later = named.last_named_by(id_, self.row.id), self.later[id_]
        before = _before([(entry.new or {}, entry.old), *self.own[id_]])
        put = {"fields": {}, "tags": {}} if by else _values_to_restore(before, later)
        is_whole = not (by or later) or _size(put) == _size(before)
        decision = Decision(id_, RESTORED if is_whole else KEPT, person, put)
        if not is_whole:
            decision.by = by or later[-1][0]
        if "unsubscribed_at" in before:
            self._put_consent(decision, before, person, named)
        return decision

    def _put_consent(self, decision: Decision, before: Values, person: Subscriber, named: LaterNames) -> None:
        """Where the act's word is the last; never brings back by an import, nor by one undone."""
        had_left, has_left = before["unsubscribed_at"] is not None, person.unsubscribed_at is not None
        is_last = self._is_last(person)
        if had_left and (is_last or has_left):
            decision.left_at = self._left_at(person, before)
        decision.only_unsubscribed = not had_left and self._is_only(person)
        is_asked = self._act.resubscribe and decision.only_unsubscribed
        may_come_back = (
            (is_asked or self._act.source.kind != "import")
            and before["consent"][1] not in self.taken_back
            and not named.have_left(person.id, self.row.id)
        )
        if is_last and (had_left or not has_left or may_come_back):
            decision.put |= {name: before[name] for name in ("unsubscribed_at", "consent")}
            decision.unsubscribed_again = had_left and not has_left
            decision.resubscribed = has_left and not had_left
        else:
            decision.outcome = KEPT
            decision.unsubscribed_kept = has_left and not had_left
            if decision.by == NOTHING and not is_last and self.later[person.id]:
                decision.by = self.later[person.id][-1][0]

    def _is_last(self, person: Subscriber) -> bool:
        """Whether the act's is the last consent event; who moves to another address says nothing of it."""
        has_left = person.unsubscribed_at is not None and person.unsubscribe_number is not None
        number = person.unsubscribe_number if has_left else person.consent_number
        return number == self.accepted[person.id]

    def _is_only(self, person: Subscriber) -> bool:
        """Whether nothing else has unsubscribed them, nor said anything of consent since."""
        number = self.accepted[person.id]
        is_unsubscribed = person.unsubscribed_at is not None
        return is_unsubscribed and person.unsubscribe_number == person.consent_number == number

    def _left_at(self, person: Subscriber, before: Values) -> dict[str, Suppression]:
        """What to keep of the addresses that a person has moved away from, as `change_email` would have."""
        since, number, kind = consent_before(before["unsubscribed_at"], *before["consent"])
        left = Suppression(UNSUBSCRIBED, since or before["unsubscribed_at"], number, kind)
        keys = list(dict.fromkeys(map(identity, self.addresses[person.id])))
        at = dict.fromkeys(keys, left)
        if keys and person.id in self.lifted:
            at[keys[0]] = self.lifted[person.id]
        at.pop(person.email_key, None)
        return at


def _whole(person: Subscriber) -> Values:
    """What was of somebody before they were created: nothing of what they have."""
    before: Values = {name: "" for name in TEXT_COLUMNS if getattr(person, name)}
    return before | {"fields": dict.fromkeys(person.fields), "tags": dict.fromkeys(person.tag_ids, False)}


def _before(own: Own) -> Values:
    """What was before the first of some entries of one person, of all that they set."""
    before: Values = {"fields": {}, "tags": {}}
    for new, old in own:
        added, removed = new.get("tags", ((), ()))
        before["tags"] = dict.fromkeys(added, False) | dict.fromkeys(removed, True) | before["tags"]
        before["fields"] = {key: old["fields"][key] for key in new.get("fields", ())} | before["fields"]
        before = {name: old[name] for name in TEXT_COLUMNS if name in new} | before
        if "unsubscribed_at" in new:
            before = {name: old[name] for name in ("unsubscribed_at", "consent")} | before
    return before


def _values_to_restore(before: Values, later: list[tuple[Source, bool, Values]]) -> Values:
    """What of it no later entry set; consent is decided on by itself."""
    left: Values = {name: before[name] for name in TEXT_COLUMNS if name in before}
    fields, tags = dict(before["fields"]), dict(before["tags"])
    for _, _, new in later:
        for name in TEXT_COLUMNS:
            if name in new:
                left.pop(name, None)
        for key in new.get("fields", ()):
            fields.pop(key, None)
        for tag_id in (member for members in new.get("tags", ()) for member in members):
            tags.pop(tag_id, None)
    return left | {"fields": fields, "tags": tags}


def _size(values: Values) -> int:
    return len(values.keys() & {*TEXT_COLUMNS}) + len(values["fields"]) + len(values["tags"])
