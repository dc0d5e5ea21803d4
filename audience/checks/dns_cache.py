"""What the DNS said, for as long as it said so."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from audience.ports import DnsAnswer

LONGEST_TTL = 3600.0  # a list's answer may change within the hour; RFC 2308 section 5 asks for a bound too


@dataclass(frozen=True)
class Kept:
    answer: DnsAnswer
    until: float


class Cache:
    """Answers by question, at most `size` of them; the least recently used goes first. Not thread-safe."""

    def __init__(self, size: int, clock: Callable[[], float]) -> None:
        self._size = size
        self._clock = clock
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()

    def get(self, question: Hashable) -> DnsAnswer | None:
        kept = self._kept.get(question)
        if kept is None:
            return None
        if kept.until <= self._clock():
            del self._kept[question]
            return None
        self._kept.move_to_end(question)
        return kept.answer

    def put(self, question: Hashable, answer: DnsAnswer, ttl: float) -> None:
        """Keeps `answer` for `ttl` seconds, an hour at most; a `ttl` of 0 is not kept."""
        if ttl <= 0:
            return
        self._kept[question] = Kept(answer, self._clock() + min(ttl, LONGEST_TTL))
        self._kept.move_to_end(question)
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)

    def __len__(self) -> int:
        return len(self._kept)
