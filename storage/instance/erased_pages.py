"""Removes deleted data from the database's write-ahead log, on request.

Deleted rows are overwritten in the database file at once, but remain in the log until it is emptied. A marker
in the instance folder requests that. It stays until some process has emptied the log.
"""

import secrets
from pathlib import Path

from storage import database

MARKER = "erased-*.mark"


def request(instance: Path) -> None:
    """Creates a marker. Call it in the transaction that deletes.

    Before it, another process could empty the log and delete the marker too soon. After it, a crash could
    leave no marker.
    """
    (instance / MARKER.replace("*", secrets.token_hex(8))).touch(mode=0o600)


def keep_log_short(instance: Path) -> None:
    """Checkpoints the write-ahead log, and empties it if there is a marker.

    Workers call it regularly, so that the log neither grows nor keeps erased subscribers.
    """
    run(instance)
    database.checkpoint()


def run(instance: Path) -> bool:
    """Empties the write-ahead log if there is a marker, then deletes the marker.

    Returns False if a reader prevents it: the caller must try again.
    """
    markers = list(instance.glob(MARKER))
    if not markers:
        return True
    with database.session():
        done = database.truncate_log()
    for marker in markers if done else ():
        marker.unlink(missing_ok=True)
    return done
