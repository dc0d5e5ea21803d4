"""Files that wait are searched for whoever was erased since they were sent.

Their rows are made blank, in place; where that cannot be done for one row alone, the file is deleted.
"""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from audience import clock, erased_pages, file_imports, file_uploads, redaction, refused_rows
from audience.errors import NotFound
from audience.file_tasks import BATCH_ROWS, LEASE_MS, TakenAwayError, Task
from audience.protocols import FileRecord, RecordOpener
from schemas.values import FormError, compact_json
from storage import database, leases, sites, suppressions
from storage import file_uploads as stored
from storage.file_uploads import FileUpload

DAY_MS = 86_400_000  # more than clocks of hosts differ, and a file takes to arrive
NAMED = (
    "Somebody in this file was erased after it was sent, so it was deleted. Send it again: nobody who was "
    "erased comes back by it."
)
UNREADABLE = (
    "Somebody was erased after this file was sent. It could not be searched for them, so it was deleted: "
    "send it again."
)


class _HeldError(Exception):
    """Somebody who was erased is in a file whose rows cannot be made blank one by one."""


def work(instance: Path, open_records: RecordOpener) -> None:
    """Searches the files that are to be searched, one after another."""
    while (task := _next()) is not None:
        erased_pages.request(instance)
        try:
            task.renew(task.upload.rows_done)
            _search(task, instance, open_records)
        except TakenAwayError:
            continue
        except NotFound:
            _drop(task, instance, file_uploads.GONE)
        except _HeldError:
            _drop(task, instance, NAMED)
        except FormError:
            _drop(task, instance, UNREADABLE)
    erased_pages.run(instance)


@database.session()
def _next() -> Task | None:
    found = stored.due_search(leases.now(clock.uptime_ms()))
    upload = stored.get(*found) if found else None
    by_id = {site.id: site for site in sites.list_all()} if found else {}
    return Task(by_id[found[0]], upload) if found and upload else None


def _search(task: Task, instance: Path, open_records: RecordOpener) -> None:
    """Raises `TakenAwayError`, `NotFound`, `_HeldError`, `FormError`."""
    site, upload = task.site, task.upload
    with database.session():
        erased = suppressions.erased_since(site.id, upload.created_at - DAY_MS)
    with (
        file_uploads.opened(site, instance, upload) as binary,
        tempfile.TemporaryFile(dir=instance) as unpacked,
        closing(open_records(upload.name, file_uploads.reading_of(upload), binary, unpacked)) as records,
    ):
        while batch := list(islice(records, BATCH_ROWS)):
            _make_blank(task, instance, [each for each in batch if _names(site.id, each, erased)])
    with database.write(site.id):
        stored.searched(site.id, task.upload)


def _names(site_id: int, record: FileRecord, erased: set[str]) -> bool:
    texts = {refused_rows.meant(text) for cell in record.cells for text in _addresses(cell)}
    return any(not erased.isdisjoint(refused_rows.address_hashes(site_id, text)) for text in texts)


def _addresses(cell: str) -> Iterator[str]:
    if cell.strip():
        yield cell
    for address in redaction.addresses_in(cell):
        yield from (address, *address.split("'"))  # a quotation mark, or part of it


def _make_blank(task: Task, instance: Path, named: list[FileRecord]) -> None:
    """In one transaction with the lease, so that nobody reads the file meanwhile."""
    if any(not record.blank for record in named):
        raise _HeldError
    site, upload = task.site, task.upload
    until = leases.now(clock.uptime_ms()) + LEASE_MS
    with database.write(site.id):
        if not stored.renew(site.id, upload, until, upload.rows_done, upload.outcome):
            raise TakenAwayError
        task.upload = upload._replace(lease_until=until)
        if named:
            stored.try_again(site.id, upload.id)
            task.upload = task.upload._replace(task=_task(upload), rows_done=0, outcome="")
            places = [(record.start, record.blank) for record in named]
            file_uploads.overwrite(site, instance, upload, places)
    if named:
        file_imports.forget(site, upload.file)


def _task(upload: FileUpload) -> str:
    """That of a file that has changed."""
    return stored.ASKED if upload.task == stored.ASKED else stored.TRY


def _drop(task: Task, instance: Path, why: str) -> None:
    with database.write(task.site.id):
        dropped = stored.drop(task.site.id, task.upload, compact_json({"problem": why}))
    if dropped:
        file_uploads.remove_file(task.site, instance, task.upload)
