"""What processes of several hosts agree on: the clock of leases, and who does what one of them is to do."""

import contextlib
from collections.abc import Iterator

from storage.database import database, session
from storage.engines.chosen import engine

SWEEP = 1  # a task of which one process at a time is on


def now(own_ms: int) -> int:
    """The instant that leases go by, in milliseconds: the server's, if there is one, else one's own."""
    with session():
        server_ms = engine.now_ms(database)
    return own_ms if server_ms is None else server_ms


@contextlib.contextmanager
def claim_alone(task: int) -> Iterator[bool]:
    """Whether no other process is on a task, by its number; none begins it until the caller's `with` ends.

    On a file, all may do it at once. The caller may open sessions and transactions of its own.
    """
    with engine.alone(database.obj, task) as is_alone:
        yield is_alone
