"""Work in the background: what waits, and who has claimed it.

Instants are those that leases go by, in milliseconds (storage/leases.py).
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from storage.database import column, execute, row, rows, value
from storage.engines.chosen import engine

WAITING, IDLE, FAILED = "waiting", "idle", "failed"
POLL = "poll"  # a kind that nobody does: who claims it looks for what is due
# What ends later than it was to last was given before the clock was set back, or the machine started.
DUE = "(not_before <= ? OR not_before > ? + wait_ms)"


class Job(NamedTuple):
    """A claimed job. `subject` is the id of the record that it is about, `number` its position in the order,
    or 0.
    """

    site_id: int
    id: int
    kind: str
    subject: int
    number: int
    token: str


class Trouble(NamedTuple):
    """A job that failed `attempts` times in a row, because of `reason`; `failed` if it was given up."""

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
    """Queues a job for after `wait_ms`, also one that exists already. A worker that has claimed it
    loses it.
    """
    execute(
        "INSERT INTO jobs (site_id, kind, subject, seq, status, not_before, wait_ms) "
        f"VALUES (?, ?, ?, ?, '{WAITING}', ?, ?) ON CONFLICT (site_id, kind, subject) DO UPDATE SET "
        f"seq = excluded.seq, status = '{WAITING}', claim = NULL, not_before = excluded.not_before, "
        "wait_ms = excluded.wait_ms, attempts = 0, reason = ''",
        (site_id, kind, subject, number, now + wait_ms, wait_ms),
    )


def add_once(site_id: int, kind: str, subject: int, now: int, wait_ms: int) -> None:
    """Queues a job for after `wait_ms`, unless it is queued."""
    execute(
        "INSERT INTO jobs (site_id, kind, subject, status, not_before, wait_ms) "
        f"VALUES (?, ?, ?, '{WAITING}', ?, ?) ON CONFLICT (site_id, kind, subject) DO NOTHING",
        (site_id, kind, subject, now + wait_ms, wait_ms),
    )


def hasten(site_id: int, kind: str, subject: int) -> None:
    """Makes a job due now. A worker that has claimed it ends its step first."""
    execute(
        "INSERT INTO jobs (site_id, kind, subject, status) "
        f"VALUES (?, ?, ?, '{WAITING}') ON CONFLICT (site_id, kind, subject) DO UPDATE SET "
        f"status = '{WAITING}', not_before = CASE WHEN jobs.claim IS NULL THEN 0 ELSE jobs.not_before END",
        (site_id, kind, subject),
    )


def remove(site_id: int, kind: str, subject: int) -> None:
    """Deletes a job. A worker that has claimed it loses it."""
    execute("DELETE FROM jobs WHERE site_id = ? AND kind = ? AND subject = ?", (site_id, kind, subject))


def is_there(site_id: int, kind: str, subject: int) -> bool:
    query = "SELECT 1 FROM jobs WHERE site_id = ? AND kind = ? AND subject = ?"
    return row(query, (site_id, kind, subject)) is not None


def wake(site_id: int, kind: str) -> int:
    """Makes the idle jobs of a kind due. Returns how many."""
    return execute(
        f"UPDATE jobs SET status = '{WAITING}', not_before = 0 "
        f"WHERE site_id = ? AND kind = ? AND status = '{IDLE}'",
        (site_id, kind),
    )


def in_turn(site_id: int) -> tuple[str, int] | None:
    """The (kind, subject) of the first job in the site's order."""
    first: tuple[str, int] | None = row(
        f"SELECT kind, subject FROM jobs WHERE site_id = ? AND seq IS NOT NULL AND status = '{WAITING}' "
        "ORDER BY seq LIMIT 1",
        (site_id,),
    )
    return first


def due_sites(now: int) -> list[int]:
    """The ids of sites with a job that can probably be claimed. `now` is an instant of leases, in
    milliseconds.
    """
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
    """Claims the first due job of some kinds. If they are `in_order`, it must be the very first of
    them.

    With `one_at_a_time`, claims none while a job of these kinds is claimed.
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
    """Renews the lease of a job for `lease_ms`. False if the claim is lost: the caller must roll back."""
    return bool(
        execute(
            "UPDATE jobs SET not_before = ?, wait_ms = ? WHERE site_id = ? AND id = ? AND claim = ?",
            (now + lease_ms, lease_ms, job.site_id, job.id, job.token),
        )
    )


def release(job: Job, now: int, wait_ms: int = 0, status: str = WAITING, *, well: bool = False) -> bool:
    """Releases a claimed job, which is due again after `wait_ms`. False if the claim is lost. If it went
    `well`, earlier failures are forgotten.
    """
    forgotten = ", attempts = 0, reason = ''" if well else ""
    return bool(
        execute(
            f"UPDATE jobs SET claim = NULL, not_before = ?, wait_ms = ?, status = ?{forgotten} "
            "WHERE site_id = ? AND id = ? AND claim = ?",
            (now + wait_ms, wait_ms, status, job.site_id, job.id, job.token),
        )
    )


def note_failure(job: Job, reason: str) -> int:
    """Counts a failure of a claimed job. Returns how often it failed in a row, or 0 if the claim is lost."""
    noted = rows(
        "UPDATE jobs SET attempts = attempts + 1, reason = ? "
        "WHERE site_id = ? AND id = ? AND claim = ? RETURNING attempts",
        (reason, job.site_id, job.id, job.token),
    )
    return int(noted[0][0]) if noted else 0


def end(job: Job) -> bool:
    """Deletes a job that is done. False if the claim is lost: the caller must roll back."""
    query = "DELETE FROM jobs WHERE site_id = ? AND id = ? AND claim = ?"
    return bool(execute(query, (job.site_id, job.id, job.token)))


def elect(token: str, now: int, lease_ms: int) -> bool:
    """Whether the caller is the process that looks for due jobs, for `lease_ms` milliseconds. On a database
    file, every process is.
    """
    return not engine.HAS_HOSTS or bool(
        execute(
            "UPDATE jobs SET claim = ?, not_before = ?, wait_ms = ? WHERE site_id = 0 AND kind = ? "
            f"AND (claim IS NULL OR claim = ? OR {DUE})",
            (token, now + lease_ms, lease_ms, POLL, token, now, now),
        )
    )


def resign(token: str) -> None:
    if engine.HAS_HOSTS:
        execute("UPDATE jobs SET claim = NULL WHERE site_id = 0 AND kind = ? AND claim = ?", (POLL, token))


def ensure(kinds: Collection[str]) -> None:
    """Adds the jobs of the instance's own kinds that do not exist."""
    for kind in kinds:
        execute(
            "INSERT INTO jobs (site_id, kind, subject, status) VALUES (0, ?, 0, ?) "
            "ON CONFLICT (site_id, kind, subject) DO NOTHING",
            (kind, IDLE if kind == POLL else WAITING),
        )


def count_abandoned(now: int) -> int:
    """The number of claimed jobs whose lease has expired: their worker died."""
    query = f"SELECT count(*) FROM jobs WHERE claim IS NOT NULL AND status = '{WAITING}' AND {DUE}"
    return value(query, (now, now), 0)


def troubles() -> list[Trouble]:
    """The failed jobs of all sites, which are tried again or were given up."""
    records = rows(
        "SELECT site_id, id, kind, subject, status, attempts, reason FROM jobs "
        f"WHERE status = '{FAILED}' OR attempts > 0 ORDER BY site_id, id"
    )
    return [Trouble(*record) for record in records]
