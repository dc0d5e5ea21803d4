"""Whether the open database is the one that the instance uses."""

from typing import NamedTuple

from storage.database import database, row

LEAVING, LEFT, ARRIVING = "leaving", "left", "arriving"


class Phase(NamedTuple):
    """Of a move, by its mark: `name` is "" for an instance in use; `at` in milliseconds."""

    move: str
    name: str
    other: str
    at: int


HERE = Phase("", "", "", 0)


def phase() -> Phase:
    """In older schemas, too."""
    if not database.table_exists("instance_state"):
        return HERE
    return Phase(*row("SELECT move, phase, other, at FROM instance_state"))
