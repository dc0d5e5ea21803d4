"""Gates: each limits how many threads of a process wait for one kind of thing at once."""

import threading
from typing import NamedTuple, Protocol


class CountingGate:
    """Limits the number of threads in it; implements `audience.protocols.Gate`."""

    def __init__(self, permits: int) -> None:
        self._permits = threading.BoundedSemaphore(permits)

    def enter(self) -> bool:
        """Lets the thread in if there is room. Returns whether it may wait, and must call `leave`."""
        return self._permits.acquire(blocking=False)

    def leave(self) -> None:
        self._permits.release()


class CountedThreads(Protocol):
    """Threads that are counted while they work, but not from `step_aside` to `step_back`."""

    def step_aside(self) -> None: ...

    def step_back(self) -> None: ...


class WaitingGate(CountingGate):
    """For threads that wait for other processes. They do not count as working, so that others may work."""

    def __init__(self, permits: int, counted: CountedThreads) -> None:
        super().__init__(permits)
        self._counted = counted

    def enter(self) -> bool:
        """As `CountingGate.enter`. A thread that is in does not count as working until it calls `leave`."""
        may = super().enter()
        if may:
            self._counted.step_aside()
        return may

    def leave(self) -> None:
        self._counted.step_back()
        super().leave()


class Gates(NamedTuple):
    """The gates of a web process: for threads that wait for the DNS or a write, or parse a large body."""

    ask_dns: CountingGate
    write: CountingGate
    parse: CountingGate


def gates(threads: int, counted: CountedThreads) -> Gates:
    """The gates of a web process with this number of threads.

    They are so narrow that some threads remain for requests that do not wait.
    """
    waiting = threads * 3 // 8
    return Gates(
        WaitingGate(waiting, counted), WaitingGate(waiting, counted), CountingGate(max(2, threads // 8))
    )
