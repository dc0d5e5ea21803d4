"""What is wrong with an instance, and what to do about it: a table of checks, each of which finds things."""

import platform
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path

from audience import clock
from audience.checks import blacklist, geolocation, tables
from audience.config import SettingError
from audience.database_checks import counters, health, migrations, queue, right_time
from audience.errors import AudienceError
from audience.findings import Case, Finding, bad, ok, size, warn
from audience.judges import Judges
from storage import database
from storage.errors import Mistaken, Unavailable, Unusable

DISK_LOW = 2**30
DISK_FULL = 200 * 2**20
SILENT = 30.0  # seconds; a worker shows itself every two
PROBE_WITHIN = 5.0  # seconds
SECRETS = ("pepper", "first-site.json", "config.toml", "erasures.log")


Check = Callable[[Case], Iterable[Finding]]


def examine(case: Case) -> Iterator[Finding]:
    """Every finding, as it is made; those of the contents where the database is up to date."""
    for name, check in INSTANCE.items():
        yield from _findings(name, check, case)
    if not case.database_file.exists():
        yield ok("database", "none yet: `audience serve` makes it")
        return
    if database.faulty() and not case.settings.allow_faulty_sqlite:
        return
    case.connect()
    for name, check in DATABASE.items():
        yield from _findings(name, check, case, database.session())
    if up_to_date():
        for name, check in CONTENTS.items():
            yield from _findings(name, check, case, database.session())


def up_to_date() -> bool:
    try:
        return not database.pending() and not database.unknown()
    except (Mistaken, Unavailable, Unusable):
        return False


def _findings(
    name: str, check: Check, case: Case, within: AbstractContextManager[None] | None = None
) -> list[Finding]:
    try:
        with within or nullcontext():
            return list(check(case))
    except (Mistaken, Unavailable, Unusable, SettingError, AudienceError, OSError) as error:
        return [bad(name, str(error))]


def versions(_: Case) -> Iterator[Finding]:
    ours = f"Audience {version('audience')}, Python {platform.python_version()}, granian {version('granian')}"
    yield ok("versions", ours)


def sqlite(case: Case) -> Iterator[Finding]:
    found = f"SQLite {database.sqlite_version()}"
    if not database.faulty():
        yield ok("sqlite", found)
        return
    state = warn if case.settings.allow_faulty_sqlite else bad
    yield state("sqlite", f"{found} has the WAL-reset fault", "Install the package pysqlite3.")


def redis(case: Case) -> Iterator[Finding]:
    queue = case.processes.queue()
    if queue.trouble and not case.settings.redis_url and not case.serving:
        yield ok("redis", "embedded, not running: `audience serve` starts it")
    elif queue.trouble:
        advice = (
            "Imports are accepted and drained all the same, but slower. Look into instance/redis/server.log."
        )
        yield bad("redis", f"does not answer ({queue.trouble})", advice)
    else:
        state = ok if queue.evicts == "noeviction" else warn
        yield state("redis", f"{queue.version}, {queue.keeps}, eviction policy {queue.evicts}")


def worker(case: Case) -> Iterator[Finding]:
    age = case.processes.worker_age()
    if age is not None and age < SILENT:
        yield ok("worker", f"alive {age:.0f} s ago")
    elif case.serving:
        yield bad(
            "worker", "no import worker shows itself", "Look at what `audience serve` prints; restart it."
        )
    else:
        yield ok("worker", "not running")


def permissions(case: Case) -> Iterator[Finding]:
    folder = case.settings.instance
    if not folder.is_dir():
        yield ok("permissions", f"no folder {folder} yet")
        return
    database_files = (case.database_file, Path(f"{case.database_file}-wal"))
    loose = [
        each for each in (*(folder / name for name in SECRETS), *database_files) if _open_to_others(each)
    ]
    if case.fix:
        for path in [*loose, folder]:
            path.chmod(path.stat().st_mode & ~0o077)
        loose = []
    for path in loose:
        yield bad("permissions", f"{path} can be read by others", f"chmod 600 {path}, or --fix")
    if _open_to_others(folder):
        yield warn("permissions", f"{folder} can be entered by others", f"chmod 700 {folder}, or --fix")
    elif not loose:
        yield ok("permissions", f"{folder} is private")


def _open_to_others(path: Path) -> bool:
    return path.exists() and bool(path.stat().st_mode & 0o077)


def disk(case: Case) -> Iterator[Finding]:
    folder = next(each for each in (case.settings.instance, *case.settings.instance.parents) if each.exists())
    free = shutil.disk_usage(folder).free
    needed = 2 * case.database_file.stat().st_size if case.database_file.exists() else 0
    if free < DISK_FULL:
        yield bad("disk", f"{size(free)} free", "Make room: without it nothing can be written.")
    elif free < max(DISK_LOW, needed):
        yield warn("disk", f"{size(free)} free", "Make room: a backup takes twice the database.")
    else:
        yield ok("disk", f"{size(free)} free")


def bundled_tables(case: Case) -> Iterator[Finding]:
    today = datetime.fromtimestamp(clock.now() / 1000, UTC).date()
    for table in tables.bundled():
        yield _age(table, today)
    yield ok("tables", f"{geolocation.ATTRIBUTION} ({geolocation.ATTRIBUTION_URL})")
    if case.settings.geo_database:
        yield ok("tables", f"geo: replaced by {case.settings.geo_database}")


def _age(table: tables.BundledTable, today: date) -> Finding:
    found = f"{table.folder}: {table.source}, {table.made}"
    if table.stale_after is None or today <= table.stale_after:
        return ok("tables", found)
    return warn("tables", found, "Upgrade Audience, or run `make tables`.")


def providers(case: Case) -> Iterator[Finding]:
    if case.offline:
        yield ok("providers", "not asked")
        return
    judges = Judges(case.settings)
    asked = blacklist.probe(judges.providers, judges.resolver, PROBE_WITHIN)
    if asked and not any(each.works for each in asked):
        advice = "Does this machine reach the DNS? AUDIENCE_DNS_SERVERS names resolvers."
        yield warn("providers", f"none of {len(asked)} blacklists answers as it should", advice)
    for each in asked:
        name = f"{each.flag} ({each.asks}, {each.zone})"
        if each.works:
            yield ok("providers", f"{name} answers as it should")
        else:
            yield warn(
                "providers", f"{name} {each.trouble}", "docs/answers/blacklist.md says what that means."
            )


INSTANCE: dict[str, Check] = {
    "versions": versions,
    "sqlite": sqlite,
    "redis": redis,
    "worker": worker,
    "permissions": permissions,
    "disk": disk,
    "tables": bundled_tables,
    "providers": providers,
}
DATABASE: dict[str, Check] = {"database": health, "migrations": migrations}
CONTENTS: dict[str, Check] = {"clock": right_time, "imports": queue, "counters": counters}
