"""How much long work writes in one transaction, so that others do not wait long for their turn."""

import contextlib
import time
from collections.abc import Iterator

from storage import database

HOLD_SECONDS = 0.015
FIRST_ROWS, LEAST_ROWS, MOST_ROWS = 100, 20, 2_000


class Chunk:
    """The `rows` written in one transaction; whoever writes them counts them."""

    rows = 0


class Pace:
    """The `rows` to write in the next transaction: as many as held the turn for `HOLD_SECONDS` the last time.

    Committing takes a while however few rows there are. The shortest commit so far is not counted, or a slow
    disk would make the transactions ever smaller.
    """

    def __init__(self, first: int = FIRST_ROWS, least: int = LEAST_ROWS, most: int = MOST_ROWS) -> None:
        self.rows = first
        self._least, self._most = least, most
        self._shortest_commit = float("inf")

    @contextlib.contextmanager
    def write(self) -> Iterator[Chunk]:
        """As `database.write`."""
        chunk = Chunk()
        with database.write():
            began = time.monotonic()
            yield chunk
            wrote = time.monotonic()
        self.learn(chunk.rows, wrote - began, time.monotonic() - wrote)

    def learn(self, rows: int, write_seconds: float, commit_seconds: float) -> None:
        """Sets the size of the next transaction by the last one; it at most doubles.

        One with fewer rows than there was time for says nothing, unless even they took too long.
        """
        self._shortest_commit = min(self._shortest_commit, commit_seconds)
        seconds = write_seconds + commit_seconds - self._shortest_commit
        if rows and (rows >= self.rows or seconds > HOLD_SECONDS):
            fitting = min(int(rows * HOLD_SECONDS / max(seconds, 1e-9)), 2 * self.rows)
            self.rows = max(self._least, min(fitting, self._most))
