"""SQLite's write-ahead log. Whoever has time moves it into the database file, never a writer within its
transaction.

A pool's `log.pages` are the pages of the log after this process' last write or checkpoint.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

LOG = "-wal"  # suffix of the file beside the database
DUE_PAGES = 10_000  # written since the last checkpoint, many of them several times
LONG_PAGES = 25_000  # of 4,096 bytes each: after about 100 MB the log begins anew
OVERLONG_PAGES = 30_000  # after which a writer takes care of it, because no worker does
FULL_PAGES = 50_000  # after which long work waits for the reader that needs the log
KEPT_PAGES = 2_500  # not moved yet: more of them mean that a reader prevents it
LIMIT_BYTES = 128 * 2**20  # to which the file shrinks when it begins anew
TIMEOUT_MS = 250  # for readers, while writers wait


class Log:
    """What this process knows of the log: the number of its pages, and how many are in the database file."""

    pages = 0
    moved = 0

    def grew(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        """Notes the log's pages. SQLite calls it after each commit, in place of its own checkpoints."""
        if pages < self.pages:  # the log began anew
            self.moved = 0
        self.pages = pages
        return apsw.SQLITE_OK


def checkpoint(opened: Any) -> bool:
    """Moves what no reader needs from the log into the database file. Nobody has to wait meanwhile.

    Returns whether the log is long and can begin anew.
    """
    _, pages, moved = opened.execute_sql("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    opened.log.pages, opened.log.moved = pages, moved
    return bool(pages > LONG_PAGES and pages - moved < KEPT_PAGES)


def restart_log(opened: Any) -> None:
    """Lets the next write begin the log anew, unless a reader prevents that. Writers wait meanwhile."""
    if _checkpoint_at_once(opened, "RESTART"):
        opened.log.pages = opened.log.moved = 0


def truncate_log(opened: Any) -> bool:
    """Checkpoints and empties the log. Returns False if a reader prevents it. Writers wait meanwhile."""
    return _checkpoint_at_once(opened, "TRUNCATE")


def _checkpoint_at_once(opened: Any, mode: str) -> bool:
    """Checkpoints the whole log. Returns False if a reader prevents it for `TIMEOUT_MS`."""
    opened.execute_sql(f"PRAGMA busy_timeout = {TIMEOUT_MS}")
    try:
        busy, _, _ = opened.execute_sql(f"PRAGMA wal_checkpoint({mode})").fetchone()
    finally:
        opened.execute_sql(f"PRAGMA busy_timeout = {round(opened.timeout * 1000)}")
    return not busy


@contextlib.contextmanager
def moved_by_commits(opened: Any) -> Iterator[None]:
    """Makes commits in the block checkpoint the log themselves, because nobody else does."""
    connection = opened.connection()
    connection.wal_autocheckpoint(DUE_PAGES)
    try:
        yield
    finally:
        connection.set_wal_hook(opened.log.grew)


def checkpoint_is_due(opened: Any) -> bool:
    """Whether enough pages of the log wait that a checkpoint is worthwhile."""
    return bool(opened.log.pages - opened.log.moved >= DUE_PAGES)


def log_is_overlong(opened: Any) -> bool:
    return bool(opened.log.pages > OVERLONG_PAGES)


def log_is_full(opened: Any) -> bool:
    return bool(opened.log.pages > FULL_PAGES)


def log_bytes(opened: Any) -> int:
    log = Path(f"{opened.database}{LOG}")
    return log.stat().st_size if log.exists() else 0
