"""Whether the open database is the one that the instance uses, and not a copy of it."""

from typing import NamedTuple

from storage.database import database, execute, row, value
from storage.engines.chosen import engine

LEAVING, LEFT, ARRIVING = "leaving", "left", "arriving"


class Phase(NamedTuple):
    """The phase of a move, as it is stored. `name` is "" for an instance in use; `at` is in milliseconds."""

    move: str
    name: str
    other: str
    at: int


HERE = Phase("", "", "", 0)


def phase() -> Phase:
    """The phase of a move. Works in a database without tables, too."""
    if not database.table_exists("instance_state"):
        return HERE
    return Phase(*row("SELECT move, phase, other, at FROM instance_state"))


def is_here() -> bool:
    return value("SELECT phase FROM instance_state", (), None) == HERE.name


def home() -> tuple[str, str]:
    """The identity of the database from which webhooks were sent, and that of the open one; "" if unknown."""
    return value("SELECT home FROM instance_state", (), ""), engine.identity(database)


def put_home(identity: str) -> None:
    execute("UPDATE instance_state SET home = ?", (identity,))
