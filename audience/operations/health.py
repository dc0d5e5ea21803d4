"""The checks that /readyz also runs. They are quick: they scan no table, and ask the DNS only if it is in
trouble.

Their findings are public, so they reveal no stored data.
"""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from audience.clock import HOUR_MS
from audience.imports import backlog
from audience.operations import daily_backups, kept_backups
from audience.operations.diagnostics import Context, Finding, bad, ok, size, warn
from audience.protocols import DnsHealth
from audience.sign_ups import link_requests, sign_ups
from audience.webhooks import webhooks
from storage import database
from storage.instance import doctor

HEARTBEAT_WARN_SECONDS = 30.0  # a worker has a heartbeat every two
HEARTBEAT_FAIL_SECONDS = 60.0
IMPORT_WARN_RATIO = 1 / 15  # of the age at which /readyz fails
DISK_WARN_RATIO = 4  # times the free space below which /readyz fails
PROBE_BYTES = 4096
MAX_LOG_BYTES = 150 * 2**20  # a log begins anew at 100 to 125 MB, and imports wait at 200 MB

WORKER_ADVICE = "Look for its errors in the log; restart `audience serve`."
LOG_ADVICE = (
    "A long read keeps this log from shrinking, and imports wait when it has 200 MB: end the read, "
    "or restart the service."
)
DNS_TROUBLE = {
    DnsHealth.DENYING: "the DNS servers name no mail exchanger of any well-known mail domain",
    DnsHealth.CUT_OFF: "the DNS servers are cut off from the Internet, or invent answers",
}
WEBHOOK_ADVICE = "See `audience webhook deliveries ID`, then run `audience webhook change ID --resume`."
CONFIRMATION_MINUTES = 10
CONFIRMATION_ADVICE = (
    "`audience sign-up list --status waiting` says what was answered; "
    "see AUDIENCE_SMTP_URL, or the form's webhook."
)
UNNAMED_PROXY = "over 20 sign-ups in an hour came through an unknown proxy: limits per network do not apply"
PROXY_ADVICE = "If the proxy is yours, add its address to AUDIENCE_TRUSTED_PROXIES."
LINKS_ADVICE = "`audience mail test` shows what the mail server answers; see AUDIENCE_SMTP_URL."
BACKUP_HOURS = 48
BACKUP_ADVICE = "See the log of the worker, which makes a backup each day at AUDIENCE_BACKUP_AT."
IMPORT_ADVICE = "The worker is behind or stuck: see its log; raise AUDIENCE_WORKERS to add more."


def database_answers(_: Context) -> Iterator[Finding]:
    if database.was_moved():
        sentence = "the database or the instance folder was moved or deleted while the service runs"
        yield bad(
            "database",
            sentence,
            "Nothing is written: put the folder or the database back, or restart the service.",
        )
    elif database.ping():
        yield ok("database", "answers")
        yield from (warn("database", note, advice) for note, advice in doctor.notes() if advice)
        yield from write_ahead_log()
    else:
        yield bad("database", "the database does not answer")


def write_ahead_log() -> Iterator[Finding]:
    """Warns if the write-ahead log is far past its limit, because a reader prevents its truncation."""
    log_bytes = doctor.log_bytes()
    if log_bytes > MAX_LOG_BYTES:
        yield warn("database", f"{size(log_bytes)} in the write-ahead log (WAL)", LOG_ADVICE)


def migrations(context: Context) -> Iterator[Finding]:
    """Reports pending migrations: only a warning if not in service, because `serve` applies them."""
    pending, refusal = database.migrations()
    if refusal:
        yield bad("migrations", refusal)
    elif pending:
        state = bad if context.in_service else warn
        yield state("migrations", f"{len(pending)} migrations are pending: run `audience migrate`")
    else:
        yield ok("migrations", "up to date")


def redis(context: Context) -> Iterator[Finding]:
    queue = context.processes.queue()
    if queue.error and not context.settings.redis_url and not context.serving:
        yield ok("redis", "embedded, not running: `audience serve` starts it")
    elif queue.error:
        advice = f"{queue.error}. Imports continue, but slower: see redis/server.log in the instance folder."
        yield bad("redis", "Redis does not answer", advice)
    elif queue.eviction_policy != "noeviction":
        sentence = f"Redis may evict queued jobs (maxmemory-policy {queue.eviction_policy})"
        yield warn("redis", sentence, "Set maxmemory-policy to noeviction.")
    else:
        yield ok("redis", f"{queue.version}, {queue.persistence}, eviction policy noeviction")


def worker(context: Context) -> Iterator[Finding]:
    """Warns if the last heartbeat of an import worker is old or missing."""
    age = context.processes.worker_age()
    if age is not None and age <= HEARTBEAT_WARN_SECONDS:
        yield ok("worker", f"last heartbeat {age:.0f} s ago")
    elif not context.serving:
        yield ok("worker", "not running")
    elif age is None:
        yield bad("worker", "no heartbeat from any import worker", WORKER_ADVICE)
    else:
        state = bad if age > HEARTBEAT_FAIL_SECONDS else warn
        yield state("worker", f"no heartbeat from any import worker for {age:.0f} s", WORKER_ADVICE)


def oldest_import(context: Context) -> Iterator[Finding]:
    age, limit = backlog.measure(context.only_site).oldest_seconds, context.settings.ready_import_age
    sentence = f"the oldest queued import is {age:.0f} s old"
    if age <= limit * IMPORT_WARN_RATIO:
        yield ok("imports", sentence)
    elif not context.serving:
        yield warn("imports", sentence, "Start `audience serve`, which works through the queue.")
    else:
        yield (bad if age > limit else warn)("imports", sentence, IMPORT_ADVICE)


def disk(context: Context) -> Iterator[Finding]:
    free, limit = free_bytes(context), context.settings.ready_disk_bytes
    if free < limit:
        yield bad(
            "disk", f"only {size(free)} of disk space free", "Free disk space: soon nothing can be written."
        )
    elif problem := _write_problem(context.settings.instance):
        yield bad("disk", f"the disk takes no writes ({problem})", "Look for a quota or a broken disk.")
    elif free < limit * DISK_WARN_RATIO:
        yield warn("disk", f"only {size(free)} of disk space free", "Make room.")
    else:
        yield ok("disk", f"{size(free)} free")


def dns(context: Context) -> Iterator[Finding]:
    """Reports the health of the DNS servers, which are asked only if the last look-up failed."""
    trouble = None
    if context.answers and context.answers.resolver.last_health is not DnsHealth.WORKS:
        trouble = DNS_TROUBLE.get(context.answers.resolver.health())
    yield warn("dns", trouble) if trouble else ok("dns", "no trouble known")


def zones(context: Context) -> Iterator[Finding]:
    """Reports blacklist zones that failed their tests during look-ups; sends no query."""
    failed = context.answers.zones.failed() if context.answers else []
    for test in failed:
        yield warn("providers", f"the blacklist zone {test.zone} ({test.flag}, {test.asks}) {test.problem}")
    if not failed:
        yield ok("providers", "no failed zone known")


def check_webhooks(context: Context) -> Iterator[Finding]:
    paused = webhooks.count_paused(context.only_site)
    for why, number in paused.items():
        verb = "webhook is" if number == 1 else "webhooks are"
        yield warn("webhooks", f"{number} {verb} paused: {why}", WEBHOOK_ADVICE)
    if not paused:
        most = webhooks.largest_backlog(context.only_site)
        yield ok("webhooks", f"at most {most} changes wait to be delivered to one")


def confirmations(context: Context) -> Iterator[Finding]:
    """Warns if a confirmation, or requested links, wait longer than `CONFIRMATION_MINUTES`."""
    minutes = sign_ups.oldest_waiting_seconds(context.only_site) / 60
    minutes_of_links = link_requests.oldest_waiting_seconds(context.only_site) / 60
    if minutes > CONFIRMATION_MINUTES:
        sentence = f"a confirmation has waited to be sent for {minutes:.0f} minutes"
        yield warn("confirmations", sentence, CONFIRMATION_ADVICE)
    elif minutes_of_links > CONFIRMATION_MINUTES:
        sentence = f"requested links have waited to be sent for {minutes_of_links:.0f} minutes"
        yield warn("confirmations", sentence, LINKS_ADVICE)
    else:
        yield ok("confirmations", "none has waited to be sent for long")


def backups(context: Context) -> Iterator[Finding]:
    """Warns if the newest backup is old, or the last daily one failed in whole or in part."""
    settings = context.settings
    if not settings.backup_at:
        yield ok("backups", "no daily backup is set up: set its time in AUDIENCE_BACKUP_AT")
        return
    hours, last = kept_backups.age_ms(settings) // HOUR_MS, daily_backups.outcome(settings)
    troubles = {
        "the last daily backup was not made": last.problem,
        "AUDIENCE_BACKUP_COMMAND has not succeeded after the last daily backup": last.command,
        "the last daily backup does not restore": last.trial,
    }
    yield from (warn("backups", found, reason) for found, reason in troubles.items() if reason)
    if not kept_backups.list_all(settings):
        yield warn("backups", "no backup has been made yet", BACKUP_ADVICE)
    elif hours > BACKUP_HOURS:
        yield warn("backups", f"the last backup is {hours} hours old", BACKUP_ADVICE)
    else:
        yield ok("backups", f"the last one is {hours} hours old")


def proxies(context: Context) -> Iterator[Finding]:
    """Warns if sign-ups come through a proxy, but the settings name none."""
    if not context.settings.trusted_proxies and sign_ups.is_any_proxied(context.only_site):
        yield warn("proxies", UNNAMED_PROXY, PROXY_ADVICE)
    else:
        yield ok("proxies", "no sign-ups come through an unknown one")


def _write_problem(instance: Path) -> str:
    """Why the instance folder or the database cannot be written; "" if both can."""
    if instance.is_dir():
        try:
            with tempfile.TemporaryFile(dir=instance, buffering=0) as file:
                file.write(bytes(PROBE_BYTES))
        except OSError as error:
            return str(error.strerror)
    return "" if database.takes_writes() else "the last one to the database failed"


def free_bytes(context: Context) -> int:
    """The free bytes on the disk of the instance folder, which need not exist yet."""
    instance = context.settings.instance
    return shutil.disk_usage(next(folder for folder in (instance, *instance.parents) if folder.exists())).free
