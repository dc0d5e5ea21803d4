"""How much long work writes in one transaction, so that others do not wait long for their turn."""

import contextlib
import time
from collections import deque
from collections.abc import Iterator

from storage import database
from storage.engines.chosen import engine

FIRST_ROWS, LEAST_ROWS, MOST_ROWS = 100, 20, 2_000
REMEMBERED = 8  # transactions


class Chunk:
    """One write transaction of long work. The caller counts the written rows in `rows`."""

    rows = 0


class Pace:
    """Decides how many `rows` the next transaction writes: as many as fit into the engine's `TURN_SECONDS`.

    The fastest of the last few transactions decides, because the others waited for a core or the disk. The
    commit is not timed: otherwise a slow disk would make the transactions ever smaller.
    """

    def __init__(self, first: int = FIRST_ROWS, least: int = LEAST_ROWS, most: int = MOST_ROWS) -> None:
        self.rows = first
        self._least, self._most = least, most
        self._seconds_per_row: deque[float] = deque(maxlen=REMEMBERED)

    @contextlib.contextmanager
    def write(self, site_id: int | None = None) -> Iterator[Chunk]:
        """Opens a write transaction as `database.write` does, and learns from its duration."""
        chunk = Chunk()
        with database.write(site_id):
            began = time.monotonic()
            yield chunk
            seconds = time.monotonic() - began
        self.learn(chunk.rows, seconds)

    def learn(self, rows: int, seconds: float) -> None:
        """Sets `rows` from the duration of the last transaction; at most doubles it.

        Ignores a transaction of fewer than `rows` rows, unless it took longer than `TURN_SECONDS`.
        """
        if rows and (rows >= self.rows or seconds > engine.TURN_SECONDS):
            self._seconds_per_row.append(seconds / rows)
            fitting = engine.TURN_SECONDS / max(min(self._seconds_per_row), 1e-9)
            self.rows = round(max(self._least, min(fitting, 2 * self.rows, self._most)))
