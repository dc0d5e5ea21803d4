"""The table of probes, and its two runners: `audience doctor` runs all, /readyz those with `ready`."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from enum import Enum, auto

from audience.access import sites
from audience.answers.service import Answers
from audience.config import SettingError, Settings
from audience.errors import AudienceError
from audience.operations import doctor, doctor_database, health, instance_files
from audience.operations.diagnostics import Check, Context, Finding, State, bad, ok, warn
from audience.protocols import Processes
from storage import database
from storage.errors import StatementError, Unavailable, Unusable
from storage.instance import doctor as stored

DATABASE_ERRORS = (StatementError, Unavailable, Unusable)
NO_DATABASE_YET = "none yet: `audience serve` creates it"
SILENT = "the tables of these sites do not answer: {}"
READY_SECONDS = 1.0  # after which /readyz asks no further sites, if the tables of some do not answer
PARTLY = "the tables of some sites do not answer: their requests and imports wait, those of others continue"
PROBE_ERRORS = (*DATABASE_ERRORS, SettingError, AudienceError, OSError)
Explain = Callable[["Probe", Exception], Finding]


class Needs(Enum):
    """The state of the database that a probe needs."""

    NOTHING = auto()
    SESSION = auto()
    MIGRATED = auto()  # a session on a database without pending or unknown migrations


@dataclass(frozen=True)
class Probe:
    """A probe of an instance. `audience doctor` runs `examine`, and /readyz runs `ready`, if given.

    With `only_warns`, /readyz shows the warnings of the probe, and never fails because of it.
    """

    name: str
    examine: Check
    needs: Needs = Needs.NOTHING
    ready: Check | None = None
    only_warns: bool = False


PROBES = (  # doctor's findings are grouped by what a probe needs; those of /readyz are in this order
    Probe("versions", doctor.versions),
    Probe("settings", doctor.settings),
    Probe("sqlite", doctor.engine),
    Probe("database", doctor_database.integrity, Needs.SESSION, ready=health.database_answers),
    Probe("migrations", health.migrations, Needs.SESSION, ready=health.migrations),
    Probe("files", instance_files.examine, Needs.SESSION, ready=instance_files.examine),
    Probe("redis", health.redis, ready=health.redis),
    Probe("worker", health.worker, ready=health.worker),
    Probe("permissions", doctor.permissions),
    Probe("erasures", doctor.logged_erasures, Needs.MIGRATED),
    Probe("clock", doctor_database.system_clock, Needs.MIGRATED),
    Probe("console", doctor_database.console, Needs.MIGRATED),
    Probe("links", doctor_database.links, Needs.MIGRATED),
    Probe("imports", doctor_database.unfinished_imports, Needs.MIGRATED, ready=health.oldest_import),
    Probe("jobs", doctor_database.failed_jobs, Needs.MIGRATED),
    Probe("disk", health.disk, ready=health.disk),
    Probe("disk", doctor.room_for_backup),
    Probe("backups", health.backups, ready=health.backups, only_warns=True),
    Probe("tables", doctor.tables_in_effect),
    Probe("dns", doctor.dns, ready=health.dns, only_warns=True),
    Probe("providers", doctor.providers, ready=health.zones, only_warns=True),
    Probe("mail", doctor.mail),
    Probe("webhooks", health.check_webhooks, Needs.MIGRATED, ready=health.check_webhooks, only_warns=True),
    Probe("confirmations", health.confirmations, Needs.MIGRATED, ready=health.confirmations, only_warns=True),
    Probe("proxies", health.proxies, Needs.MIGRATED, ready=health.proxies, only_warns=True),
    Probe("counters", doctor_database.counters, Needs.MIGRATED),
    Probe("values", doctor_database.derived_values, Needs.MIGRATED),
    Probe("tags", doctor_database.compared_tags, Needs.MIGRATED),
    Probe("schemes", doctor_database.first_scheme, Needs.MIGRATED),
    Probe("changes", doctor_database.record_of_changes, Needs.MIGRATED),
)


def examine(context: Context, open_database: Callable[[Settings], None]) -> Iterator[Finding]:
    """The findings of `audience doctor`. `open_database` opens the database without migrating it."""
    yield from _examine(context, Needs.NOTHING)
    if stored.is_missing(context.settings.database):
        yield from list(instance_files.find_lost(context.settings)) or [ok("database", NO_DATABASE_YET)]
    elif context.settings.allow_faulty_sqlite or not stored.engine_fault(context.settings.database):
        open_database(context.settings)
        yield from _examine(context, Needs.SESSION)
        if _is_migrated():
            yield from _examine(context, Needs.MIGRATED)


def examine_running(context: Context) -> Iterator[Finding]:
    """The findings of all probes in a running service, whose database is open."""
    for needs in Needs:
        yield from _examine(context, needs)


def _examine(context: Context, needs: Needs) -> Iterator[Finding]:
    for probe in PROBES:
        if probe.needs is needs:
            yield from _run(probe, probe.examine, context, _private)


def _is_migrated() -> bool:
    try:
        return database.migrations() == ([], "")
    except DATABASE_ERRORS:
        return False


@dataclass(frozen=True)
class Readiness:
    """The result of the probes of /readyz. `problems` has, by name of the probe, its sentences or None.

    `warnings` are sentences.
    """

    problems: dict[str, str | None]
    warnings: list[str]


def readiness(settings: Settings, processes: Processes, answers: Answers) -> Readiness:
    """The result of the probes of /readyz; `answers` are those of this web process."""
    context = Context(settings, processes, in_service=True, answers=answers)
    until = time.monotonic() + READY_SECONDS
    findings: dict[Probe, list[Finding]] = {}
    for probe in PROBES:
        if probe.ready:
            is_partly = any(finding.found == PARTLY for found in findings.values() for finding in found)
            if is_partly and probe.needs is Needs.MIGRATED and time.monotonic() > until:
                findings[probe] = [warn(probe.name, PARTLY)]
            else:
                findings[probe] = _run(probe, probe.ready, context, _public, until)
    return Readiness(
        {
            probe.name: " ".join(_sentences(results, State.BAD)) or None
            for probe, results in findings.items()
            if not probe.only_warns
        },
        list(
            dict.fromkeys(
                sentence for results in findings.values() for sentence in _sentences(results, State.WARN)
            )
        ),
    )


def _sentences(findings: list[Finding], state: State) -> list[str]:
    return [finding.sentence for finding in findings if finding.state is state]


def _private(probe: Probe, error: Exception) -> Finding:
    return bad(probe.name, str(error))


def _public(probe: Probe, error: Exception) -> Finding:
    """A finding without the error's message, which may contain a path.

    Only a warning if tables of sites do not answer: the probe `database` tells whether any table does.
    """
    if isinstance(error, Unavailable) and probe.needs is Needs.MIGRATED:
        return warn(probe.name, PARTLY)
    part = "database" if isinstance(error, DATABASE_ERRORS) else "disk"
    return bad(probe.name, f"the {part} does not answer")


def _run(
    probe: Probe, check: Check, context: Context, explain: Explain, until: float = math.inf
) -> list[Finding]:
    """The findings of a probe. If the tables of some sites do not answer, those of the others, and that.

    Asks sites one by one up to `until`, an instant of `time.monotonic`.
    """
    try:
        if probe.needs is Needs.MIGRATED:
            return _run_on_sites(probe, check, context, explain, until)
        with nullcontext() if probe.needs is Needs.NOTHING else database.session():
            return list(check(context))
    except PROBE_ERRORS as error:
        return [explain(probe, error)]


def _run_on_sites(
    probe: Probe, check: Check, context: Context, explain: Explain, until: float
) -> list[Finding]:
    def examine_site(only_site: int | None) -> tuple[int | None, list[Finding]]:
        if only_site is not None and time.monotonic() > until:
            raise Unavailable(PARTLY)
        with database.session():
            return only_site, list(check(replace(context, only_site=only_site)))

    answers, silent = sites.each_answering(examine_site, database.SHARED)
    findings = list(dict.fromkeys(finding for _, found in answers for finding in found))
    if silent:
        answered = {site_id for site_id, _ in answers}
        names = ", ".join(site.uuid for site in sites.list_all() if site.id not in answered)
        findings.append(explain(probe, Unavailable(SILENT.format(names))))
    return findings
