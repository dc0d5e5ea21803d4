"""A gate that lets only so many threads wait for one thing."""

import threading


class CountingGate:
    """Implements `audience.protocols.Gate`."""

    def __init__(self, places: int) -> None:
        self._places = threading.BoundedSemaphore(places)

    def enter(self) -> bool:
        return self._places.acquire(blocking=False)

    def leave(self) -> None:
        self._places.release()
