"""Whether this instance can do its work: a table of checks, each of which says what is wrong, or nothing."""

import shutil
from collections.abc import Callable

from audience import clock
from audience.config import Settings
from audience.ports import Vitals
from storage import database
from storage import health as stored
from storage.errors import Mistaken, Unavailable, Unusable

WORKER_SILENT = 30.0  # seconds; a worker shows itself every two
NO_ANSWER = "The database does not answer."
NO_DATABASE = (Unavailable, Mistaken, Unusable)  # away, not of this shape, or damaged

Check = Callable[[Settings, Vitals], str | None]


@database.session()
def database_answers(_settings: Settings, _vitals: Vitals) -> str | None:
    return None if stored.answers() else NO_ANSWER


def migrated(_settings: Settings, _vitals: Vitals) -> str | None:
    if database.unknown():
        return "The database is newer than this Audience: upgrade Audience."
    return "Migrations are pending: run `audience migrate`." if database.pending() else None


def redis(_settings: Settings, vitals: Vitals) -> str | None:
    return None if vitals.redis_answers() else "Redis does not answer."


def worker(_settings: Settings, vitals: Vitals) -> str | None:
    age = vitals.worker_age()
    if age is None:
        return "No import worker has shown itself yet."
    return f"No import worker has shown itself for {age:.0f} seconds." if age > WORKER_SILENT else None


@database.session()
def imports(settings: Settings, _vitals: Vitals) -> str | None:
    age = _age(stored.waiting().oldest_at)
    if age > settings.ready_import_age:
        return f"An import has waited for {age:.0f} seconds."
    return None


def disk(settings: Settings, _vitals: Vitals) -> str | None:
    free = shutil.disk_usage(settings.instance).free
    return f"Only {free} bytes of the disk are free." if free < settings.ready_disk_bytes else None


CHECKS: dict[str, Check] = {
    "database": database_answers,
    "migrations": migrated,
    "redis": redis,
    "worker": worker,
    "imports": imports,
    "disk": disk,
}


def problems(settings: Settings, vitals: Vitals) -> dict[str, str | None]:
    """What is wrong, by check; None where all is well."""
    return {name: _problem(check, settings, vitals) for name, check in CHECKS.items()}


def _problem(check: Check, settings: Settings, vitals: Vitals) -> str | None:
    try:
        return check(settings, vitals)
    except NO_DATABASE:
        return NO_ANSWER
    except OSError:
        return "The disk does not answer."


def gauges(vitals: Vitals) -> dict[str, float]:
    """What waits now, for /metrics; ages in seconds. Without the database, only what is known without it."""
    age = vitals.worker_age()
    found = {} if age is None else {"worker_age_seconds": age}
    try:
        with database.session():
            waiting = stored.waiting()
    except NO_DATABASE:
        return found
    return found | {
        "imports_waiting": waiting.imports,
        "import_rows_waiting": waiting.rows,
        "import_oldest_waiting_seconds": _age(waiting.oldest_at),
    }


def _age(at: int | None) -> float:
    return 0.0 if at is None else max(0.0, (clock.now() - at) / 1000)
