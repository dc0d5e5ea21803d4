"""The turns of SQLite's writers: one thread of a process at a time, each for a short while."""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

from storage.errors import Unavailable

YIELD_SECONDS = 0.002

_write_lock = threading.Lock()


@contextlib.contextmanager
def writers_turn(timeout_seconds: float, gate: Any) -> Iterator[None]:
    """One writing thread per process at a time. Raises `Unavailable` after the timeout, at once if too many
    wait: `gate.enter()` says whether one more may, `gate.leave()` ends its wait."""
    if not gate.enter():
        raise Unavailable("too many threads wait to write")
    try:
        acquired = _write_lock.acquire(timeout=timeout_seconds)
    finally:
        gate.leave()
    if not acquired:
        raise Unavailable("other threads are writing")
    try:
        yield
    finally:
        _write_lock.release()


def yield_lock() -> None:
    """Pauses between two write transactions: the lock is not fair, and other processes poll for it."""
    time.sleep(YIELD_SECONDS)
