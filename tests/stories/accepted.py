"""What was accepted of each address, in the order in which it was sent. `invariant.py` judges by this."""

import json
from dataclasses import dataclass, field
from math import inf
from typing import Any

SUBSCRIBE, UNSUBSCRIBE = "subscribe", "unsubscribe"
ABSENT, ANYTHING = "(absent)", "(anything)"  # of a value: there is none, or nothing is claimed
Key = tuple[str, str]  # ("name", "first_name"), ("field", key) or ("tag", name in lower case)


@dataclass(eq=False)
class Request:
    """A request that was accepted or, if not `certain`, may have been.

    `sent`, `answered` and `settled`, when all of it is known to be applied, are positions in the history. It
    was accepted between `earliest` and `latest`, in milliseconds; `clock` is what the server's clock then
    said.
    """

    sent: int
    earliest: int
    latest: int
    clock: int | None = None
    queue: str = ""  # where it waits, in order; "" if it is applied before it is answered
    source: str = ""  # what an undo names it by
    answered: float = inf
    settled: float = inf
    certain: bool = True


@dataclass(frozen=True)
class ConsentEvent:
    """A consent event with an instant between `earliest` and `latest`. If it only `creates`, it subscribes no
    existing subscriber.
    """

    kind: str
    request: Request
    row: int
    earliest: int
    latest: int
    dated: bool = False
    creates: bool = False

    def counts_over(self, other: "ConsentEvent") -> bool:
        """Whether this unsubscribe certainly counts over that subscription, by their instants."""
        latest, now = other.latest, self.request.clock
        if now is not None and not self.request.queue and precedes(other.request, self.request):
            latest = min(latest, now)  # an instant of a clock which was ahead is compared as now
        if not self.dated and self.is_accepted_after(other):
            return True
        return (self.dated or other.dated) and self.earliest >= latest

    def is_accepted_after(self, other: "ConsentEvent") -> bool:
        if self.request is other.request:
            return self.row > other.row
        return self.request.sent > other.request.answered


@dataclass(frozen=True)
class Write:
    """A value that a request sets or, if not `certain`, may set."""

    request: Request
    value: Any
    certain: bool = True


@dataclass
class Subscriber:
    """All that was accepted for the subscriber who now has an address. Of earlier subscribers, only consent
    is kept.
    """

    consents: list[ConsentEvent] = field(default_factory=list)
    writes: dict[Key, list[Write]] = field(default_factory=dict)
    mentions: list[Request] = field(default_factory=list)  # after which somebody has the address
    erased: ConsentEvent | None = None
    is_open: bool = False  # nothing is claimed of values
    may_be_gone: bool = False  # by a request of which no answer came
    before: list[ConsentEvent] = field(default_factory=list)  # accepted before whoever has it came here
    brought: list[ConsentEvent] = field(default_factory=list)  # by whoever has it, from the address they had


def address_key(email: str) -> str:
    return email.strip().lower()


def comparable(value: Any) -> str:
    """The JSON of a value, in which 1, 1.0 and true differ. `ABSENT` and `ANYTHING` stay."""
    return value if value in (ABSENT, ANYTHING) else json.dumps(value, sort_keys=True)


def precedes(first: Request, second: Request) -> bool:
    """Whether the first was certainly applied before the second, whatever the worker did."""
    same_queue = first.queue == second.queue != "" and first.answered < second.sent
    return first is not second and (same_queue or first.settled < second.sent)


def replaces(later: Write, write: Write) -> bool:
    """Whether the later of two writes, in the order in which they were sent, certainly replaces the other."""
    return later.request is write.request or precedes(write.request, later.request)
