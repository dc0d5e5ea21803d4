"""Files that wait are searched for whoever was erased since they were sent.

Their rows are made blank, in place; where that cannot be done for one row alone, the file is deleted.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

from audience import jobs, redaction
from audience.access import site_keys
from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.errors import NotFound
from audience.imports import file_imports, file_uploads
from audience.jobs import LONG, Job
from audience.protocols import FileRecord, RecordOpener
from schemas.values import FormError, compact_json
from storage import database
from storage.erasures import suppressions
from storage.imports import file_uploads as stored
from storage.imports.file_uploads import FileUpload
from storage.instance import erased_pages

BATCH_ROWS = 1_000
NAMED = (
    "Somebody in this file was erased after it was sent, so it was deleted. Send it again: nobody who was "
    "erased comes back by it."
)
UNREADABLE = (
    "Somebody was erased after this file was sent. It could not be searched for them, so it was deleted: "
    "send it again."
)


class _HeldError(Exception):
    """An erased subscriber is in a file whose rows cannot be blanked one by one."""


def search(site: Site, upload: FileUpload, job: Job, instance: Path, open_records: RecordOpener) -> None:
    """Searches a file to its end, or deletes it. Raises `ClaimLost`."""
    why = ""
    try:
        _search(site, upload, job, instance, open_records)
    except NotFound:
        why = file_uploads.GONE
    except _HeldError:
        why = NAMED
    except FormError:
        why = UNREADABLE
    with database.write(site.id):
        jobs.hold(job, LONG)
        erased_pages.request(instance)
        if why:
            stored.drop(site.id, upload.id, compact_json({"problem": why}))
        else:
            stored.searched(site.id, upload)
    if why:
        file_uploads.remove_file(site, instance, upload)
    erased_pages.run(instance)


def _search(site: Site, upload: FileUpload, job: Job, instance: Path, open_records: RecordOpener) -> None:
    """Searches a file. Raises `ClaimLost`, `NotFound`, `_HeldError`, `FormError`."""
    with database.session():
        # A day is more than clocks of hosts differ, and a file takes to arrive.
        erased = suppressions.erased_since(site.id, upload.created_at - DAY_MS)
    with (
        file_uploads.opened(site, instance, upload) as binary,
        tempfile.TemporaryFile(dir=instance) as unpacked,
        closing(open_records(upload.name, file_uploads.reading_of(upload), binary, unpacked)) as records,
    ):
        while batch := list(islice(records, BATCH_ROWS)):
            named = [subscriber for subscriber in batch if _names(site.id, subscriber, erased)]
            _make_blank(site, upload, job, instance, named)


def _names(site_id: int, record: FileRecord, erased: set[str]) -> bool:
    texts = {site_keys.meant(text) for cell in record.cells for text in _addresses(cell)}
    return any(not erased.isdisjoint(site_keys.sent_address_hashes(site_id, text)) for text in texts)


def _addresses(cell: str) -> Iterator[str]:
    if cell.strip():
        yield cell
    for address in redaction.addresses_in(cell):
        yield from (address, *address.split("'"))  # a quotation mark, or part of it


def _make_blank(
    site: Site, upload: FileUpload, job: Job, instance: Path, named: Sequence[FileRecord]
) -> None:
    """Blanks rows of a file, in one transaction with the lease, so that nobody reads the file meanwhile."""
    if any(not record.blank for record in named):
        raise _HeldError
    with database.write(site.id):
        jobs.hold(job, LONG)
        if named:
            stored.try_again(site.id, upload.id)
            places = [(record.start, record.blank) for record in named]
            file_uploads.overwrite(site, instance, upload, places)
    if named:
        file_imports.forget(site, upload.file)
