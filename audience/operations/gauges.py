"""Numbers of a whole instance that go up and down."""

from audience import clock
from audience.clock import DAY_MS
from audience.config import Settings
from audience.imports import backlog
from audience.operations import change_log_replay, kept_backups
from audience.sign_ups import sign_ups
from audience.webhooks import webhooks
from storage.errors import StatementError, Unavailable, Unusable


def read(settings: Settings) -> dict[str, float]:
    """The values for /metrics. While the database is unavailable, only the age of the newest backup."""
    backup_age = {"backup_age_seconds": kept_backups.age_ms(settings) / 1000} if settings.backup_at else {}
    try:
        waiting = backlog.measure()
        log_bytes, oldest_at = change_log_replay.size()
        waiting_seconds = sign_ups.oldest_waiting_seconds()
        paused, behind = webhooks.count_paused(), webhooks.most_behind()
    except (StatementError, Unavailable, Unusable):
        return backup_age
    age_ms = 0 if oldest_at is None else max(0, clock.now_ms() - oldest_at)
    return backup_age | {
        "imports_waiting": waiting.imports,
        "import_rows_waiting": waiting.rows,
        "import_oldest_waiting_seconds": waiting.oldest_seconds,
        "change_log_bytes": log_bytes,
        "change_log_days": age_ms / DAY_MS,
        "webhooks_paused": sum(paused.values()),
        "webhook_changes_waiting": behind,
        "confirmation_oldest_waiting_seconds": waiting_seconds,
    }
