"""Whether the instance uses the open database, or has moved to another one."""

from typing import NamedTuple

from storage.database import database, execute, row, value
from storage.engines.chosen import engine

LEAVING, LEFT, ARRIVING = "leaving", "left", "arriving"
RESTORING = "restoring"  # a dump was loaded; `move` identifies it


class Phase(NamedTuple):
    """The stored phase of a move. `move` identifies the move, `other` is the URL of the other database.

    `at` is in milliseconds. `name` is "" while the instance uses this database.
    """

    move: str
    name: str
    other: str
    at: int


HERE = Phase("", "", "", 0)


def phase() -> Phase:
    """The stored phase of a move; `HERE` without tables."""
    if not database.table_exists("instance_state"):
        return HERE
    return Phase(*row("SELECT move, phase, other, at FROM instance_state"))


def is_here() -> bool:
    """Whether the instance uses the open database: it is neither the source of a move nor its unfinished target."""
    return value("SELECT phase FROM instance_state", (), None) == HERE.name


def mark_active() -> None:
    """Records that the instance uses the open database."""
    execute("UPDATE instance_state SET move = ?, phase = ?, other = ?, at = ?", HERE)


def home() -> tuple[str, str]:
    """The identities of (the database that last sent webhooks, the open one); "" if unknown."""
    return value("SELECT home FROM instance_state", (), ""), engine.identity(database)


def put_home(identity: str) -> None:
    execute("UPDATE instance_state SET home = ?", (identity,))
