"""Background jobs: which ones wait, and which worker has claimed them.

Instants are milliseconds of the clock of leases (storage/leases.py).
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from peewee import SQL, BigIntegerField, IntegerField, TextField

from storage.base_models import IdModel, add_partial_index
from storage.database import column, execute, row, rows, value
from storage.engines.chosen import engine
from storage.sql import rows_of

WAITING, IDLE, FAILED = "waiting", "idle", "failed"
POLL = "poll"  # a kind without work: the process that claims it looks for due jobs
# A wait that ends later than `wait_ms` from now is over: the clock was set back, or the machine restarted.
DUE = "(not_before <= ? OR not_before > ? + wait_ms)"


class JobModel(IdModel, table="jobs"):
    """A job. `subject` is the id of the record that it is about, 0 for none. `seq` is its position in the
    site's order, None if it has none. Site 0 is the instance itself, so `site_id` is no foreign key.

    No worker may claim a job before `not_before`, in milliseconds of the clock of leases. Until then, a job
    without a `claim` waits, and one with a `claim` is leased to a worker. `wait_ms` is the whole length of
    that wait or lease.
    """

    site_id = IntegerField()
    kind = TextField()
    subject = IntegerField()
    seq = BigIntegerField(null=True)
    status = TextField()  # waiting, idle or failed
    claim = TextField(null=True)
    not_before = BigIntegerField(default=0)
    wait_ms = BigIntegerField(default=0)
    attempts = IntegerField(default=0)
    reason = TextField(default="")

    class Meta:
        indexes = ((("site_id", "kind", "subject"), True),)


_job: Any = JobModel
add_partial_index("jobs_due", _job.not_before, where=SQL("status = 'waiting'"))
add_partial_index("jobs_claimed", _job.site_id, where=SQL("claim IS NOT NULL"))
add_partial_index("jobs_in_order", _job.site_id, _job.seq, where=SQL("seq IS NOT NULL"))


class Job(NamedTuple):
    """A claimed job. `subject` is the id of the record that it is about, `token` that of the claim.

    `number` is its position in the site's order, 0 if it has none there.
    """

    site_id: int
    id: int
    kind: str
    subject: int
    number: int
    token: str


class FailedJob(NamedTuple):
    """A job that failed `attempts` times in a row, the last time because of `reason`.

    Its `status` is `failed` if it was given up.
    """

    site_id: int
    id: int
    kind: str
    subject: int
    status: str
    attempts: int
    reason: str


def add(
    site_id: int, kind: str, subject: int, number: int | None = None, now: int = 0, wait_ms: int = 0
) -> None:
    """Adds a job that is due after `wait_ms`. `number` is its position in the site's order, if it has one.

    An existing job starts anew: its failures are forgotten, and a worker loses its claim on it.
    """
    execute(
        "INSERT INTO jobs (site_id, kind, subject, seq, status, not_before, wait_ms) "
        f"VALUES (?, ?, ?, ?, '{WAITING}', ?, ?) ON CONFLICT (site_id, kind, subject) DO UPDATE SET "
        f"seq = excluded.seq, status = '{WAITING}', claim = NULL, not_before = excluded.not_before, "
        "wait_ms = excluded.wait_ms, attempts = 0, reason = ''",
        (site_id, kind, subject, number, now + wait_ms, wait_ms),
    )


def add_once(site_id: int, kind: str, subject: int, now: int, wait_ms: int) -> None:
    """Adds a job that is due after `wait_ms`. An existing one stays as it is."""
    execute(
        "INSERT INTO jobs (site_id, kind, subject, status, not_before, wait_ms) "
        f"VALUES (?, ?, ?, '{WAITING}', ?, ?) ON CONFLICT (site_id, kind, subject) DO NOTHING",
        (site_id, kind, subject, now + wait_ms, wait_ms),
    )


def hasten(site_id: int, kind: str, subject: int) -> None:
    """Makes a job due now, or adds it. A claimed job stays claimed: its worker ends the step first."""
    execute(
        "INSERT INTO jobs (site_id, kind, subject, status) "
        f"VALUES (?, ?, ?, '{WAITING}') ON CONFLICT (site_id, kind, subject) DO UPDATE SET "
        f"status = '{WAITING}', not_before = CASE WHEN jobs.claim IS NULL THEN 0 ELSE jobs.not_before END",
        (site_id, kind, subject),
    )


def remove(site_id: int, kind: str, subject: int) -> None:
    """Deletes a job. A worker loses its claim on it."""
    execute("DELETE FROM jobs WHERE site_id = ? AND kind = ? AND subject = ?", (site_id, kind, subject))


def exists(site_id: int, kind: str, subject: int) -> bool:
    query = "SELECT 1 FROM jobs WHERE site_id = ? AND kind = ? AND subject = ?"
    return row(query, (site_id, kind, subject)) is not None


def subjects(site_id: int, kind: str) -> list[int]:
    """The subjects of the jobs of a kind."""
    return column("SELECT subject FROM jobs WHERE site_id = ? AND kind = ?", (site_id, kind))


def wake(site_id: int, kind: str) -> int:
    """Makes those jobs of a kind due that have the status `IDLE`. Returns how many."""
    return execute(
        f"UPDATE jobs SET status = '{WAITING}', not_before = 0 "
        f"WHERE site_id = ? AND kind = ? AND status = '{IDLE}'",
        (site_id, kind),
    )


def first_in_order(site_id: int) -> tuple[str, int] | None:
    """The (kind, subject) of the first waiting or claimed job in the site's order; None if no job is."""
    first: tuple[str, int] | None = row(
        f"SELECT kind, subject FROM jobs WHERE site_id = ? AND seq IS NOT NULL AND status = '{WAITING}' "
        "ORDER BY seq LIMIT 1",
        (site_id,),
    )
    return first


def due_sites(now: int) -> list[int]:
    """The ids of sites with a due job, even if it must wait for an earlier one in the site's order."""
    query = f"SELECT DISTINCT site_id FROM jobs WHERE status = '{WAITING}' AND {DUE} ORDER BY site_id"
    return column(query, (now, now))


def due_kinds(site_id: int, now: int) -> set[str]:
    query = f"SELECT DISTINCT kind FROM jobs WHERE site_id = ? AND status = '{WAITING}' AND {DUE}"
    return set(column(query, (site_id, now, now)))


def claim(
    site_id: int,
    kinds: Sequence[str],
    token: str,
    now: int,
    lease_ms: int,
    *,
    in_order: bool = False,
    one_at_a_time: bool = False,
) -> Job | None:
    """Claims the first due job of these kinds for `lease_ms`, under `token`. Returns None if no job is due.

    With `in_order`, claims only the first job in the site's order, and nothing until that job is due. With
    `one_at_a_time`, claims nothing while another job of these kinds is claimed.
    """
    among = engine.among(kinds)
    of_kinds = f"site_id = ? AND kind {among.text} AND status = '{WAITING}'"
    held = f"SELECT 1 FROM jobs WHERE {of_kinds} AND claim IS NOT NULL AND NOT {DUE} LIMIT 1"
    if one_at_a_time and row(held, (site_id, *among.parameters, now, now)):
        return None
    choice = "seq IS NOT NULL ORDER BY seq" if in_order else f"{DUE} ORDER BY not_before, id"
    chosen = () if in_order else (now, now)
    first = row(
        f"SELECT id, {DUE} FROM jobs WHERE {of_kinds} AND {choice} LIMIT 1",
        (now, now, site_id, *among.parameters, *chosen),
    )
    if first is None or not first[1]:
        return None
    [record] = rows(
        "UPDATE jobs SET claim = ?, not_before = ?, wait_ms = ? WHERE site_id = ? AND id = ? "
        "RETURNING site_id, id, kind, subject, coalesce(seq, 0), claim",
        (token, now + lease_ms, lease_ms, site_id, first[0]),
    )
    return Job(*record)


def hold(job: Job, now: int, lease_ms: int) -> bool:
    """Renews the lease of a job for `lease_ms`. Returns False if the claim is lost: roll back."""
    return bool(
        execute(
            "UPDATE jobs SET not_before = ?, wait_ms = ? WHERE site_id = ? AND id = ? AND claim = ?",
            (now + lease_ms, lease_ms, job.site_id, job.id, job.token),
        )
    )


def release(job: Job, now: int, wait_ms: int = 0, status: str = WAITING, *, succeeded: bool = False) -> bool:
    """Releases a claimed job, which is due again after `wait_ms`. Returns False if the claim was lost.

    With `succeeded`, forgets the earlier failures of the job.
    """
    forgotten = ", attempts = 0, reason = ''" if succeeded else ""
    return bool(
        execute(
            f"UPDATE jobs SET claim = NULL, not_before = ?, wait_ms = ?, status = ?{forgotten} "
            "WHERE site_id = ? AND id = ? AND claim = ?",
            (now + wait_ms, wait_ms, status, job.site_id, job.id, job.token),
        )
    )


def note_failure(job: Job, reason: str) -> int:
    """Counts a failure of a claimed job. Returns the number of failures in a row; 0 if the claim is lost."""
    noted = rows(
        "UPDATE jobs SET attempts = attempts + 1, reason = ? "
        "WHERE site_id = ? AND id = ? AND claim = ? RETURNING attempts",
        (reason, job.site_id, job.id, job.token),
    )
    return int(noted[0][0]) if noted else 0


def end(job: Job) -> bool:
    """Deletes a job that is done. Returns False if the claim is lost: roll back."""
    query = "DELETE FROM jobs WHERE site_id = ? AND id = ? AND claim = ?"
    return bool(execute(query, (job.site_id, job.id, job.token)))


def elect(token: str, now: int, lease_ms: int) -> bool:
    """Elects the caller, for `lease_ms`, as the process that looks for due jobs. Returns False if another
    process is elected.

    On a database file, always returns True: every process looks for due jobs.
    """
    return not engine.HAS_HOSTS or bool(
        execute(
            "UPDATE jobs SET claim = ?, not_before = ?, wait_ms = ? WHERE site_id = 0 AND kind = ? "
            f"AND (claim IS NULL OR claim = ? OR {DUE})",
            (token, now + lease_ms, lease_ms, POLL, token, now, now),
        )
    )


def resign(token: str) -> None:
    """Ends the election of the process with this token."""
    if engine.HAS_HOSTS:
        execute("UPDATE jobs SET claim = NULL WHERE site_id = 0 AND kind = ? AND claim = ?", (POLL, token))


def ensure(kinds: Collection[str]) -> None:
    """Adds the instance's own jobs of these kinds, unless they exist."""
    for kind in kinds:
        execute(
            "INSERT INTO jobs (site_id, kind, subject, status) VALUES (0, ?, 0, ?) "
            "ON CONFLICT (site_id, kind, subject) DO NOTHING",
            (kind, IDLE if kind == POLL else WAITING),
        )


def count_abandoned(site_id: int | None, now: int) -> int:
    """The number of claimed jobs of a site, or of all, with an expired lease: their worker died."""
    of = rows_of(site_id)
    query = f"SELECT count(*) FROM jobs WHERE claim IS NOT NULL AND status = '{WAITING}' AND {DUE}"
    return value(f"{query} AND {of.text}", (now, now, *of.parameters), 0)


def list_failed(site_id: int | None = None) -> list[FailedJob]:
    """The failed jobs of a site, or of all, whether tried again or given up."""
    of = rows_of(site_id)
    records = rows(
        "SELECT site_id, id, kind, subject, status, attempts, reason FROM jobs "
        f"WHERE {of.text} AND (status = '{FAILED}' OR attempts > 0) ORDER BY site_id, id",
        of.parameters,
    )
    return [FailedJob(*record) for record in records]
