"""What a worker does with files that operators sent: it tries all of one, or imports it.

A task is claimed for `LEASE_MS`, again with every batch of rows: if a worker is killed, another goes on.
"""

import logging
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audience import addresses, clock, file_imports, file_uploads
from audience.audit_log import Actor
from audience.errors import NotFound, where
from audience.file_imports import DryRun, FileRows
from audience.imports import MACHINE_FAULTS
from audience.protocols import FileOpener, ReadableFile
from audience.sites import Site
from schemas.values import FormError, compact_json
from storage import database, leases, sites
from storage import file_uploads as stored
from storage.file_uploads import IMPORT, FileUpload

log = logging.getLogger(__name__)
LEASE_MS = stored.MAX_LEASE_MS  # a file is looked through before its first batch
BATCH_ROWS = 1_000
STOPPED = "It stopped by itself: find the cause in the worker's log, then look again."


class TakenAwayError(Exception):
    """The task is gone, or somebody else's."""


@dataclass
class Task:
    """What is to be done with a file; `upload` is as this worker has claimed it last."""

    site: Site
    upload: FileUpload

    def renew(self, rows_done: int) -> None:
        """Raises `TakenAwayError`."""
        until = leases.now(clock.uptime_ms()) + LEASE_MS
        with database.write(self.site.id):
            if not stored.renew(self.site.id, self.upload, until, rows_done):
                raise TakenAwayError
        self.upload = self.upload._replace(lease_until=until)

    def followed(self, rows: FileRows) -> FileRows:
        with closing(rows):
            for number, row in enumerate(rows, 1):
                if number % BATCH_ROWS == 0:
                    self.renew(number)
                yield row

    def end(self, outcome: Mapping[str, Any]) -> None:
        with database.write(self.site.id):
            stored.end(self.site.id, self.upload, compact_json(dict(outcome)))


def work(instance: Path, open_file: FileOpener) -> None:
    """Does the tasks that wait, one after another. Raises `MACHINE_FAULTS`."""
    while (task := _next()) is not None:
        try:
            task.renew(0)
            _do(task, instance, open_file)
        except TakenAwayError:
            continue
        except NotFound as error:
            task.end({"problem": error.message})
        except FormError as error:
            task.end({"problem": error.problems[0].message, "found": error.found})
        except MACHINE_FAULTS:
            raise
        except Exception as error:
            log.error("file %d was not read: %s", task.upload.id, where(error))
            task.end({"problem": STOPPED})


@database.session()
def _next() -> Task | None:
    found = stored.due(leases.now(clock.uptime_ms()))
    upload = stored.get(*found) if found else None
    by_id = {site.id: site for site in sites.list_all()} if found else {}
    return Task(by_id[found[0]], upload) if found and upload else None


def _do(task: Task, instance: Path, open_file: FileOpener) -> None:
    with _opened(task, instance, open_file) as file:
        if task.upload.task == IMPORT:
            _import(task, file)
        else:
            done = file_imports.dry_run(task.site, task.followed(file.rows(addresses.identity)))
            task.end(_outcome(done))
    if task.upload.task == IMPORT:
        file_uploads.remove_file(task.site, instance, task.upload)


@contextmanager
def _opened(task: Task, instance: Path, open_file: FileOpener) -> Iterator[ReadableFile]:
    upload = task.upload
    with (
        file_uploads.opened(task.site, instance, upload) as binary,
        tempfile.TemporaryFile(dir=instance) as unpacked,
    ):
        yield open_file(upload.name, file_uploads.reading_of(upload), binary, unpacked)


def _import(task: Task, file: ReadableFile) -> None:
    """Goes on where another worker was killed."""
    received = file_imports.resume(task.site, task.upload.file)
    if not received.complete:
        try:
            received.store(task.followed(file.rows(addresses.identity)))
        except (FormError, TakenAwayError):
            received.discard()
            raise
        received.accept(file.columns)
    upload = task.upload
    file_uploads.imported(task.site, received.import_id, upload, Actor(upload.actor, upload.client_network))


def _outcome(done: DryRun) -> dict[str, Any]:
    numbers = {"left": len(done.left), "stayed": len(done.stayed), "rows_seen": done.rows_seen}
    return {"counts": dict(done.counts), **numbers}
