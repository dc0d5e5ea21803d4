"""Gates, each of which lets only so many threads of a process wait for one thing."""

import threading
from typing import NamedTuple


class CountingGate:
    """A gate that counts the threads in it; implements `audience.protocols.Gate`."""

    def __init__(self, permits: int) -> None:
        self._permits = threading.BoundedSemaphore(permits)

    def enter(self) -> bool:
        """Counts the thread in if there is room. Returns whether there was: only then it may wait, and must
        call `leave`.
        """
        return self._permits.acquire(blocking=False)

    def leave(self) -> None:
        self._permits.release()


class Gates(NamedTuple):
    ask_dns: CountingGate
    write: CountingGate
    parse: CountingGate


def gates(threads: int) -> Gates:
    """The gates of a web process. They leave threads for requests that do not wait."""
    return Gates(
        *(CountingGate(permits) for permits in (threads * 3 // 8, threads * 3 // 8, max(2, threads // 8)))
    )
