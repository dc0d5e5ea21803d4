"""The turns of SQLite's writers: one thread of one process at a time, in the order they came.

SQLite lets waiting processes poll, so that whoever writes again and again starves them. Here the kernel
queues them. SQLite's own lock is taken within the turn, and still decides.
"""

import contextlib
import fcntl
import os
import threading
from collections import deque
from collections.abc import Iterator
from typing import Any

from storage.errors import Unavailable

WAITING, WRITING = ".waiting-lock", ".writing-lock"  # suffixes of the files beside the database


class Turns:
    """The turns of one process, which its threads take one after another.

    A thread that blocks in the kernel cannot give up, as a thread of a request must. So a separate thread
    blocks there, and hands the turn to the first thread that still waits.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._state = threading.Lock()
        self._waiting: deque[threading.Lock] = (
            deque()
        )  # one for each waiting thread, released to let it write
        self._writing: threading.Lock | None = None  # the lock of the thread whose turn it is
        self._turn: FileTurn | None = None
        self._asking = False  # a thread blocks in the kernel

    def take(self, timeout_seconds: float) -> bool:
        """Waits for the caller's turn. Returns False if it comes too late. After True, call `give_back`."""
        mine = threading.Lock()
        mine.acquire()
        try:
            with self._state:
                self._waiting.append(mine)
                self._ask()
            mine.acquire(timeout=timeout_seconds)
        except BaseException:  # raised by a signal's handler
            if self._has_come(mine):
                self.give_back()
            raise
        return self._has_come(mine)

    def _has_come(self, mine: threading.Lock) -> bool:
        """Whether it is the turn of the thread that waits by the lock `mine`. If not, ends its wait."""
        with self._state:
            if mine in self._waiting:
                self._waiting.remove(mine)
            return mine is self._writing

    def give_back(self) -> None:
        """Ends the turn. Asks for another turn if a thread waits."""
        with self._state:
            if self._turn is not None:
                self._turn.end()
            self._writing = self._turn = None
            self._ask()

    def _ask(self) -> None:
        """Asks the other processes for a turn, if a thread waits. The caller holds `_state`."""
        if self._asking or self._turn is not None or not self._waiting:
            return
        turn = FileTurn(self._path)
        if turn.take_at_once():
            self._hand_over(turn)
            return
        self._asking = True
        try:
            threading.Thread(target=self._wait, args=(turn,), name="write turn", daemon=True).start()
        except RuntimeError:  # no more threads: the next writer asks again
            self._asking = False
            turn.end()

    def _wait(self, turn: "FileTurn") -> None:
        turn.take()
        with self._state:
            self._asking = False
            self._hand_over(turn)

    def _hand_over(self, turn: "FileTurn") -> None:
        """Gives the turn to the first waiting thread; else ends it. The caller holds `_state`."""
        if self._waiting:
            self._turn, self._writing = turn, self._waiting.popleft()
            self._writing.release()
        else:
            turn.end()


class FileTurn:
    """One turn among processes: two file locks, the first held only while waiting for the second.

    So only one process waits for the second lock, and none that comes later overtakes it. The kernel releases
    the locks of a process that dies. If a disk has no such locks, only SQLite's own lock orders writers.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptors: dict[str, int | None] = {}

    def take_at_once(self) -> bool:
        """Takes the turn if nobody has it or waits for it. After False, call only `take` or `end`."""
        try:
            self.take(fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def take(self, flags: int = 0) -> None:
        """Waits for the turn, however long."""
        self._lock(WAITING, flags)
        self._lock(WRITING, flags)
        self._unlock(WAITING)

    def end(self) -> None:
        for suffix in list(self._descriptors):
            self._unlock(suffix)

    def _lock(self, suffix: str, flags: int) -> None:
        """Locks one of the two files, if it can be opened; waits unless `flags` forbid it."""
        if suffix not in self._descriptors:
            self._descriptors[suffix] = _open(f"{self._path}{suffix}")
        descriptor = self._descriptors[suffix]
        if descriptor is not None:
            _flock(descriptor, fcntl.LOCK_EX | flags)

    def _unlock(self, suffix: str) -> None:
        """Releases one of the two locks and closes its file."""
        descriptor = self._descriptors.pop(suffix)
        if descriptor is not None:
            _flock(descriptor, fcntl.LOCK_UN)  # a process forked meanwhile keeps the file open
            os.close(descriptor)


def _open(path: str) -> int | None:
    """The descriptor of a file to lock, created if missing; None if it cannot be opened."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None


def _flock(descriptor: int, operation: int) -> None:
    """Locks or unlocks a file; does nothing where the disk has no such locks.

    Raises `BlockingIOError` if it would have to wait and must not.
    """
    try:
        fcntl.flock(descriptor, operation)
    except BlockingIOError:
        raise
    except OSError:
        return


@contextlib.contextmanager
def writers_turn(turns: Turns, timeout_seconds: float, gate: Any) -> Iterator[None]:
    """A turn to write, for the block.

    Raises `Unavailable` if the turn does not come within the timeout, or at once if `gate.enter()` refuses
    one more thread. `gate.leave()` ends the wait.
    """
    if not gate.enter():
        raise Unavailable("too many threads wait to write")
    try:
        came = turns.take(timeout_seconds)
    finally:
        gate.leave()
    if not came:
        raise Unavailable("others are writing")
    try:
        yield
    finally:
        turns.give_back()
