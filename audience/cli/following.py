"""Waiting for work in a site's queue: an import, or an undo."""

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from audience.access.sites import Site
from audience.cli.progress import progress
from audience.operations import site_lane

POLL_SECONDS = 0.2
STALL_SECONDS = 3.0  # without progress, before the command does the work itself
TURN_SECONDS = 1.0


class Followed(Protocol):
    """Work whose progress is shown: `applied` of its `rows` are done. `finished_at` is None until it ends."""

    @property
    def rows(self) -> int: ...
    @property
    def applied(self) -> int: ...
    @property
    def finished_at(self) -> int | None: ...


F = TypeVar("F", bound=Followed)


def follow(site: Site, step: str, read: Callable[[], F], quiet: bool) -> F:
    """Waits until the work that `read` returns has finished, and returns that work.

    If there is no progress for a few seconds, as without a worker, does the site's work in this process.
    """
    row = read()
    moved, alone = time.monotonic(), False
    with progress(step, row.rows, quiet) as advance:
        advance(row.applied)
        while row.finished_at is None:
            alone = alone or time.monotonic() - moved > STALL_SECONDS
            if not (alone and site_lane.drain(site.id, TURN_SECONDS)):
                time.sleep(POLL_SECONDS)
            before, row = row, read()
            if row.applied > before.applied:
                moved = time.monotonic()
                advance(row.applied - before.applied)
    return row
