"""Imports of files: stored batch by batch, and accepted once the file is complete.

Until then the import is `receiving`, and nothing is applied. An upload that stays incomplete is deleted.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice

from audience import clock
from audience.access import audit_log
from audience.access.audit_log import COMMAND_LINE, Actor
from audience.access.sites import Site
from audience.changes.changes import change_from_item
from audience.clock import DAY_MS, HOUR_MS
from audience.errors import AudienceError, NotFound, Refused, ServiceUnavailable
from audience.imports import file_uploads, imports, refused_rows
from audience.imports import payloads as import_payloads
from audience.protocols import FileRow, ImportQueue
from schemas.codes import Code, Sentence
from storage import database, leases
from storage.access import site_counters
from storage.imports import file_imports as stored
from storage.imports import imports as stored_imports
from storage.imports.file_imports import RefusedRow
from storage.imports.file_uploads import ImportedFile

__all__ = ["RefusedRow"]

BATCH_ROWS = 1_000
BATCH_LENGTH = 2**20  # characters; a batch is longer by one row at most
LEASE_MS = HOUR_MS
RESUME_MS = 30 * DAY_MS
RETENTION_MS = 30 * DAY_MS
ABANDONED = Sentence(
    Code.UPLOAD_ABANDONED,
    "The import was abandoned because the file arrived too slowly: send the file again.",
)
UNDONE = "The import was undone before the file was read: send the file again to import it after all."

FileRows = Generator[FileRow, None, None]


class UndoneError(Refused):
    """The import was stopped while its file was being received."""


@dataclass
class Upload:
    """A file that is being received as an import. `stored_rows` are stored so far, and all are if `complete`.

    `hold` is called at the beginning of each transaction, which rolls back if `hold` raises. `keep` is called
    with the import's id at the end of the transaction that accepts the import.
    """

    site: Site
    import_id: int
    lease_ms: int
    stored_rows: int = 0
    complete: bool = False
    hold: Callable[[], object] = bool
    keep: Callable[[int], object] = bool

    def store(self, rows: FileRows) -> None:
        """Stores the rows of the file, without the first `stored_rows`, which are stored already.

        Raises `ServiceUnavailable` if the upload was abandoned, and `UndoneError`.
        """
        items: list[bytes] = []
        refused: list[RefusedRow] = []
        size = 0
        with closing(rows):
            for row in islice(rows, self.stored_rows, None):
                if row.item is None:
                    refused.append(refused_rows.without_addresses(self.site.id, row))
                    size += sum(map(len, row.cells))
                else:
                    change = change_from_item(row.item, time_zone=self.site.time_zone)
                    items.append(import_payloads.row(change))
                    size += len(items[-1])
                if len(items) + len(refused) == BATCH_ROWS or size > BATCH_LENGTH:
                    self._store(items, refused)
                    items, refused, size = [], [], 0
        self._store(items, refused)

    def _store(self, items: list[bytes], refused: list[RefusedRow]) -> None:
        """Stores `items`, which are rows of a payload, and the refused rows, in one transaction."""
        site_id, at = self.site.id, clock.now_ms()
        with database.write(site_id):
            self.hold()
            import_ = stored_imports.get(site_id, self.import_id)
            if items and import_ is not None:
                stored_imports.add_batch(site_id, self.import_id, import_.rows, import_payloads.join(items))
            stored.add_refused(site_id, self.import_id, refused, at)
            self._count(len(items), len(refused), _now())

    def _count(self, rows: int, refused: int, now: int) -> None:
        """Counts received rows, and renews the lease of the upload. Raises as `store`."""
        if not stored.receive(self.site.id, self.import_id, rows, refused, now, now + self.lease_ms):
            raise self._error_of_end()

    def _error_of_end(self) -> AudienceError:
        """The error for rows that come after the import was undone or abandoned."""
        import_ = stored_imports.get(self.site.id, self.import_id)
        return (
            UndoneError(UNDONE) if import_ and import_.status == "failed" else ServiceUnavailable(ABANDONED)
        )

    def discard(self) -> None:
        """Deletes an incomplete import."""
        _discard(self.site.id, self.import_id)

    def accept(
        self,
        columns: Sequence[str],
        import_queue: ImportQueue | None = None,
        file: ImportedFile | None = None,
        actor: Actor = COMMAND_LINE,
    ) -> None:
        """Queues the complete import and stores its `file`, which the audit log records for `actor`.

        Raises as `store` does.
        """
        with database.write(self.site.id):
            self.hold()
            number, at = site_counters.take_acceptance_number(self.site.id, clock.now_ms())
            if not stored.accept(self.site.id, self.import_id, list(columns), at, _now(), number):
                raise self._error_of_end()
            if file:
                file_uploads.put_file(self.site, self.import_id, file, actor)
            self.keep(self.import_id)
        if import_queue:
            import_queue.notify(self.site.id)


@contextmanager
def receiving(site: Site) -> Iterator[Upload]:
    """Yields the import of a new file, which is discarded if the block raises."""
    with database.write(site.id):
        upload = Upload(site, stored.begin(site.id, None, clock.now_ms(), _now() + LEASE_MS), LEASE_MS)
    try:
        yield upload
    except BaseException:
        upload.discard()
        raise


@database.writes_site
def resume(site: Site, source: str, once: bool = False) -> Upload:
    """The unfinished import of the file that `source` identifies, else a new import. It is `complete` if all
    its rows are stored. An import that stopped arriving too long ago does not count.

    With `once`, an import of the file that has ended is returned in place of a new one.
    """
    import_id = stored.unfinished_id(site.id, source, _now())
    if import_id is None and once:
        import_id = stored.newest_ended_id(site.id, source)
    if import_id is None:
        until = _now() + RESUME_MS
        return Upload(site, stored.begin(site.id, source, clock.now_ms(), until), RESUME_MS)
    import_ = stored_imports.get(site.id, import_id)
    stored_rows = import_.rows + import_.refused if import_ else 0
    complete = import_ is None or import_.status != "receiving"
    return Upload(site, import_id, RESUME_MS, stored_rows, complete)


def forget(site: Site, source: str) -> None:
    """Deletes the interrupted import of a file that has changed, if any."""
    with database.session():
        import_id = stored.unfinished_id(site.id, source, _now())
    if import_id is not None:
        _discard(site.id, import_id)


def _now() -> int:
    """The clock of uploads' leases, in milliseconds.

    Without a database server it is the wall clock, not the uptime, because such a lease may outlast a reboot.
    """
    return leases.now(clock.now_ms())


def _discard(site_id: int, import_id: int) -> None:
    """Deletes an import in several transactions, so that others can write between them."""
    more = True
    while more:
        with database.write(site_id):
            more = stored.discard(site_id, import_id)


def columns(site: Site, import_id: int) -> list[str]:
    """The columns of an import's file. Raises `NotFound`."""
    with database.session():
        names = stored.columns(site.id, import_id)
    if names is None:
        raise NotFound(imports.NOT_FOUND)
    return names


@database.session()
def refusals(site: Site, import_id: int) -> list[tuple[str, int]]:
    """The (code, number of rows) of the refused rows of an import, the most common first."""
    return stored.refused_by_code(site.id, import_id)


def download(site: Site, import_id: int, actor: Actor) -> Iterator[RefusedRow]:
    """Yields the same as `list_refused`. At the end, even an early one, the audit log records how many."""
    pages = _refused_pages(site, import_id)
    for page in audit_log.record_export(site, pages, actor, "refused rows downloaded", f"import {import_id}"):
        yield from page


def list_refused(site: Site, import_id: int) -> Iterator[RefusedRow]:
    """Yields the refused rows of an import's file, in order, read in pages."""
    for page in _refused_pages(site, import_id):
        yield from page


def _refused_pages(site: Site, import_id: int) -> Iterator[list[RefusedRow]]:
    after = 0
    while True:
        with database.session():
            page = stored.refused_page(site.id, import_id, after)
        if not page:
            return
        yield [row for _, row in page]
        after = page[-1][0]


@database.writes_site
def retry(site: Site, import_id: int, actor: Actor) -> None:
    """Queues a failed import of the site again, which the audit log records. Raises `NotFound`."""
    imports.progress(site, import_id)
    imports.retry(import_id)
    audit_log.record(actor, "import continued", site, f"import {import_id}")


def sweep(only_site: int | None = None) -> None:
    """Deletes abandoned imports."""
    with database.session():
        abandoned = stored.list_abandoned(_now(), only_site)
    for site_id, import_id in abandoned:
        _discard(site_id, import_id)


def forget_refused(only_site: int | None = None) -> bool:
    """Deletes some refused rows that are older than `RETENTION_MS`. Returns False if there are none."""
    return refused_rows.forget(clock.now_ms() - RETENTION_MS, only_site)
