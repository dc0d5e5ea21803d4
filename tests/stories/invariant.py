"""The judge of random histories: what must hold of a site, given only what was sent and answered.

It is weaker than the rule of consent, knows nothing of how the service decides, and never says that a
subscriber must be subscribed. It leaves open what it cannot tell, such as which of a waiting and a direct
write came last.
"""

import copy
import threading
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from math import inf
from typing import Any
from zoneinfo import ZoneInfo

from tests.stories.accepted import (
    ABSENT,
    ANYTHING,
    SUBSCRIBE,
    UNSUBSCRIBE,
    ConsentEvent,
    Key,
    Request,
    Subscriber,
    Write,
    address_key,
    comparable,
    precedes,
    replaces,
)

LOCK = threading.Lock()  # several clients tell one judge


@dataclass
class Found:
    """What a site says at the end: a subscriber's values by key, whether they are subscribed, and counts."""

    values: dict[str, dict[Key, Any]]
    subscribed: dict[str, bool]
    counts: tuple[int, int, int]
    tags: Mapping[str, int] = field(default_factory=dict)  # how many subscribers have each
    imports: Mapping[str, int] = field(default_factory=dict)  # how many rows of each were applied


class Judge:
    """Is told of each request before it is sent and after it is answered. Lists what does not hold."""

    def __init__(self, zone: str = "UTC") -> None:
        self.zone = ZoneInfo(zone)
        self.subscribers: dict[str, Subscriber] = {}
        self.waiting: list[Request] = []
        self.undone: dict[str, Request] = {}
        self.imports: dict[str, int] = {}  # accepted rows
        self.erasures: list[tuple[str, ConsentEvent]] = []  # answered ones or not
        self.moved: set[str] = set()  # addresses that somebody has come to or left
        self.notes: list[tuple[set[str], str]] = []  # addresses, and what was sent about them
        self.position, self.earliest, self.latest = 0, 0, 0

    def send(self, earliest: int, latest: int, clock: int | None = None) -> Request:
        """Notes the next request. Its acceptance is between these bounds, and never before that of an earlier
        request.
        """
        with LOCK:
            self.position += 1
            earliest, latest = max(earliest, self.earliest), max(latest, self.latest)
            return Request(self.position, earliest, latest, clock)

    def answer(self, request: Request, queue: str = "", source: str = "", certain: bool = True) -> None:
        """Notes that a request was accepted or, if not `certain`, may have been. Without a `queue`, it is
        applied.
        """
        with LOCK:
            self.position += 1
            request.queue, request.source, request.certain = queue, source, certain
            self.latest = max(self.latest, request.latest)
            if certain:
                request.answered = self.position
                self.earliest = max(self.earliest, request.earliest)
            if certain and not queue:
                request.settled = self.position
            else:
                self.waiting.append(request)

    def empty(self) -> None:
        """Notes that no work waits or is under way."""
        with LOCK:
            self.position += 1
            for request in self.waiting:
                request.settled, request.answered = self.position, min(request.answered, self.position)
            self.waiting = []

    def _note(self, request: Request, what: str, *emails: str) -> None:
        answered = "" if request.certain else ", without an answer"
        sentence = f"number {request.sent}: {what}, by {request.source or 'a direct request'}{answered}"
        self.notes.append(({address_key(each) for each in emails}, sentence))

    def about(self, keys: Collection[str]) -> list[str]:
        """Sentences on what was sent about these addresses, and on moves to and from them."""
        return [sentence for noted, sentence in self.notes if not noted.isdisjoint(keys)]

    def at(self, email: str) -> Subscriber:
        return self.subscribers.setdefault(address_key(email), Subscriber())

    def consent(
        self, request: Request, email: str, kind: str, row: int = 0, day: int | date | None = None,
        creates: bool = False,
    ) -> None:  # fmt: skip
        """Notes a consent event. `day` is its date: milliseconds, or a day in the site's zone."""
        dated, only = f" dated {day}" if day else "", " who is new" if creates else ""
        self._note(request, f"{kind}{only}{dated}, row {row}", email)
        if kind == UNSUBSCRIBE and not request.certain:
            return
        at = day if isinstance(day, int) else self._compared(day, kind) if day else 2**62
        bounds = min(at, request.earliest), min(at, request.latest)
        event = ConsentEvent(kind, request, row, *bounds, day is not None, creates)
        self.at(email).consents.append(event)

    def _compared(self, day: date, kind: str) -> int:
        """The last millisecond of a day for an unsubscribe, the first for a subscription."""
        start = day + timedelta(days=1) if kind == UNSUBSCRIBE else day
        milliseconds = int(datetime.combine(start, time(), self.zone).timestamp() * 1000)
        return milliseconds - 1 if kind == UNSUBSCRIBE else milliseconds

    def write(self, request: Request, email: str, values: Mapping[Key, Any], certain: bool = True) -> None:
        subscriber = self.at(email)
        doubtful = bool(subscriber.erased and not subscriber.mentions)
        for key, value in values.items():
            write = Write(request, comparable(value), certain and request.certain and not doubtful)
            subscriber.writes.setdefault(key, []).append(write)

    def mention(self, request: Request, email: str) -> None:
        """Notes that an address has a subscriber, once the request is applied. After an erasure, only an
        answer proves this.
        """
        self._note(request, "mention", email)
        subscriber = self.at(email)
        is_away = not subscriber.mentions and (subscriber.erased or subscriber.may_be_gone)
        if request.certain and not (is_away and request.queue):
            subscriber.mentions.append(request)

    def erase(self, request: Request, email: str) -> None:
        self._note(request, "erase", email)
        event = ConsentEvent(UNSUBSCRIBE, request, 0, request.earliest, request.latest)
        self._erase(address_key(email), event)

    def _erase(self, key: str, event: ConsentEvent) -> None:
        """Drops all that was accepted before an erasure. Without an answer, only notes that the subscriber
        may be gone.
        """
        self.erasures.append((key, event))
        if event.request.certain:
            self.subscribers[key] = Subscriber([event], erased=event)
        else:
            subscriber = self.subscribers.setdefault(key, Subscriber())
            subscriber.mentions, subscriber.is_open, subscriber.may_be_gone = [], True, True

    def move(self, request: Request, old: str, new: str) -> None:
        """Gives the subscriber at the old address the new one, with their consent.

        What waits for an address stays there, but does not resubscribe an unsubscribed subscriber who takes
        the address. If its own subscriber moves away before it is applied, it does not move, nor do their
        values stay.
        """
        self._note(request, f"move {old} to {new}", old, new)
        self.moved |= {address_key(old), address_key(new)}
        if address_key(old) == address_key(new):
            return
        there, here = self.at(old), self.at(new)
        waiting = [event for event in here.consents if event.request.settled > request.sent]
        staying = [
            event
            for event in there.consents
            if event.request.settled < request.sent
            or not (event.request.source.startswith("act") or event in there.brought)
        ]
        if request.certain:
            moved, left = self._moved(request, there, here, waiting, staying)
        else:
            moved = _doubtful([*there.consents, *here.consents], waiting)
            left = _doubtful(there.consents, staying)
        self.subscribers |= {address_key(new): moved, address_key(old): left}

    def _moved(
        self, request: Request, there: Subscriber, here: Subscriber, waiting: list[ConsentEvent],
        staying: list[ConsentEvent],
    ) -> tuple[Subscriber, Subscriber]:  # fmt: skip
        """The (subscriber at the new address, subscriber at the old one) after a certain move."""
        applied = [event for event in there.consents if event.request.settled < request.sent]
        if any(True for _ in self._unsubscribes(Subscriber(applied))):
            waiting = [event for event in waiting if event.kind == UNSUBSCRIBE]
        settled = all(
            write.request.settled < request.sent
            for subscriber in (there, here)
            for write in [each for writes in subscriber.writes.values() for each in writes]
        )
        along = [
            event
            for event in there.consents
            if event not in there.before or event.request.settled < request.sent
        ]
        is_open = there.is_open or not settled
        moved = Subscriber(
            [*along, *waiting], there.writes, [request], is_open=is_open, may_be_gone=there.may_be_gone,
            before=waiting, brought=along,
        )  # fmt: skip
        return moved, Subscriber(staying, is_open=not settled, may_be_gone=there.may_be_gone)

    def delete_tag(self, request: Request, name: str | None) -> None:
        """Notes the deletion of a tag; with None, of any tag."""
        for email, subscriber in list(self.subscribers.items()):
            tags = [key for key in subscriber.writes if key[0] == "tag"]
            deleted = dict.fromkeys(tags, ANYTHING) if name is None else {("tag", name.lower()): ABSENT}
            self.write(request, email, deleted)

    def undo(self, request: Request, source: str) -> None:
        """Notes an undo. Then claims nothing of values that the undone request set, nor of subscribers whom
        it may have created.
        """
        self.undone.setdefault(source, request)
        of_it = [key for key, each in list(self.subscribers.items()) if source in _sources(each)]
        self._note(request, f"undo of {source}", *of_it)
        for subscriber in list(self.subscribers.values()):
            for writes in list(subscriber.writes.values()):
                if any(write.request.source == source for write in writes):
                    writes.append(Write(request, ANYTHING, certain=False))
            if not self._is_mentioned(subscriber):
                subscriber.is_open = True

    def _is_mentioned(self, subscriber: Subscriber) -> bool:
        return any(request.source not in self.undone for request in subscriber.mentions)

    def _is_void(self, event: ConsentEvent) -> bool:
        """Whether an undo leaves nothing of an event: of any by a bulk action, and of an import's that still
        waited.
        """
        undo = self.undone.get(event.request.source)
        if undo is None:
            return False
        return event.request.source.startswith("act") or event.request.settled > undo.sent

    def _unsubscribes(self, subscriber: Subscriber) -> Iterator[ConsentEvent]:
        """Yields the unsubscribes that count over everything that could resubscribe."""
        events = subscriber.consents
        subscriptions = [event for event in events if event.kind == SUBSCRIBE]
        for event in events:
            counts = event.kind == UNSUBSCRIBE and not self._is_void(event)
            stays = not subscriber.may_be_gone
            if counts and all(self._outlives(event, each, stays) for each in subscriptions):
                yield event

    def _outlives(self, event: ConsentEvent, subscription: ConsentEvent, stays: bool) -> bool:
        """Whether an unsubscribe counts over a subscription, even an undone one that it may not have counted
        over.

        A subscriber who may be gone in between may be created anew by a subscription that only creates.
        """
        undo = self.undone.get(subscription.request.source)
        if stays and (subscription.creates or (undo and undo.certain)):
            return precedes(event.request, subscription.request) or event.counts_over(subscription)
        return event.counts_over(subscription)

    def violations(self, found: Found) -> list[str]:
        """Sentences on what does not hold. Call it when the queue is empty."""
        return [*self._of_subscribers(found), *self._of_counts(found), *self._of_imports(found)]

    def _of_subscribers(self, found: Found) -> Iterator[str]:
        for key in found.values.keys() - self.subscribers.keys():
            yield f"{key} was never sent"
        for key, subscriber in self.subscribers.items():
            if key not in found.values:
                if self._is_mentioned(subscriber):
                    yield f"{key} is missing"
                continue
            event = next(self._unsubscribes(subscriber), None)
            if event and found.subscribed[key]:
                yield f"{key} is subscribed despite {told(event)}"
            if subscriber.erased and not self._may_be_back(subscriber, subscriber.erased):
                yield f"{key} is found despite {told(subscriber.erased)}"
            if not subscriber.is_open:
                yield from self._of_values(key, subscriber, found.values[key])

    def _may_be_back(self, subscriber: Subscriber, erased: ConsentEvent) -> bool:
        return any(
            event.kind == SUBSCRIBE and not event.creates and not erased.counts_over(event)
            for event in subscriber.consents
        )

    def _of_values(self, key: str, subscriber: Subscriber, values: Mapping[Key, Any]) -> Iterator[str]:
        for name in subscriber.writes.keys() | values.keys():
            allowed = self._allowed(subscriber.writes.get(name, []))
            value = comparable(values[name]) if name in values else ABSENT
            if ANYTHING not in allowed and value not in allowed:
                yield f"{key} has {value} as {name}, not {' or '.join(allowed)}"

    def _allowed(self, writes: list[Write]) -> list[Any]:
        """The values that may be the last, given which write certainly came before which."""
        start = Request(0, 0, 0, answered=0, settled=0)
        ordered = [Write(start, ABSENT), *writes]
        return [
            write.value
            for place, write in enumerate(ordered)
            if not any(each.certain and replaces(each, write) for each in ordered[place + 1 :])
        ]

    def _of_counts(self, found: Found) -> Iterator[str]:
        subscribed = sum(found.subscribed.values())
        recount = (len(found.values), subscribed, len(found.values) - subscribed)
        if found.counts != recount:
            yield f"the counts are {found.counts}, a recount says {recount}"
        having = Counter(name for values in found.values.values() for kind, name in values if kind == "tag")
        for name, number in found.tags.items():
            if number != having[name]:
                yield f"{number} are counted with the tag {name}, {having[name]} have it"

    def _of_imports(self, found: Found) -> Iterator[str]:
        for name, applied in found.imports.items():
            if f"import {name}" not in self.undone and applied < self.imports.get(name, 0):
                yield f"{applied} rows of import {name} were applied, {self.imports[name]} were accepted"

    def keep(self) -> "Judge":
        """A copy for a backup that is made now."""
        self.moved = set()
        return copy.deepcopy(self)

    def restored(self, kept: "Judge") -> "Judge":
        """The judge `kept` with a backup, after a restore.

        It adds the erasures since, and the unsubscribes since that were applied.
        """
        judge = copy.deepcopy(kept)
        judge.position, judge.latest = self.position + 1, self.latest
        for key, subscriber in self.subscribers.items():
            for event in self._unsubscribes(subscriber):
                if kept.position < event.request.sent and event.request.settled < inf:
                    carried = replace(event, request=copy.copy(event.request))
                    judge.at(key).consents.append(carried)
        for key, event in self.erasures:
            if kept.position < event.request.sent:
                judge._erase(key, event)
        for key in self.moved:
            judge.at(key).mentions, judge.at(key).is_open = [], True
        judge.moved, judge.notes = set(self.moved), self.notes
        return judge


def _sources(subscriber: Subscriber) -> set[str]:
    return {request.source for request in subscriber.mentions} | {
        event.request.source for event in subscriber.consents
    }


def _doubtful(said: list[ConsentEvent], either_way: list[ConsentEvent]) -> Subscriber:
    """The subscriber at an address after a move that may have happened. Each subscription may count; an
    unsubscribe must count if it does either way.
    """
    may_count = [event for event in said if event.kind == SUBSCRIBE]
    must_count = [event for event in either_way if event.kind == UNSUBSCRIBE]
    return Subscriber([*may_count, *must_count], is_open=True, may_be_gone=True, before=must_count)


def told(event: ConsentEvent) -> str:
    source = event.request.source or "a direct request"
    dated = f" dated {event.earliest}" if event.dated else ""
    return f"the {event.kind}{dated} of {source}, sent as number {event.request.sent}, row {event.row}"


def assert_holds(judge: Judge, found: Found, history: Collection[Any] = ()) -> None:
    violations = judge.violations(found)
    sent = judge.about({each.split()[0] for each in violations})
    assert not violations, "\n".join([*violations, "sent:", *sent, "after:", *map(repr, history)])
