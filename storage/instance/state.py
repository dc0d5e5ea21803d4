"""Whether the instance uses the open database, or has moved to another one."""

from typing import NamedTuple

from storage.database import database, execute, row, value
from storage.engines.chosen import engine

LEAVING, LEFT, ARRIVING = "leaving", "left", "arriving"


class Phase(NamedTuple):
    """The phase of a move, as it is stored. `move` identifies the move, `other` is the URL of the other
    database, and `at` is in milliseconds. `name` is "" while the instance uses this database.
    """

    move: str
    name: str
    other: str
    at: int


HERE = Phase("", "", "", 0)


def phase() -> Phase:
    """The stored phase of a move; `HERE` if the database has no tables yet."""
    if not database.table_exists("instance_state"):
        return HERE
    return Phase(*row("SELECT move, phase, other, at FROM instance_state"))


def is_here() -> bool:
    """Whether no move has begun or ended here: the instance uses the open database."""
    return value("SELECT phase FROM instance_state", (), None) == HERE.name


def home() -> tuple[str, str]:
    """Two identities: of the database from which webhooks were sent, and of the open one. An unknown one is
    "".
    """
    return value("SELECT home FROM instance_state", (), ""), engine.identity(database)


def put_home(identity: str) -> None:
    execute("UPDATE instance_state SET home = ?", (identity,))
