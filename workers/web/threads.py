"""The threads that answer requests. Few work at once, because each takes the interpreter from the others.

We have our own: concurrent.futures hands a call over with four locks and two futures, which costs more than a
find. It also lets all threads work at once, each of which keeps a database connection with its cache.
"""

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

AT_ONCE = 2  # one computes while the other reads or writes
PATIENCE_SECONDS = 0.004  # then one more is let in: those at work are slow


class Call(NamedTuple):
    """A queued call of a function. `at` is the time of its event loop when it was queued, in seconds."""

    future: asyncio.Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    loop: asyncio.AbstractEventLoop
    at: float

    def is_overdue(self) -> bool:
        return self.loop.time() - self.at >= PATIENCE_SECONDS

    def do(self) -> None:
        """Calls the function in this thread. The event loop then sets its outcome on the future."""
        result, error = None, None
        try:
            result = self.function(*self.arguments)
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self.loop.call_soon_threadsafe(_settle, self.future, result, error)


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.cancelled():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


class Threads:
    """Threads that run an event loop's calls in the order in which they are queued.

    `AT_ONCE` threads work at once. Another joins each time the oldest call has waited too long, up to `most`.
    A thread that waits for another process is not counted from `step_aside` to `step_back`.

    Of the idle threads, the one that worked last continues first: its connection's data are still in the
    processor's cache.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._state = threading.Lock()
        self._asked = deque[Call]()
        self._idle = list[threading.Lock]()  # of each thread that has nothing to do, released to let it in
        self._begun = self._at_work = 0
        self._is_watched = False

    def run(self, function: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        """Queues a call of the function. Returns the future with its result."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        with self._state:
            self._asked.append(Call(future, function, arguments, loop, loop.time()))
            if self._at_work < AT_ONCE:
                self._let_in()
            if self._is_watched:
                return future
            self._is_watched = True
        loop.call_later(PATIENCE_SECONDS, self._watch, loop)
        return future

    def step_aside(self) -> None:
        """Stops counting the calling thread, which is about to wait: another may work in its place."""
        with self._state:
            self._at_work -= 1
            if self._asked:
                self._let_in()

    def step_back(self) -> None:
        """Counts the calling thread again, after its wait."""
        with self._state:
            self._at_work += 1

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Lets one more thread work if the oldest call has waited too long.

        Runs again after `PATIENCE_SECONDS` while calls are queued.
        """
        with self._state:
            if self._asked and self._asked[0].is_overdue():
                self._let_in()
            self._is_watched = bool(self._asked)
        if self._is_watched:
            loop.call_later(PATIENCE_SECONDS, self._watch, loop)

    def _let_in(self) -> None:
        """Lets one more thread work: an idle one or, below `most`, a new one. The caller holds `_state`."""
        if self._idle:
            self._idle.pop().release()
        elif self._begun < self._most:
            try:
                threading.Thread(target=self._work, name="request", daemon=True).start()
            except RuntimeError:  # no more threads: it is tried again
                return
            self._begun += 1
        else:
            return
        self._at_work += 1

    def _work(self) -> None:
        mine = threading.Lock()
        mine.acquire()
        while True:
            call = self._next(mine)
            if call is None:
                mine.acquire()
            elif not call.future.cancelled():
                call.do()
            del call

    def _next(self, mine: threading.Lock) -> Call | None:
        """The oldest call; None if the calling thread must wait until another releases its lock `mine`."""
        with self._state:
            if self._asked and (self._at_work <= AT_ONCE or self._asked[0].is_overdue()):
                return self._asked.popleft()
            self._at_work -= 1
            self._idle.append(mine)
            return None
