"""The checks of an instance that only `audience doctor` runs."""

import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from audience import clock
from audience.answers import tables
from audience.answers.blacklist import zone_tests
from audience.answers.geolocation import geolocation
from audience.answers.service import Answers
from audience.erasures import log as erasure_log
from audience.mail.relay import Relay
from audience.operations import backups, health, table_renewal
from audience.operations.diagnostics import Context, Finding, bad, ok, size, warn
from storage.instance import doctor as stored

PROVIDERS_TIMEOUT_SECONDS = 5.0
DNS_ADVICE = "Set working servers in AUDIENCE_DNS_SERVERS. See docs/answers/validation.md."
SECRETS = ("pepper", "first-site.json", "config.toml", erasure_log.LOG)
MAIL_ADVICE = (
    "No confirmation goes out: see AUDIENCE_SMTP_URL and AUDIENCE_SMTP_PASSWORD_FILE in docs/settings.md."
)
RENEWAL = "Run `audience tables renew`, then restart the service; or upgrade Audience."
LOG_ADVICE = "Run `audience erasures apply` on this host. Then delete {file}."


def versions(_: Context) -> Iterator[Finding]:
    ours = f"Audience {version('audience')}, Python {platform.python_version()}, granian {version('granian')}"
    yield ok("versions", ours)


def settings(context: Context) -> Iterator[Finding]:
    """Checks settings that depend on the answers' tables: with a wrong one, the service does not start."""
    (context.answers or Answers(context.settings)).check()
    yield ok("settings", "settings are valid")


def engine(context: Context) -> Iterator[Finding]:
    url = context.settings.database
    name, version, fault = stored.engine_name(url), stored.engine_version(url), stored.engine_fault(url)
    if fault:
        state = warn if context.settings.allow_faulty_sqlite else bad
        yield state(name, f"{version} {fault}", stored.engine_advice(url))
    else:
        yield ok(name, version)


def permissions(context: Context) -> Iterator[Finding]:
    folder = context.settings.instance
    if not folder.is_dir():
        yield ok("permissions", f"no folder {folder} yet")
        return
    paths = [*_secret_files(context), folder]
    if context.fix:
        for path in paths:
            path.chmod(path.stat().st_mode & ~0o077)
    exposed = [_exposure(path) for path in paths if path.stat().st_mode & 0o077]
    exposed += _open_to_everybody(context)
    yield from exposed or [ok("permissions", f"{folder} is private")]


def _open_to_everybody(context: Context) -> Iterator[Finding]:
    """Finds secret files that everybody can read. Those outside the folder may be open to their group."""
    settings = context.settings
    for name in (settings.pepper_file, settings.database_password_file, settings.smtp_password_file):
        if name and Path(name).exists() and Path(name).stat().st_mode & 0o007:
            yield bad("permissions", f"everybody can read {name}", f"Run `chmod o= {name}`.")


def _exposure(path: Path) -> Finding:
    if path.is_dir():
        return warn("permissions", f"others can enter {path}", f"Run `chmod 700 {path}`, or use --fix.")
    return bad("permissions", f"others can read {path}", f"Run `chmod 600 {path}`, or use --fix.")


def _secret_files(context: Context) -> list[Path]:
    """The existing secret files of the instance, and those that SQLite keeps beside the database."""
    paths = [context.settings.instance / name for name in SECRETS]
    for database in context.database_files[:1]:
        paths += [database, *database.parent.glob(f"{database.name}-*")]
    return [path for path in paths if path.exists()]


def room_for_backup(context: Context) -> Iterator[Finding]:
    free, needed = health.free_bytes(context), backups.room_needed(context.settings)
    if free < needed:
        yield warn(
            "disk", f"{size(free)} free", f"Make room: a backup needs {size(needed)}, twice the database."
        )


def logged_erasures(context: Context) -> Iterator[Finding]:
    """Finds erasures that are in the log file of an older version, but not in the log table."""
    file = context.settings.instance / erasure_log.LOG
    if erasure_log.file_of(context.settings.instance) or not file.exists():
        return
    if missing := erasure_log.missing(context.settings.instance, erasure_log.read(file)):
        sentence = f"lines of {file.name} that are not in the database's log: {len(missing)}"
        yield warn("erasures", sentence, LOG_ADVICE.format(file=file))


def tables_in_effect(context: Context) -> Iterator[Finding]:
    today = datetime.fromtimestamp(clock.now_ms() / 1000, UTC).date()
    for table in tables.in_effect(context.settings.instance).values():
        origin = f"{table.folder}: {table.source}, {table.made}"
        advice = RENEWAL if table.folder in table_renewal.FOLDERS else "Upgrade Audience."
        yield warn("tables", origin, advice) if table.is_stale(today) else ok("tables", origin)
    yield ok("tables", f"{geolocation.ATTRIBUTION} ({geolocation.ATTRIBUTION_URL})")
    if context.settings.geo_database:
        yield ok("tables", f"geolocation: replaced by {context.settings.geo_database}")


def dns(context: Context) -> Iterator[Finding]:
    if context.offline:
        yield ok("dns", "not queried")
        return
    trouble = health.DNS_TROUBLE.get(Answers(context.settings).resolver.health())
    yield warn("dns", trouble, DNS_ADVICE) if trouble else ok("dns", "the DNS servers work")


def mail(context: Context) -> Iterator[Finding]:
    """Connects to the mail server, encrypts, signs in and leaves; sends nothing."""
    if not context.settings.smtp_url:
        yield ok("mail", "no mail server is set (AUDIENCE_SMTP_URL): no sign-up can be confirmed by email")
    elif context.offline:
        yield ok("mail", "not asked")
    else:
        for step in Relay(context.settings).probe():
            found = f"{step.name}: {step.said}".removesuffix(".")
            yield ok("mail", found) if step.is_well else bad("mail", found, MAIL_ADVICE)


def providers(context: Context) -> Iterator[Finding]:
    """Tests each blacklist with names whose answer is known, if the DNS servers work."""
    if context.offline:
        yield ok("providers", "not queried")
        return
    answers = Answers(context.settings)
    if answers.resolver.health() in health.DNS_TROUBLE:
        yield warn("providers", "no blacklist was tested, as the DNS servers do not work", DNS_ADVICE)
        return
    results = zone_tests.examine(answers.providers, answers.resolver, PROVIDERS_TIMEOUT_SECONDS)
    if results and all(result.problem for result in results):
        advice = "Can this machine reach the DNS? Set resolvers in AUDIENCE_DNS_SERVERS."
        yield warn("providers", f"none of {len(results)} blacklists works", advice)
    for result in results:
        name = f"{result.flag} ({result.asks}, {result.zone})"
        if result.problem:
            yield warn("providers", f"{name} {result.problem}", "See docs/answers/blacklist.md.")
        else:
            yield ok("providers", f"{name} works")
