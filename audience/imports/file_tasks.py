"""What a worker does with files that operators sent: it searches a file for erased subscribers, makes a dry
run of the whole file, or imports it.
"""

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from audience import addresses, jobs
from audience.access import sites
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.errors import NotFound, where
from audience.imports import dry_runs, file_imports, file_searches, file_uploads
from audience.imports.dry_runs import DryRun
from audience.imports.file_imports import FileRows, UndoneError, Upload
from audience.jobs import LONG, MACHINE_FAULTS, ClaimLost, Job, Kind
from audience.protocols import FileOpener, ReadableFile, TextOpener
from schemas.values import FormError, compact_json
from storage import database
from storage.errors import Unavailable
from storage.imports import file_uploads as stored
from storage.imports.file_uploads import IMPORT, FileUpload, ImportedFile

log = logging.getLogger(__name__)
BATCH_ROWS = 1_000
STOPPED = "Reading the file stopped: find the cause in the worker's log, then try again."


@dataclass
class Task:
    """A task on a file; `upload` is as it was when the job was claimed.

    `found` is the result so far, as JSON: `look`, the description of the file (schemas/file_looks.py), and
    the result of the dry run or, if the file cannot be read, the `problem` and the values `found` to show
    with it. It is stored as progress only once `is_described` is true: the whole file is described.
    """

    site: Site
    upload: FileUpload
    job: Job
    found: dict[str, Any] = field(default_factory=dict)
    is_described: bool = False

    def note(self, rows_done: int) -> None:
        """Stores how many rows were read. Raises `ClaimLost`."""
        outcome = compact_json(self.found) if self.is_described else self.upload.outcome
        with database.write(self.site.id):
            jobs.hold(self.job, LONG)
            stored.note(self.site.id, self.upload.id, rows_done, outcome)

    def describe(self, rows_done: int, description: dict[str, Any]) -> None:
        """Stores the description of the file so far. Raises `ClaimLost`."""
        self.found["look"] = description
        self.note(rows_done)

    def judge(self, done: DryRun) -> None:
        """Stores the result of the dry run so far. Raises `ClaimLost`."""
        self.found |= dry_run_result(done)
        self.note(done.rows_seen)

    def note_progress(self, rows: FileRows) -> FileRows:
        """Yields the rows. Every `BATCH_ROWS`, stores how many have passed. Raises `ClaimLost`."""
        with closing(rows):
            for number, row in enumerate(rows, 1):
                if number % BATCH_ROWS == 0:
                    self.note(number)
                yield row

    def end(self, **problem: Any) -> None:
        """Stores the result, with the `problem` if any, and ends the task. Raises `ClaimLost`."""
        with database.write(self.site.id):
            jobs.hold(self.job, LONG)
            stored.end(self.site.id, self.upload.id, compact_json(self.found | problem))


def look_now(site: Site, instance: Path, upload: FileUpload, open_file: FileOpener) -> dict[str, Any]:
    """The description and the dry run of a small file, made in this process.

    Without the dry run if the database is busy. Raises `Unavailable` if the file could not even be described.
    """
    outcome: dict[str, Any] = {}
    try:
        with _open_file(site, instance, upload, open_file, lambda _, look: outcome.update(look=look)) as file:
            outcome |= dry_run_result(dry_runs.dry_run(site, file.rows(addresses.identity_of_new)))
    except FormError as error:
        outcome |= _problem(error)
    except Unavailable:
        if not outcome:
            raise
    return outcome


def dry_run_result(done: DryRun) -> dict[str, Any]:
    """The result of a dry run as JSON. `refused` has (row number, message) of refused first rows."""
    refused = [(row.row.row_number, row.row.message) for row in done.rows if row.row.message]
    return {
        "counts": dict(done.counts),
        "left": done.unsubscribed,
        "new_left": done.new_unsubscribed,
        "stayed": done.stayed_unsubscribed,
        "rows_seen": done.rows_seen,
        "whole": done.whole,
        "refused": refused,
        "first_rows": len(done.rows),
    }


def _problem(error: FormError) -> dict[str, Any]:
    return {"problem": error.problems[0].message, "found": error.page_found}


def kind(instance: Path, open_file: FileOpener, open_texts: TextOpener) -> Kind:
    return Kind(stored.JOB, LONG, partial(_step, instance, open_file, open_texts))


def _step(instance: Path, open_file: FileOpener, open_texts: TextOpener, job: Job, _deadline: float) -> int:
    """Searches a file for erased subscribers or, if no search is due, does its task to the end.

    Returns 0, so that the next step follows at once, or ends the job if nothing is due on the file. A file
    that was imported is deleted, whoever imported it.
    """
    with database.session():
        site, upload = sites.get(job.site_id), stored.get(site_id=job.site_id, id=job.subject)
    if upload and upload.import_id:
        file_uploads.remove_file(site, instance, upload)
    with database.write(job.site_id):
        upload = stored.get(site_id=job.site_id, id=job.subject)
        if upload is None or not upload.is_due:
            jobs.end(job)
            return jobs.SETTLED
    if upload.to_search and upload.task != IMPORT:
        file_searches.search(site, upload, job, instance, open_texts)
    else:
        _attempt(Task(site, upload, job), instance, open_file)
    return 0


def _attempt(task: Task, instance: Path, open_file: FileOpener) -> None:
    """Does a task. If that fails, stores the problem as its result. Raises `ClaimLost`, `MACHINE_FAULTS`."""
    try:
        _do(task, instance, open_file)
    except NotFound as error:
        task.end(problem=error.message)
    except FormError as error:
        task.end(**_problem(error))
    except (ClaimLost, *MACHINE_FAULTS):
        raise
    except Exception as error:
        log.error("file %d was not read: %s", task.upload.id, where(error))
        task.end(problem=STOPPED)


def _do(task: Task, instance: Path, open_file: FileOpener) -> None:
    with _open_file(task.site, instance, task.upload, open_file, task.describe) as file:
        if task.upload.task == IMPORT:
            _import(task, file)
        else:
            _try(task, file)


def _try(task: Task, file: ReadableFile) -> None:
    """Makes a dry run of the whole file. Stores the result as it grows."""
    task.is_described = True
    task.note(0)
    done = dry_runs.dry_run(task.site, file.rows(addresses.identity_of_new), None, task.judge)
    task.found |= dry_run_result(done)
    task.end()


@contextmanager
def _open_file(
    site: Site,
    instance: Path,
    upload: FileUpload,
    open_file: FileOpener,
    follow: Callable[[int, dict[str, Any]], object],
) -> Iterator[ReadableFile]:
    """Yields the file, opened and described by the operator's answers.

    Calls `follow` with the description as it grows.
    """
    with (
        file_uploads.open_content(site, instance, upload) as binary,
        tempfile.TemporaryFile(dir=instance) as unpacked,
    ):
        yield open_file(
            upload.name, site.time_zone, file_uploads.reading_of(upload), binary, unpacked, follow
        )


def _import(task: Task, file: ReadableFile) -> None:
    """Imports the file from where a killed worker stopped, and ends the task. Stops at an undo."""
    site, upload = task.site, task.upload
    received = file_imports.resume(site, upload.file, once=True)
    received.hold = partial(jobs.hold, task.job, LONG)
    if not received.complete:
        with suppress(UndoneError):
            _receive(task, file, received)
    imported = ImportedFile(upload.name, upload.actor, file.consent, file.answers, file.digest)
    with database.write(site.id):
        jobs.hold(task.job, LONG)
        file_uploads.put_file(site, received.import_id, imported, Actor(upload.actor, upload.client_network))
        stored.end(site.id, upload.id, "", received.import_id)


def _receive(task: Task, file: ReadableFile, received: Upload) -> None:
    """Stores the rows of the file, and queues the import.

    Discards it if the file cannot be read, or the operator has abandoned it.
    """
    try:
        received.store(task.note_progress(file.rows(addresses.identity_of_new)))
    except FormError:
        received.discard()
        raise
    except ClaimLost:
        if _is_left(task):
            received.discard()
        raise
    received.accept(file.refused_header)


@database.session()
def _is_left(task: Task) -> bool:
    """Whether the operator has abandoned the file; else another worker continues."""
    return stored.get(site_id=task.site.id, id=task.upload.id) is None
