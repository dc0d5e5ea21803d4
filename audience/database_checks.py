"""What `audience doctor` looks at in the database; each check runs in a session of its own."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from audience import clock, imports, sites, stats
from audience.findings import Case, Finding, bad, ok, size, warn
from storage import database
from storage import doctor as stored
from storage import health as stored_health

WAL_LARGE = 256 * 2**20
WAITS_LONG = 60.0  # seconds
SKEW = 60_000  # milliseconds
BUILT = 1_767_225_600_000  # 2026-01-01: no clock is right that shows an earlier day


def health(case: Case) -> Iterator[Finding]:
    if fault := stored.fault():
        yield bad("database", f"damaged: {fault}", "Stop the service and restore a backup.")
        return
    pages = stored.pages()
    free = 100 * pages.free // max(pages.total, 1)
    yield ok("database", f"{size(pages.size * pages.total)}, whole, {free} % of it free")
    for name, value in stored.deviations().items():
        yield bad("database", f"{name} is {value}", "Nothing but Audience must change the database.")
    log = Path(f"{case.database_file}-wal")
    written = log.stat().st_size if log.exists() else 0
    if written > WAL_LARGE:
        advice = (
            "Something reads for very long and keeps it from being emptied: end it, or restart the service."
        )
        yield warn("database", f"write-ahead log of {size(written)}", advice)


def migrations(_: Case) -> Iterator[Finding]:
    if newer := database.unknown():
        yield bad("migrations", f"the database is newer: {', '.join(newer)}", "Upgrade Audience.")
    elif pending := database.pending():
        yield warn("migrations", f"pending: {', '.join(pending)}", "audience migrate")
    else:
        yield ok("migrations", "up to date")


def right_time(_: Case) -> Iterator[Finding]:
    now, newest = clock.now(), stored.newest_instant()
    shown = datetime.fromtimestamp(now / 1000, UTC).isoformat(timespec="seconds")
    if now < max(BUILT, newest - SKEW):
        yield bad(
            "clock", f"{shown} is in the past of what is stored", "Set the clock; keep it right by NTP."
        )
    else:
        yield ok("clock", shown)


def queue(case: Case) -> Iterator[Finding]:
    for given_up in imports.failed():
        yield warn(
            "imports",
            f"import {given_up.id} of site {given_up.site_uuid} failed five times, at row {given_up.applied} "
            f"of {given_up.rows}; its rows are kept",
            f"Find out why from the worker's log, then: audience imports retry {given_up.id}",
        )
    waiting = stored_health.waiting()
    age = (clock.now() - waiting.oldest_at) / 1000 if waiting.oldest_at else 0.0
    found = f"{waiting.imports} wait, {waiting.rows} rows, the oldest for {age:.0f} s"
    if abandoned := imports.abandoned():
        found += f"; {abandoned} left by a worker that died, to be taken up again"
    if age > WAITS_LONG and not case.serving:
        yield warn("imports", found, "They are drained as soon as `audience serve` runs.")
    elif age > WAITS_LONG:
        yield warn(
            "imports", found, "The worker is behind, or stuck: see its log; AUDIENCE_WORKERS adds more."
        )
    else:
        yield ok("imports", found)


def counters(case: Case) -> Iterator[Finding]:
    if not case.recount:
        return
    for site in sites.every():
        kept, counted = stats.checked(site)
        if kept != counted and case.fix:
            stats.mend(site)
            kept = counted
        shown = f"site {site.uuid}: {kept.users} people, {kept.unsubscribers} unsubscribed"
        if kept == counted:
            yield ok("counters", shown)
        else:
            found = f"{shown} are kept, {counted.users} and {counted.unsubscribers} are there"
            yield bad("counters", found, "audience doctor --recount --fix")
