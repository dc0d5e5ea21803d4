"""Numbers of a whole instance that go up and down."""

from audience import clock
from audience.access import sites
from audience.clock import DAY_MS
from audience.config import Settings
from audience.imports import backlog
from audience.operations import change_log_replay, kept_backups
from audience.sign_ups import sign_ups
from audience.webhooks import webhooks
from storage.errors import StatementError, Unavailable, Unusable

SUMS = {"imports_waiting", "import_rows_waiting", "change_log_bytes", "webhooks_paused"}  # else the highest


def read(settings: Settings) -> dict[str, float]:
    """The values for /metrics, by name; sites whose tables do not answer are left out.

    While the database is unavailable, only the age of the newest backup is returned.
    """
    backup_age = {"backup_age_seconds": kept_backups.age_ms(settings) / 1000} if settings.backup_at else {}
    try:
        answers, _ = sites.each_answering(_measure)
    except (StatementError, Unavailable, Unusable):
        return backup_age
    names = answers[0] if answers else ()
    return backup_age | {
        name: (sum if name in SUMS else max)(answer[name] for answer in answers) for name in names
    }


def _measure(only_site: int | None) -> dict[str, float]:
    """The values of all sites together, or of one. Raises `Unavailable`."""
    waiting = backlog.measure(only_site)
    log_bytes, oldest_at = change_log_replay.size(only_site)
    age_ms = 0 if oldest_at is None else max(0, clock.now_ms() - oldest_at)
    return {
        "imports_waiting": waiting.imports,
        "import_rows_waiting": waiting.rows,
        "import_oldest_waiting_seconds": waiting.oldest_seconds,
        "change_log_bytes": log_bytes,
        "change_log_days": age_ms / DAY_MS,
        "webhooks_paused": sum(webhooks.count_paused(only_site).values()),
        "webhook_changes_waiting": webhooks.largest_backlog(only_site),
        "confirmation_oldest_waiting_seconds": sign_ups.oldest_waiting_seconds(only_site),
    }
