"""The clock of leases, on which the processes of all hosts agree."""

from storage.database import database, session
from storage.engines.chosen import engine


def now(own_ms: int) -> int:
    """The clock of leases, in milliseconds: that of the database server or, without one, `own_ms`."""
    with session():
        server_ms = engine.now_ms(database)
    return own_ms if server_ms is None else server_ms
