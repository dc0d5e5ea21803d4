"""The backlog: unfinished imports of all sites, and how long the oldest has been queued."""

from dataclasses import dataclass

from audience import change_log_replay, clock
from audience.sites import Site
from storage import database, imports
from storage.errors import StatementError, Unavailable, Unusable

DAY_MS = 86_400_000


@dataclass(frozen=True)
class Backlog:
    """`rows` are those not written yet; `oldest_seconds` is 0 unless an import is queued."""

    imports: int
    rows: int
    oldest_seconds: float


@database.session()
def measure() -> Backlog:
    waiting = imports.waiting()
    queued_at = clock.now_ms() if waiting.oldest_at is None else waiting.oldest_at
    return Backlog(waiting.imports, waiting.rows, max(0.0, (clock.now_ms() - queued_at) / 1000))


@database.session()
def running(site: Site) -> imports.Import | None:
    """The import of a site that is being applied, or whose turn it is."""
    import_id = imports.oldest_waiting(site.id)
    return None if import_id is None else imports.get(site.id, import_id)


def gauges() -> dict[str, float]:
    """For /metrics; empty while the database is unavailable."""
    try:
        backlog = measure()
        written, oldest_at = change_log_replay.size()
    except (StatementError, Unavailable, Unusable):
        return {}
    age_ms = 0 if oldest_at is None else max(0, clock.now_ms() - oldest_at)
    return {
        "imports_waiting": backlog.imports,
        "import_rows_waiting": backlog.rows,
        "import_oldest_waiting_seconds": backlog.oldest_seconds,
        "change_log_bytes": written,
        "change_log_days": age_ms / DAY_MS,
    }
