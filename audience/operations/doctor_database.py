"""The checks of the database that only `audience doctor` runs, each in a session of its own."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from audience import clock, jobs
from audience.access import operators, site_keys, sites
from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.imports import backlog
from audience.links.links import Links
from audience.looks import looks
from audience.operations import change_log_replay
from audience.operations.diagnostics import Context, Finding, bad, ok, size, warn
from audience.operations.health import oldest_import, write_ahead_log
from audience.subscribers import field_values, stats, tags
from storage.instance import doctor as stored

REPAIR = "Run `audience doctor --recount --fix`."
TWINS = (
    "Searches treat these tags as one, so you may keep them. To merge them, search by `tag_ids` for "
    "subscribers with the second tag, and add the tag to them by its name: they get the first one. Then "
    "remove the second tag with DELETE /v1/fetch/tags/ID."
)
MOST_TWINS = 5  # that are named
OWN_NAME = "give the pages their own host name in Settings, Pages and mail: the console does not answer there"
TWO_FACTOR = (
    "Anybody who knows such an operator's password can set it up instead: remind these operators, "
    "or run `audience operator remove EMAIL`."
)
CLOCK_SKEW_MS = 60_000
MIN_NOW_MS = 1_767_225_600_000  # 2026-01-01: an earlier clock is wrong


def _sites(context: Context) -> list[Site]:
    """The sites to examine. 0, in place of a site, is for rows of no site."""
    if context.only_site is None:
        return sites.list_all()
    return [sites.get(context.only_site)] if context.only_site else []


def integrity(_: Context) -> Iterator[Finding]:
    """Reports faults of the database, its size, and settings that another program has changed."""
    if fault := stored.fault():
        yield bad("database", f"damaged: {fault}", "Stop the service and restore a backup.")
        return
    pages = stored.pages()
    condition = (
        "" if pages.free is None else f", intact, {100 * pages.free // max(pages.total, 1)} % of it free"
    )
    yield ok("database", f"{size(pages.size * pages.total)}{condition}")
    for name, value in stored.deviations().items():
        yield bad("database", f"{name} is {value}", "Let no other program than Audience change the database.")
    for note, advice in (*stored.notes(), *stored.nodes()):
        yield warn("database", note, advice) if advice else ok("database", note)
    yield from write_ahead_log()


def system_clock(context: Context) -> Iterator[Finding]:
    """Whether the clock is behind the newest stored record."""
    now_ms = clock.now_ms()
    shown = datetime.fromtimestamp(now_ms / 1000, UTC).isoformat(timespec="seconds")
    if now_ms < max(MIN_NOW_MS, stored.newest_instant(context.only_site) - CLOCK_SKEW_MS):
        yield bad(
            "clock",
            f"{shown} is earlier than the newest stored record",
            "Set the clock of this machine; use NTP.",
        )
    else:
        yield ok("clock", shown)


def console(context: Context) -> Iterator[Finding]:
    settings, accounts = context.settings, operators.list_all()
    if settings.public_url and settings.console_url != settings.base_url:
        advice = (
            "Other machines can use the console only over HTTPS: set AUDIENCE_PUBLIC_URL to an https:// "
            "address."
        )
        yield warn("console", f"answers at {settings.console_url}/console only", advice)
    without = [operator.email or operators.FIRST for operator, _ in accounts if not operator.two_factor]
    if settings.require_two_factor and without:
        found = f"two-factor sign-in is required, and not set up by {', '.join(without)}"
        yield warn("console", found, TWO_FACTOR)
    if accounts and not any(operator.administrator for operator, _ in accounts):
        advice = "Run `audience operator role EMAIL administrator`."
        yield warn("console", "no operator is an administrator", advice)
    else:
        yield ok("console", f"operators: {len(accounts)}")


def links(context: Context) -> Iterator[Finding]:
    """Reports where the links of each site lead."""
    for site in _sites(context):
        own, note = looks.get(site).base_url, Links(site, context.settings.base_url).note
        where = f"links of site {site.uuid} begin with {own or context.settings.base_url}"
        if note:
            yield warn("links", where, note)
        else:
            advice = "" if own else f", where the console answers, too: {OWN_NAME}"
            yield ok("links", f"{where}{advice}")


def unfinished_imports(context: Context) -> Iterator[Finding]:
    """Reports failed imports and undos, and the age of the oldest import that waits."""
    for failed in backlog.failed_imports(context.only_site):
        yield warn(
            "imports",
            f"import {failed.id} of site {failed.site_uuid} failed five times, at row {failed.applied} "
            f"of {failed.rows}; its rows are kept",
            f"Find the cause in the worker's log, then run `audience imports retry {failed.id}`.",
        )
    for undo in backlog.failed_undos(context.only_site):
        source = f"{undo.source.replace('_', ' ')} {undo.source_id} of site {undo.site_uuid}"
        yield warn(
            "imports",
            f"undoing {source} failed five times, after {undo.applied} of {undo.rows} people",
            "Find the cause in the worker's log, then request the undo again: it continues.",
        )
    unfinished = backlog.measure(context.only_site)
    sentence = f"unfinished imports: {unfinished.imports} ({unfinished.rows} rows)"
    if abandoned := backlog.count_abandoned(context.only_site):
        sentence += f", {abandoned} of them interrupted and to be resumed"
    for oldest in oldest_import(context):
        yield replace(oldest, found=f"{sentence}; {oldest.found}")


def failed_jobs(context: Context) -> Iterator[Finding]:
    failed = jobs.list_failed(context.only_site)
    given_up = sum(job.status == "failed" for job in failed)
    if failed:
        sentence = f"failed: {len(failed)}; {given_up} of them were given up, the others will be tried again"
        yield warn(
            "jobs", sentence, "`audience jobs list` says why; `audience jobs retry ID` tries a job again."
        )
    else:
        yield ok("jobs", "none has failed")


def counters(context: Context) -> Iterator[Finding]:
    """Compares each site's counters with a count of its subscribers. `--fix` corrects them."""
    if not context.recount:
        return
    for site in _sites(context):
        stored_counts, counted = stats.stored_and_counted(site)
        if stored_counts != counted and context.fix:
            stats.repair(site)
            stored_counts = counted
        sentence = (
            f"site {site.uuid}: {stored_counts.users} subscribers, {stored_counts.unsubscribers} unsubscribed"
        )
        if stored_counts == counted:
            yield ok("counters", sentence)
        else:
            sentence += f" by its counters, {counted.users} and {counted.unsubscribers} by counting"
            yield bad("counters", sentence, REPAIR)


def derived_values(context: Context) -> Iterator[Finding]:
    """Checks what is derived from subscribers: counters of tags, domains and values for segments."""
    for site in _sites(context) if context.recount else ():
        wrong, total = field_values.differing(site)
        miscounted = stats.wrong_counters(site)
        if context.fix and (wrong or miscounted):
            field_values.rebuild(site)
            stats.repair(site)
            wrong, total = field_values.differing(site)
            miscounted = stats.wrong_counters(site)
        sentence = f"site {site.uuid}: {wrong} of {total} subscribers have wrong values for segments"
        yield bad("values", sentence, REPAIR) if wrong else ok("values", sentence)
        for counted in miscounted:
            yield bad("values", f"site {site.uuid}: {counted} have wrong counts", REPAIR)


def compared_tags(context: Context) -> Iterator[Finding]:
    for site in _sites(context):
        if twins := tags.list_twins(site):
            named = [f"{older.id} {json.dumps(older.name)} and {twin.id} {json.dumps(twin.name)}"
                     for older, twin in twins[:MOST_TWINS]]  # fmt: skip
            more = f" and {len(twins) - MOST_TWINS} more" if len(twins) > MOST_TWINS else ""
            sentence = f"tags that differ only by blanks or invisible characters: {', '.join(named)}{more}"
            yield warn("tags", f"site {site.uuid}: {sentence}", TWINS)
        else:
            yield ok("tags", f"site {site.uuid}: no two differ only by blanks or invisible characters")


def first_scheme(context: Context) -> Iterator[Finding]:
    """Counts the hashes, webhook secrets and API keys from before sites had keys.

    Hashes and keys are renewed when used; a webhook's secret is not, as the receiver has it.
    """
    counts = stored.count_first_scheme(site_keys.SECOND, context.only_site)
    if any(counts):
        sentence = (
            "from before sites had keys: {} hashes of addresses, {} webhook secrets, {} API keys".format(
                *counts
            )
        )
        yield ok("schemes", sentence)


def record_of_changes(context: Context) -> Iterator[Finding]:
    """Reports the size of the record of changes, and replays a sample of it for each site."""
    log_bytes, oldest_at = change_log_replay.size(context.only_site)
    days = 0 if oldest_at is None else max(0, clock.now_ms() - oldest_at) // DAY_MS
    size_text = f"{size(log_bytes)} of the last {days} days, kept for {context.settings.changes_days}"
    yield ok("changes", size_text)
    for site in _sites(context):
        wrong, total = change_log_replay.differing(site)
        sentence = f"site {site.uuid}: {wrong} of {total} subscribers differ from the record of changes"
        subject = "1 person is" if total == 1 else f"{total} people are"
        if wrong:
            yield bad("changes", sentence, "Export the site again to every program that follows the record.")
        else:
            yield ok("changes", f"site {site.uuid}: {subject} as the record of changes says")
