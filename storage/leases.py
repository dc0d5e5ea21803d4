"""What processes of several hosts agree on: the clock of leases."""

from storage.database import database, session
from storage.engines.chosen import engine


def now(own_ms: int) -> int:
    """The present of leases, in milliseconds: the server's clock if there is a server, else `own_ms`."""
    with session():
        server_ms = engine.now_ms(database)
    return own_ms if server_ms is None else server_ms
