"""What was deleted is gone from the files, too.

It is overwritten in the database file (`secure_delete`), and the write-ahead log, which still has it, is
truncated; a marker in the instance folder asks for that until it has been done, by whomever.
"""

import secrets
from pathlib import Path

from storage import database

MARK = "erased-*.mark"


def mark(instance: Path) -> None:
    """Asks for it; to be called before anything is deleted."""
    (instance / MARK.replace("*", secrets.token_hex(8))).touch(mode=0o600)


def settle(instance: Path) -> bool:
    """Truncates the write-ahead log where it is asked for; False when it has to be tried again."""
    marks = list(instance.glob(MARK))
    if not marks:
        return True
    with database.session():
        done = database.truncate_log()
    for each in marks if done else ():
        each.unlink(missing_ok=True)
    return done
