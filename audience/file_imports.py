"""Imports of files: stored batch by batch, and accepted once the file is complete.

Until then the import is `receiving`: nothing is applied. An incomplete upload leaves nothing behind.
"""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice

from audience import audit_log, clock, import_payloads, imports, refused_rows, subscribers
from audience.audit_log import Actor
from audience.changes import Change, Outcome, change_from_item
from audience.errors import NotFound, ServiceUnavailable
from audience.protocols import FileRow, ImportQueue
from audience.sites import Site
from audience.subscribers import Subscriber
from schemas.values import KnownPeople
from storage import database, site_counters
from storage import file_imports as stored
from storage import imports as stored_imports
from storage.file_imports import RefusedRow

__all__ = ["RefusedRow"]

BATCH_ROWS = 1_000
BATCH_LENGTH = 2**20  # characters, that a batch is longer than by one row at most
PREVIEW_ROWS = 20
REFUSED = "refused"
MINUTE_MS = 60_000
LEASE_MS = 60 * MINUTE_MS
RESUME_MS = 30 * 24 * 60 * MINUTE_MS
RETENTION_MS = 30 * 24 * 60 * MINUTE_MS
ABANDONED = "The import was abandoned because the file arrived too slowly: send the file again."


FileRows = Generator[FileRow, None, None]


@dataclass
class Upload:
    """A file that is being received as an import: its rows stored so far, all of them if `complete`."""

    site: Site
    import_id: int
    lease_ms: int
    stored_rows: int = 0
    complete: bool = False

    def store(self, rows: FileRows) -> None:
        """Stores the rows after the first `stored_rows`. Raises `ServiceUnavailable` if abandoned."""
        items: list[bytes] = []
        refused: list[RefusedRow] = []
        size = 0
        with closing(rows):
            for row in islice(rows, self.stored_rows, None):
                if row.item is None:
                    refused.append(refused_rows.without_addresses(self.site.id, row))
                    size += sum(map(len, row.cells))
                else:
                    items.append(import_payloads.row(change_from_item(row.item)))
                    size += len(items[-1])
                if len(items) + len(refused) == BATCH_ROWS or size > BATCH_LENGTH:
                    self._store(items, refused)
                    items, refused, size = [], [], 0
        self._store(items, refused)

    def _store(self, items: list[bytes], refused: list[RefusedRow]) -> None:
        """`items` are rows of a payload."""
        site_id, at = self.site.id, clock.now_ms()
        with database.write(site_id):
            import_ = stored_imports.get(site_id, self.import_id)
            if items and import_ is not None:
                stored_imports.add_batch(site_id, self.import_id, import_.rows, import_payloads.join(items))
            stored.refuse(site_id, self.import_id, refused, at)
            self._count(len(items), len(refused), at)

    def _count(self, rows: int, refused: int, at: int) -> None:
        if not stored.receive(self.site.id, self.import_id, rows, refused, at, at + self.lease_ms):
            raise ServiceUnavailable(ABANDONED)

    def discard(self) -> None:
        """Deletes an incomplete import."""
        _discard(self.site.id, self.import_id)

    def accept(self, columns: Sequence[str], import_queue: ImportQueue | None = None) -> None:
        """Queues the complete import. Raises `ServiceUnavailable` if abandoned."""
        with database.write(self.site.id):
            number = site_counters.take(self.site.id)
            if not stored.accept(self.site.id, self.import_id, list(columns), clock.now_ms(), number):
                raise ServiceUnavailable(ABANDONED)
        if import_queue:
            import_queue.notify(self.site.id)


@contextmanager
def receiving(site: Site) -> Iterator[Upload]:
    """An import of a new file, discarded if the block raises."""
    at = clock.now_ms()
    with database.write(site.id):
        upload = Upload(site, stored.begin(site.id, None, at, at + LEASE_MS), LEASE_MS)
    try:
        yield upload
    except BaseException:
        upload.discard()
        raise


@database.writes_site
def resume(site: Site, source: str) -> Upload:
    """The interrupted import of the file identified by `source`, or a new import."""
    at = clock.now_ms()
    import_id = stored.unfinished(site.id, source, at)
    if import_id is None:
        return Upload(site, stored.begin(site.id, source, at, at + RESUME_MS), RESUME_MS)
    import_ = stored_imports.get(site.id, import_id)
    stored_rows = import_.rows + import_.refused if import_ else 0
    complete = import_ is None or import_.status != "receiving"
    return Upload(site, import_id, RESUME_MS, stored_rows, complete)


def _discard(site_id: int, import_id: int) -> None:
    """In several transactions, so that others can write in between."""
    more = True
    while more:
        with database.write(site_id):
            more = stored.discard(site_id, import_id)


@dataclass(frozen=True)
class RowPreview:
    """A row as it would become: `subscriber` with the names of `tags`, or why the row is refused."""

    row: FileRow
    outcome: str
    subscriber: Subscriber | None = None
    tags: Sequence[str] = ()


@dataclass
class DryRun:
    """What an import would do with `rows_seen` rows, all of the file if `whole`: the number by outcome, or
    `REFUSED`, and the first `rows`. Hashes of who would be `created`, have `left`, or had left before and
    `stayed` away are held: a next row with one does not count again.
    """

    counts: Counter[str] = field(default_factory=Counter)
    left: set[int] = field(default_factory=set)
    stayed: set[int] = field(default_factory=set)
    rows_seen: int = 0
    whole: bool = True
    rows: list[RowPreview] = field(default_factory=list)
    created: set[int] = field(default_factory=set)

    def judge(self, site_id: int, batch: Sequence[FileRow]) -> None:
        at = clock.now_ms()
        asked = {row.row_number: change_from_item(row.item, at) for row in batch if row.item is not None}
        done = subscribers.dry_run(site_id, list(asked.values()))
        outcomes = dict(zip(asked, done.outcomes, strict=True))
        for row in batch:
            change = asked.get(row.row_number)
            outcome = self._outcome(change, outcomes[row.row_number]) if change else REFUSED
            self.counts[outcome] += 1
            if len(self.rows) < PREVIEW_ROWS:
                subscriber = done.after.get(change.key) if change else None
                tag_ids = subscriber.tag_ids if subscriber else []
                names = [done.tags[tag_id] for tag_id in tag_ids if tag_id in done.tags]
                self.rows.append(RowPreview(row, outcome, subscriber, names))
        self.rows_seen += len(batch)
        gone = {hash(key) for key, after in done.after.items() if after.unsubscribed_at is not None}
        self.left |= {hash(key) for key in done.left}
        self.stayed |= gone - self.left

    def _outcome(self, change: Change, outcome: Outcome) -> Outcome:
        """That of a row whose subscriber an earlier row may have created, which nothing wrote."""
        if outcome is not Outcome.CREATED:
            return outcome
        repeated = hash(change.key) in self.created
        self.created.add(hash(change.key))
        if not repeated:
            return outcome
        return Outcome.UNCHANGED if change.known == KnownPeople.SKIP else Outcome.UPDATED


def dry_run(site: Site, rows: FileRows, most: int | None = None) -> DryRun:
    """What an import of (at `most` the first) rows would do; nothing is written."""
    done = DryRun()
    with closing(rows):
        judged = rows if most is None else islice(rows, most)
        while batch := list(islice(judged, BATCH_ROWS)):
            done.judge(site.id, batch)
        done.whole = next(rows, None) is None
    return done


def columns(site: Site, import_id: int) -> list[str]:
    """The columns of an import's file. Raises `NotFound`."""
    with database.session():
        names = stored.columns(site.id, import_id)
    if names is None:
        raise NotFound(imports.NOT_FOUND)
    return names


@database.session()
def refusals(site: Site, import_id: int) -> list[tuple[str, int]]:
    """(code, rows) of the refused rows of an import, the most common first."""
    return stored.refused_by_code(site.id, import_id)


def refused(site: Site, import_id: int) -> Iterator[RefusedRow]:
    """The refused rows of an import, in order, read page by page."""
    after = 0
    while True:
        with database.session():
            page = stored.refused_page(site.id, import_id, after)
        if not page:
            return
        yield from (row for _, row in page)
        after = page[-1][0]


@database.writes_site
def retry(site: Site, import_id: int, actor: Actor) -> None:
    """Goes on with a failed import of the site, and says so in the audit log. Raises `NotFound`."""
    imports.progress(site, import_id)
    imports.retry(import_id)
    audit_log.record(actor, "import tried again", site, f"import {import_id}")


def sweep() -> None:
    """Deletes abandoned imports, and refused rows after `RETENTION_MS`."""
    at = clock.now_ms()
    with database.session():
        abandoned, stale = stored.abandoned(at), stored.refused_before(at - RETENTION_MS)
    for site_id, import_id in abandoned:
        _discard(site_id, import_id)
    while stale:
        with database.write():
            stale = stored.forget_refused(at - RETENTION_MS) > 0
