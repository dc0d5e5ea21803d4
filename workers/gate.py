"""Gates, each of which lets only so many threads of a process wait for one thing."""

import threading
from typing import NamedTuple, Protocol


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


class Counted(Protocol):
    """Threads of which only few are at work: who waits for others is not counted meanwhile."""

    def step_aside(self) -> None: ...

    def step_back(self) -> None: ...


class WaitingGate(CountingGate):
    """A gate whose threads wait for others, and are not counted meanwhile."""

    def __init__(self, permits: int, counted: Counted) -> None:
        super().__init__(permits)
        self._counted = counted

    def enter(self) -> bool:
        """As in a `CountingGate`; another thread may work until this one leaves."""
        may = super().enter()
        if may:
            self._counted.step_aside()
        return may

    def leave(self) -> None:
        self._counted.step_back()
        super().leave()


class Gates(NamedTuple):
    ask_dns: CountingGate
    write: CountingGate
    parse: CountingGate


def gates(threads: int, counted: Counted) -> Gates:
    """The gates of a web process. They leave threads for requests that do not wait."""
    waiting = threads * 3 // 8
    return Gates(
        WaitingGate(waiting, counted), WaitingGate(waiting, counted), CountingGate(max(2, threads // 8))
    )
