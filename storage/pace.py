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
    """The `rows` written in one transaction; whoever writes them counts them."""

    rows = 0


class Pace:
    """The `rows` to write in the next transaction: as many as fit into the `TURN_SECONDS` of the engine.

    The fastest of the last few transactions counts: the others waited for a core or the disk, however few
    their rows. Committing is not counted, or a slow disk would make the transactions ever smaller.
    """

    def __init__(self, first: int = FIRST_ROWS, least: int = LEAST_ROWS, most: int = MOST_ROWS) -> None:
        self.rows = first
        self._least, self._most = least, most
        self._seconds_per_row: deque[float] = deque(maxlen=REMEMBERED)

    @contextlib.contextmanager
    def write(self, site_id: int | None = None) -> Iterator[Chunk]:
        """As `database.write`."""
        chunk = Chunk()
        with database.write(site_id):
            began = time.monotonic()
            yield chunk
            seconds = time.monotonic() - began
        self.learn(chunk.rows, seconds)

    def learn(self, rows: int, seconds: float) -> None:
        """Sets the size of the next transaction, which at most doubles.

        A transaction with fewer rows than there was time for says nothing, unless even they took too long.
        """
        if rows and (rows >= self.rows or seconds > engine.TURN_SECONDS):
            self._seconds_per_row.append(seconds / rows)
            fitting = engine.TURN_SECONDS / max(min(self._seconds_per_row), 1e-9)
            self.rows = round(max(self._least, min(fitting, 2 * self.rows, self._most)))
