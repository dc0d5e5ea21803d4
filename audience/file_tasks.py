"""What a worker does with files that operators sent: it tries all of one, or imports it.

A task is claimed for `LEASE_MS`, again with every batch of rows: if a worker is killed, another goes on.
"""

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from audience import addresses, clock, dry_runs, file_imports, file_uploads
from audience.audit_log import Actor
from audience.dry_runs import DryRun
from audience.errors import NotFound, where
from audience.file_imports import FileRows, TakenBackError, Upload
from audience.jobs import MACHINE_FAULTS
from audience.protocols import FileOpener, ReadableFile
from audience.sites import Site
from schemas.values import FormError, compact_json
from storage import database, leases, sites
from storage import file_uploads as stored
from storage.errors import Unavailable
from storage.file_uploads import IMPORT, FileUpload, ImportedFile

log = logging.getLogger(__name__)
LEASE_MS = stored.LEASE_MS  # a workbook is unpacked before its first row
BATCH_ROWS = 1_000
STOPPED = "It stopped by itself: find the cause in the worker's log, then look again."


class TakenAwayError(Exception):
    """The task is gone, or somebody else's."""


@dataclass
class Task:
    """What is to be done with a file; `upload` is as this worker has claimed it last.

    `found` is what is known by now, as JSON, and shown once all is `looked` through: `look`, what the file is
    (schemas/file_looks.py); what `tried` gives; or the `problem`, with the values `found`. `meanwhile` is
    called with every batch.
    """

    site: Site
    upload: FileUpload
    found: dict[str, Any] = field(default_factory=dict)
    looked: bool = False
    meanwhile: Callable[[], object] = bool

    def renew(self, rows_done: int, lease_ms: int = LEASE_MS) -> None:
        """Raises `TakenAwayError`."""
        until = leases.now(clock.uptime_ms()) + lease_ms if lease_ms else 0
        known = compact_json(self.found) if self.looked else self.upload.outcome
        with database.write(self.site.id):
            if not stored.renew(self.site.id, self.upload, until, rows_done, known):
                raise TakenAwayError
        self.upload = self.upload._replace(lease_until=until)

    def look(self, rows_done: int, look: dict[str, Any]) -> None:
        """Raises `TakenAwayError`."""
        self.found["look"] = look
        self.renew(rows_done)

    def judge(self, done: DryRun) -> None:
        """Raises `TakenAwayError`."""
        self.found |= tried(done)
        self.renew(done.rows_seen)
        self.meanwhile()

    def followed(self, rows: FileRows) -> FileRows:
        with closing(rows):
            for number, row in enumerate(rows, 1):
                if number % BATCH_ROWS == 0:
                    self.renew(number)
                    self.meanwhile()
                yield row

    def end(self, **problem: Any) -> None:
        with database.write(self.site.id):
            stored.end(self.site.id, self.upload, compact_json(self.found | problem))


def look_now(site: Site, instance: Path, upload: FileUpload, open_file: FileOpener) -> dict[str, Any]:
    """What a worker would find in a file that is small; only what its columns mean while others write."""
    found: dict[str, Any] = {}
    try:
        with _opened(site, instance, upload, open_file, lambda _, look: found.update(look=look)) as file:
            found |= tried(dry_runs.dry_run(site, file.rows(addresses.identity)))
    except FormError as error:
        found |= _problem(error)
    except Unavailable:
        if not found:
            raise
    return found


def tried(done: DryRun) -> dict[str, Any]:
    """What an import would do, as JSON; `refused` are (row, why) of those among the first rows."""
    refused = [(each.row.row_number, each.row.message) for each in done.rows if each.row.message]
    return {
        "counts": dict(done.counts),
        "left": done.left,
        "new_left": done.new,
        "stayed": done.stayed,
        "rows_seen": done.rows_seen,
        "whole": done.whole,
        "refused": refused,
        "first_rows": len(done.rows),
    }


def _problem(error: FormError) -> dict[str, Any]:
    return {"problem": error.problems[0].message, "found": error.page_found}


def work(instance: Path, open_file: FileOpener) -> None:
    """Does the tasks that wait, one after another. Raises `MACHINE_FAULTS`."""
    while (task := _next()) is not None:
        task.meanwhile = partial(_look_at_others, instance, open_file)
        _attempt(task, partial(_do, task, instance, open_file))


def _look_at_others(instance: Path, open_file: FileOpener) -> None:
    """Looks through files that wait behind a long task, so that their pages show the columns."""
    while (task := _next(unseen=True)) is not None:
        _attempt(task, partial(_look, task, instance, open_file))


def _attempt(task: Task, do: Callable[[], None]) -> None:
    """Claims and does a task, and says so if it cannot be done. Raises `MACHINE_FAULTS`."""
    try:
        task.renew(0)
        do()
    except TakenAwayError:
        return
    except NotFound as error:
        task.end(problem=error.message)
    except FormError as error:
        task.end(**_problem(error))
    except MACHINE_FAULTS:
        raise
    except Exception as error:
        log.error("file %d was not read: %s", task.upload.id, where(error))
        task.end(problem=STOPPED)


@database.session()
def _next(unseen: bool = False) -> Task | None:
    found = stored.due(leases.now(clock.uptime_ms()), unseen)
    upload = stored.get(*found) if found else None
    by_id = {site.id: site for site in sites.list_all()} if found else {}
    return Task(by_id[found[0]], upload) if found and upload else None


def _look(task: Task, instance: Path, open_file: FileOpener) -> None:
    with _opened(task.site, instance, task.upload, open_file, task.look):
        task.looked = True
    task.renew(0, lease_ms=0)


def _do(task: Task, instance: Path, open_file: FileOpener) -> None:
    with _opened(task.site, instance, task.upload, open_file, task.look) as file:
        if task.upload.task == IMPORT:
            _import(task, file)
        else:
            _try(task, file)
    if task.upload.task == IMPORT:
        file_uploads.remove_file(task.site, instance, task.upload)


def _try(task: Task, file: ReadableFile) -> None:
    task.looked = True
    task.renew(0)
    done = dry_runs.dry_run(task.site, file.rows(addresses.identity), None, task.judge)
    task.found |= tried(done)
    task.end()


@contextmanager
def _opened(
    site: Site,
    instance: Path,
    upload: FileUpload,
    open_file: FileOpener,
    follow: Callable[[int, dict[str, Any]], object],
) -> Iterator[ReadableFile]:
    with (
        file_uploads.opened(site, instance, upload) as binary,
        tempfile.TemporaryFile(dir=instance) as unpacked,
    ):
        yield open_file(
            upload.name, site.time_zone, file_uploads.reading_of(upload), binary, unpacked, follow
        )


def _import(task: Task, file: ReadableFile) -> None:
    """Goes on where another worker was killed; what is taken back meanwhile is not read on."""
    received = file_imports.resume(task.site, task.upload.file, once=True)
    if not received.complete:
        with suppress(TakenBackError):
            _receive(task, file, received)
    upload = task.upload
    kept = ImportedFile(upload.name, upload.actor, file.consent, file.answers, file.digest)
    actor = Actor(upload.actor, upload.client_network)
    file_uploads.imported(task.site, received.import_id, upload, kept, actor)


def _receive(task: Task, file: ReadableFile, received: Upload) -> None:
    try:
        received.store(task.followed(file.rows(addresses.identity)))
    except (FormError, TakenAwayError):
        received.discard()
        raise
    received.accept(file.columns)
