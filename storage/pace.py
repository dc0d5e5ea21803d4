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
    """The number of `rows` written in one transaction, which the caller counts."""

    rows = 0


class Pace:
    """Decides how many `rows` the next transaction writes: as many as fit into the engine's `TURN_SECONDS`.

    The fastest of the last few transactions counts: the others waited for a core or the disk, however few
    their rows. The time of committing is left out, or a slow disk would make the transactions ever smaller.
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
        """Sets the size of the next transaction, which at most doubles.

        A transaction with fewer rows than there was time for teaches nothing, unless it took too long.
        """
        if rows and (rows >= self.rows or seconds > engine.TURN_SECONDS):
            self._seconds_per_row.append(seconds / rows)
            fitting = engine.TURN_SECONDS / max(min(self._seconds_per_row), 1e-9)
            self.rows = round(max(self._least, min(fitting, 2 * self.rows, self._most)))
