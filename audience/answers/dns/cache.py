"""A cache of DNS answers."""

from collections import OrderedDict
from collections.abc import Callable, Hashable

from audience.protocols import DnsAnswer

# Blacklists may change within the hour; RFC 2308 section 5 requires a limit on negative answers.
MAX_TTL_SECONDS = 3600.0


class Cache:
    """A cache of at most `size` DNS answers by question. When it is full, the answer that was not read for
    longest is removed. Not thread-safe.

    `clock` returns seconds, and is monotonic.
    """

    def __init__(self, size: int, clock: Callable[[], float]) -> None:
        self._size = size
        self._clock = clock
        self._entries: OrderedDict[Hashable, tuple[DnsAnswer, float]] = OrderedDict()

    def get(self, question: Hashable) -> DnsAnswer | None:
        answer, expires_at = self._entries.get(question, (None, 0.0))
        if answer is None or expires_at <= self._clock():
            self._entries.pop(question, None)
            return None
        self._entries.move_to_end(question)
        return answer

    def put(self, question: Hashable, answer: DnsAnswer, ttl: float) -> None:
        """Caches `answer` for `ttl` seconds, an hour at most; with a `ttl` of 0, not at all."""
        if ttl <= 0:
            return
        self._entries[question] = answer, self._clock() + min(ttl, MAX_TTL_SECONDS)
        self._entries.move_to_end(question)
        while len(self._entries) > self._size:
            self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)
