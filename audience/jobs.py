"""The one engine for work in the background: it claims a job, does a step, and hands the job back or gives it
up.

A job is added, held and ended in the transaction of its own work. So a crash neither loses the job nor does
it twice. A kind of job may have a table of its own for more.
"""

import logging
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from audience import clock
from audience.access import sites
from audience.errors import NotFound, where
from storage import database, leases
from storage import jobs as stored
from storage.errors import Unavailable, Unusable
from storage.jobs import FailedJob as FailedJob
from storage.jobs import Job as Job

log = logging.getLogger(__name__)
MAX_FAILURES = 5  # in a row, without a step that ended well between them
MACHINE_FAULTS = (Unavailable, Unusable, OSError, MemoryError)  # after which a job waits, however long
RETRY_AFTER_MS = 2_000
ELECTED_MS = 15_000
NO_TROUBLE = "No failed job has this id: `audience jobs list` lists failed jobs."


class ClaimLost(Exception):
    """Another worker has claimed the job, or it was stopped: roll back."""


class Lane(NamedTuple):
    """A lane: jobs that wait for the same thing, such as the database, and never for another lane. `threads`
    are per process.
    """

    name: str
    lease_ms: int
    threads: int
    one_at_a_time: bool = False  # of a site
    in_order: bool = False  # of a site: by their numbers


SITE = Lane("site", 10_000, 1, one_at_a_time=True, in_order=True)  # what has its turn in a site's order
DB = Lane("db", 30_000, 1, one_at_a_time=True)  # steps of at most a second
NET = Lane("net", 30_000, 19)  # waits for other servers; as many as its kinds have `at_once`
LONG = Lane("long", 300_000, 2)  # files, backups
LANES = (SITE, DB, NET, LONG)


class Kind(NamedTuple):
    """A kind of job. `step` works on a job until a deadline (of `time.monotonic`), and returns the
    milliseconds until it continues.

    `step` returns `SETTLED` if it ended the job or let it rest. It raises `NotFound` if the job's subject is
    gone.

    A job of a kind with `give_up` is given up after `most_failures`; other jobs are tried again, ever more
    rarely. `give_up` gets the site id and the subject, in a transaction, and returns the function to call
    after the commit. `retry` queues a job that was given up.

    Jobs of the instance's `own` kinds always exist. A process works on at most `at_once` jobs of a kind at
    once, or on as many as its lane has threads.
    """

    name: str
    lane: Lane
    step: Callable[[Job, float], int]
    give_up: Callable[[int, int], Callable[[], object] | None] | None = None
    own: bool = False
    retry: Callable[[int, int], object] | None = None
    most_failures: int = MAX_FAILURES
    at_once: int | None = None


SETTLED = -1


def hold(job: Job, lane: Lane) -> None:
    """Renews the claim of a job, in the caller's transaction. Raises `ClaimLost`."""
    if not stored.hold(job, now(), lane.lease_ms):
        raise ClaimLost


def end(job: Job) -> None:
    """Deletes a job that is done, in the caller's transaction. Raises `ClaimLost`."""
    if not stored.end(job):
        raise ClaimLost


def rest(job: Job) -> None:
    """Lets a job wait until it is woken, in the caller's transaction. Raises `ClaimLost`."""
    if not stored.release(job, now(), status=stored.IDLE, succeeded=True):
        raise ClaimLost


def put_off(job: Job, wait_ms: int) -> None:
    """Makes a job wait for `wait_ms`, in the caller's transaction. Raises `ClaimLost`."""
    if not stored.release(job, now(), wait_ms, succeeded=True):
        raise ClaimLost


def now() -> int:
    """The clock of leases, in milliseconds."""
    return leases.now(clock.uptime_ms())


def work(kinds: Sequence[Kind], site_id: int, seconds: float) -> bool:
    """Works on a site's jobs of some kinds of a lane, for about `seconds`. Returns whether to continue at
    once.

    Safe to call concurrently. Raises `MACHINE_FAULTS`.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not database.log_is_full():
        job = claim(kinds, site_id)
        if job is None or not step(kinds, job, deadline):
            return False
    return not database.log_is_full()


def claim(kinds: Sequence[Kind], site_id: int) -> Job | None:
    """Claims a due job of a site. Returns None if none is due, or another worker has it."""
    names, lane = [kind.name for kind in kinds], kinds[0].lane
    if due_kinds(site_id).isdisjoint(names):
        return None
    with database.write(site_id):
        return stored.claim(
            site_id,
            names,
            secrets.token_hex(8),
            now(),
            lane.lease_ms,
            in_order=lane.in_order,
            one_at_a_time=lane.one_at_a_time,
        )


@database.session()
def due_kinds(site_id: int) -> set[str]:
    """The kinds of a site's jobs that can probably be claimed."""
    return stored.due_kinds(site_id, now())


def due_sites() -> list[int]:
    """The ids of sites with a job that can probably be claimed; 0 is the instance itself.

    Sites whose tables do not answer are left out.
    """
    due, _ = sites.each_answering(_due_sites, database.SHARED)
    return list(chain.from_iterable(due))


@database.session()
def _due_sites(only_site: int | None) -> list[int]:
    if only_site is None:
        return stored.due_sites(now())
    return [only_site] if stored.due_kinds(only_site, now()) else []


def prepare(kinds: Sequence[Kind]) -> None:
    """Adds the missing jobs of the instance's own kinds."""
    with database.write(database.SHARED):
        stored.ensure([stored.POLL, *(kind.name for kind in kinds if kind.own)])


@database.session()
def list_failed(only_site: int | None = None) -> list[FailedJob]:
    """The failed jobs of all sites, or of one, whether tried again or given up."""
    return stored.list_failed(only_site)


def list_failed_of_answering() -> tuple[list[FailedJob], Unavailable | None]:
    """The failed jobs of all sites whose tables answer, and the error of one that does not."""
    failed, silent = sites.each_answering(list_failed, database.SHARED)
    return list(chain.from_iterable(failed)), silent


def _failed_job(job_id: int, failed: Iterable[FailedJob]) -> FailedJob:
    """The job with an id among those that failed. Raises `NotFound`."""
    for trouble in failed:
        if trouble.id == job_id:
            return trouble
    raise NotFound(NO_TROUBLE)


def _site_of_failed(job_id: int) -> int:
    """The site of a failed job. Raises `NotFound`, or `Unavailable` if the job may be of a site that does not
    answer.
    """
    failed, silent = list_failed_of_answering()
    try:
        return _failed_job(job_id, failed).site_id
    except NotFound:
        raise silent or NotFound(NO_TROUBLE) from None


def retry(kinds: Sequence[Kind], job_id: int) -> None:
    """Makes a failed job due at once. Raises `NotFound`, `Unavailable`."""
    site_id = _site_of_failed(job_id)
    with database.write(site_id):
        trouble = _failed_job(job_id, list_failed(site_id))
        again = {kind.name: kind.retry for kind in kinds}.get(trouble.kind)
        if again and trouble.status == stored.FAILED:
            again(trouble.site_id, trouble.subject)
        else:
            stored.hasten(trouble.site_id, trouble.kind, trouble.subject)


@database.session()
def elect(token: str) -> bool:
    """Whether the process with this token is elected to look for due jobs. On a database file, each process
    is.
    """
    return stored.elect(token, now(), ELECTED_MS)


@database.session()
def resign(token: str) -> None:
    """Ends the election of the process with this token."""
    stored.resign(token)


def step(kinds: Sequence[Kind], job: Job, deadline: float) -> bool:
    """Does a step of a claimed job. Returns whether its site may have more. Raises `MACHINE_FAULTS`."""
    kind = next(kind for kind in kinds if kind.name == job.kind)
    try:
        wait_ms = kind.step(job, deadline)
        if wait_ms != SETTLED:
            hand_back(job, wait_ms, succeeded=True)
    except ClaimLost:
        return False
    except NotFound:
        _forget(job)
    except MACHINE_FAULTS:
        with suppress(*MACHINE_FAULTS):  # otherwise the lease expires
            hand_back(job, RETRY_AFTER_MS)
        raise
    except Exception as error:
        return _note_failure(kind, job, error)
    return True


def _forget(job: Job) -> None:
    """Ends a job whose subject is gone."""
    with database.write(job.site_id):
        stored.end(job)


def hand_back(job: Job, wait_ms: int = 0, succeeded: bool = False) -> None:
    """Releases a claimed job, which is due again in `wait_ms`. With `succeeded`, its earlier failures are
    forgotten.

    A worker that still works on the job then finds its claim lost.
    """
    with database.write(job.site_id):
        stored.release(job, now(), wait_ms, succeeded=succeeded)  # behind what is due already


def _note_failure(kind: Kind, job: Job, error: Exception) -> bool:
    """Puts a failed job off, or gives it up. Returns whether it gave it up."""
    gives_up, then = False, None
    with database.write(job.site_id):
        failures = stored.note_failure(job, where(error))
        if kind.give_up and failures >= kind.most_failures:
            gives_up = stored.release(job, now(), status=stored.FAILED)
            then = kind.give_up(job.site_id, job.subject)
        else:
            wait_ms = RETRY_AFTER_MS if kind.give_up else RETRY_AFTER_MS << min(failures, 10)
            stored.release(job, now(), wait_ms)
    if failures:
        log.error("%s %d failed: %s", job.kind, job.subject, where(error))
    if then:
        then()
    return gives_up
