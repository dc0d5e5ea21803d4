"""Whether the open database is the one that the instance uses, and not a copy of it."""

from typing import NamedTuple

from storage.database import database, execute, row, value
from storage.engines.chosen import engine

LEAVING, LEFT, ARRIVING = "leaving", "left", "arriving"


class Phase(NamedTuple):
    """Of a move, by its mark: `name` is "" for an instance in use; `at` in milliseconds."""

    move: str
    name: str
    other: str
    at: int


HERE = Phase("", "", "", 0)


def phase() -> Phase:
    """In a database without tables, too."""
    if not database.table_exists("instance_state"):
        return HERE
    return Phase(*row("SELECT move, phase, other, at FROM instance_state"))


def is_here() -> bool:
    return value("SELECT phase FROM instance_state", (), None) == HERE.name


def home() -> tuple[str, str]:
    """(the identity of the database that was home, that of the open one); "" where it is not known."""
    return value("SELECT home FROM instance_state", (), ""), engine.identity(database)


def put_home(identity: str) -> None:
    execute("UPDATE instance_state SET home = ?", (identity,))
