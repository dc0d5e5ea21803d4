"""The backlog of all sites: unfinished imports, and how long the oldest has been queued. Also failed imports,
and undos.
"""

from contextlib import suppress
from dataclasses import dataclass

from audience import clock
from audience.access.sites import Site
from storage import database, jobs, leases
from storage.errors import Unavailable
from storage.imports import imports
from storage.undo import undos


@dataclass(frozen=True)
class Backlog:
    """The unfinished imports of all sites. `rows` is the number of their rows still to write.

    `oldest_seconds` is how long the oldest queued one has waited; 0 if none is queued.
    """

    imports: int
    rows: int
    oldest_seconds: float


@database.session()
def measure(only_site: int | None = None) -> Backlog:
    """Measures the backlog of all sites, or of one."""
    waiting = imports.waiting(only_site)
    queued_at = clock.now_ms() if waiting.oldest_at is None else waiting.oldest_at
    return Backlog(waiting.imports, waiting.rows, max(0.0, (clock.now_ms() - queued_at) / 1000))


def measure_if_known() -> Backlog | None:
    """The backlog of all sites; None while the tables of some do not answer."""
    with suppress(Unavailable):
        return measure()
    return None


@database.session()
def running(site: Site) -> imports.Import | None:
    """The import of a site that is applied now or next; None if no import waits, or an undo is first."""
    waiting = jobs.first_in_order(site.id)
    return imports.get(site.id, waiting[1]) if waiting and waiting[0] == imports.JOB else None


@database.session()
def failed_imports(only_site: int | None = None) -> list[imports.FailedImport]:
    """The failed imports of all sites, or of one, oldest first."""
    return imports.list_failed(only_site)


@database.session()
def undo_statuses(site: Site) -> dict[int, str]:
    """The status of the undos of a site's imports, by import id."""
    return undos.statuses(site.id, "import")


@database.session()
def failed_undos(only_site: int | None = None) -> list[undos.FailedUndo]:
    """The failed undos of all sites, or of one, oldest first."""
    return undos.list_failed(only_site)


@database.session()
def count_abandoned(only_site: int | None = None) -> int:
    """The number of jobs of all sites, or of one, with an expired lease: their worker died."""
    return jobs.count_abandoned(only_site, leases.now(clock.uptime_ms()))
