"""Which consent event an undo restores of a subscriber whom the undone action subscribed.

It is the event before, unless that is of another undone import: then the event before that. An unsubscribe
that was ignored because of the undone `subscribe` counts over it.
"""

from collections import defaultdict
from collections.abc import Collection

from audience import clock
from audience.changes.consents import ConsentBefore, ConsentEvent
from audience.changes.entries import Entries, Values, consent_before
from storage.changes.consents import ConsentKind


class PriorConsents:
    """The consent events that the record has of subscribers. `undone` has the acceptance numbers of undone
    imports.
    """

    def __init__(self, undone: Collection[int]) -> None:
        self._undone = undone
        self._before: dict[tuple[int, int], ConsentBefore] = {}
        self._ignored: dict[int, list[tuple[int, ConsentEvent]]] = defaultdict(list)

    def note(self, entries: Entries, is_own: bool) -> None:
        """Notes the events of a row. With `is_own`, the row is the undone action's: its ignored unsubscribes
        are left out.
        """
        for id_, before in entries.consents_before():
            self._note_before(id_, entries.accepted, before)
        for id_, new, old in entries.changed:
            if "unsubscribed_at" in new:
                self._note_before(id_, entries.accepted, before_change(old))
        for id_, shown_at, instant, number, kind in () if is_own else entries.ignored:
            self._ignored[id_].append((shown_at, ConsentEvent(instant, number, ConsentKind(kind))))

    def _note_before(self, id_: int, number: int, before: ConsentBefore) -> None:
        """Notes the event before a transaction. Of an import that changed a subscriber twice, only the first
        counts.
        """
        if before.number != number:
            self._before.setdefault((id_, number), before)

    def unknown(self) -> set[int]:
        """The subscribers whose previous event is by another undone import, of which no row is noted."""
        return {
            id_
            for (id_, _), before in self._before.items()
            if before.number in self._undone and (id_, before.number) not in self._before
        }

    def find(self, id_: int, before: ConsentBefore) -> ConsentBefore:
        """The event to restore, given the one `before` the action. Skips those of other undone imports."""
        numbers = set[int]()
        while before.number in self._undone and before.number not in numbers:
            numbers.add(before.number)
            before = self._before.get((id_, before.number), before)
        for shown_at, event in self._ignored.get(id_, ()):
            stored = ConsentEvent(before.at or 0, before.number, ConsentKind(before.kind))
            if event.counts_over(stored, clock.now_ms()):
                unsubscribed_at = before.unsubscribed_at
                before = ConsentBefore(shown_at if unsubscribed_at is None else unsubscribed_at, *event)
        return before


def before_change(old: Values) -> ConsentBefore:
    """The consent event before an entry that subscribed or unsubscribed, from its old values."""
    unsubscribed_at = old["unsubscribed_at"]
    return ConsentBefore(unsubscribed_at, *consent_before(unsubscribed_at, *old["consent"]))
