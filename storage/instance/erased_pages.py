"""Removes deleted data from the database's log of recent writes, on request.

Deleted rows are overwritten in the database file at once, but remain in the log until it is emptied. A
marker in the instance folder requests that, until some process has done it.
"""

import secrets
from pathlib import Path

from storage import database

MARKER = "erased-*.mark"


def request(instance: Path) -> None:
    """Creates a marker. Call it in the transaction that deletes; otherwise another process may find
    it before.
    """
    (instance / MARKER.replace("*", secrets.token_hex(8))).touch(mode=0o600)


def keep_log_short(instance: Path) -> None:
    """Runs regularly in each worker, so that the write-ahead log neither grows nor keeps erased subscribers.
    """
    run(instance)
    database.checkpoint()


def run(instance: Path) -> bool:
    """Empties the write-ahead log if there is a marker. False if it must be retried."""
    markers = list(instance.glob(MARKER))
    if not markers:
        return True
    with database.session():
        done = database.truncate_log()
    for marker in markers if done else ():
        marker.unlink(missing_ok=True)
    return done
