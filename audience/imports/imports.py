"""Imports: accepted into the inbox at once, applied later in order of acceptance.

An import is one inbox row with batches of items, committed before the response. A worker advances `applied`
in the transaction that writes the subscribers: a crash neither loses a row nor applies it twice. An item
erased while it waits becomes `null`, and counts as suppressed.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from audience import clock, jobs, telemetry
from audience.access.sites import Site
from audience.changes import targets
from audience.changes.changes import Acceptance, Change, Item, Outcome, change_from_item
from audience.errors import NotFound
from audience.imports import moved_addresses
from audience.imports import payloads as import_payloads
from audience.jobs import Job
from audience.protocols import ImportQueue
from audience.sources import Source, SourceKind
from audience.subscribers import field_values, subscribers
from audience.webhooks import finished_imports
from schemas.codes import Code, Sentence
from schemas.values import FieldError, index_of
from storage import database
from storage import jobs as stored_jobs
from storage.access import site_counters
from storage.errors import Unavailable
from storage.imports import imports as stored
from storage.imports import moved_addresses as stored_moves
from storage.imports.imports import Import as Import
from storage.imports.imports import RunningImport
from storage.pace import Pace

MAX_VALUES = 10_000  # tags and fields per chunk
WAIT_SECONDS = 1.0  # a request with a small import waits for it
MAX_LISTED = 100
_pace = Pace()
NOT_FAILED = Sentence(
    Code.IMPORT_NOT_FOUND,
    "No failed import has this id, or the import is undone: `audience imports failed` lists failed imports.",
)
NOT_FOUND = Sentence(
    Code.IMPORT_NOT_FOUND, "Import not found: GET /v1/batch/imports lists the newest imports of the site."
)


@dataclass(frozen=True)
class AcceptedImport:
    id: int
    accepted: int
    refused: int
    errors: list[FieldError]
    unsubscribes_ignored: int
    subscribes_ignored: int


@dataclass(frozen=True)
class StoredImport:
    """An import of a request: its (index, change) pairs, and the errors of the other items.

    `finished` is the import if it was applied at once, else None.
    """

    id: int
    numbered: list[tuple[int, Change]]
    errors: list[FieldError]
    is_small: bool
    finished: Import | None = None


def accept(
    site: Site,
    items: Sequence[tuple[int, Item]],
    errors: Sequence[FieldError],
    import_queue: ImportQueue,
    inline_rows: int,
) -> AcceptedImport:
    """Accepts items, as (index in the request, item); `errors` are those of items refused already.

    Up to `inline_rows` items are applied at once or, behind older imports, waited for up to a second. More
    are applied later.
    """
    return outcome(site, store(site, items, errors, inline_rows), import_queue)


def store(
    site: Site, items: Sequence[tuple[int, Item]], errors: Sequence[FieldError], inline_rows: int
) -> StoredImport:
    """Stores the items of an import, or applies them at once, in one transaction. See `accept`.

    Then call `outcome`, which notifies the workers.
    """
    numbered, malformed = targets.changes_of(site, items)
    problems = sorted([*errors, *malformed], key=index_of)
    refused = len({index_of(problem) for problem in problems})
    changes = [change for _, change in numbered]
    small = len(changes) <= inline_rows
    payload = import_payloads.join(map(import_payloads.row, changes))
    finished = None
    with database.write(site.id):
        accepted = subscribers.accept_now(site.id)
        now = small and stored_jobs.first_in_order(site.id) is None
        import_id = stored.add(site.id, len(changes), refused, accepted.at, accepted.number)
        if now:
            finished = _apply_at_once(site.id, import_id, changes)
        else:
            stored.add_batch(site.id, import_id, 0, payload)
            stored_jobs.add(site.id, stored.JOB, import_id, accepted.number)
    return StoredImport(import_id, numbered, problems, small, finished)


def rebuild_stored(
    site: Site,
    import_id: int,
    items: Sequence[tuple[int, Item]],
    errors: Sequence[FieldError],
    inline_rows: int,
) -> StoredImport:
    """Rebuilds what `store` returned for an earlier request with the same items. `errors` are all
    errors of that request.
    """
    refused = {index_of(error) for error in errors}
    others = [(index, item) for index, item in items if index not in refused]
    numbered = [(index, change_from_item(item, time_zone=site.time_zone)) for index, item in others]
    return StoredImport(import_id, numbered, list(errors), len(numbered) <= inline_rows)


def outcome(site: Site, import_: StoredImport, import_queue: ImportQueue) -> AcceptedImport:
    """The outcome of a stored import, after the transaction. Waits for a small one, up to a second."""
    finished, refused = import_.finished, len({index_of(problem) for problem in import_.errors})
    if finished is not None:
        _record_finished(site.id, finished)
    else:
        import_queue.notify(site.id)
        if import_.is_small:
            finished = _wait_for_turn(site, import_.id)
    changes = [change for _, change in import_.numbered]
    erased = subscribers.erased_keys(site, changes) if finished and finished.suppressed else set()
    suppressed = [
        FieldError(f"subscribers[{index}].email", subscribers.SUPPRESSED)
        for index, change in import_.numbered
        if change.key in erased
    ]
    done, errors = len(changes) - len(suppressed), sorted([*import_.errors, *suppressed], key=index_of)
    ignored = (finished.unsubscribes_ignored, finished.subscribes_ignored) if finished else (0, 0)
    return AcceptedImport(import_.id, done, refused + len(suppressed), errors, *ignored)


def _apply_at_once(site_id: int, import_id: int, changes: Sequence[Change]) -> Import:
    """Applies a whole import in the caller's transaction, however many chunks it has."""
    accepted = _applying(site_id, import_id)
    while accepted.applied < accepted.rows:
        accepted = _apply(site_id, accepted, changes[accepted.applied :])
    return _finish(site_id, import_id)


def _wait_for_turn(site: Site, import_id: int) -> Import | None:
    """Waits until an import is applied. Returns it, or None if that takes long or the database fails."""
    deadline = time.monotonic() + WAIT_SECONDS
    with suppress(Unavailable):
        while time.monotonic() < deadline:
            if (import_ := progress(site, import_id)).finished_at is not None:
                return import_
            time.sleep(0.02)
    return None


@database.session()
def progress(site: Site, import_id: int) -> Import:
    """An import with its progress. Raises `NotFound`."""
    import_ = stored.get(site.id, import_id)
    if import_ is None:
        raise NotFound(NOT_FOUND)
    return import_


@database.session()
def newest(site: Site, before: int = 2**62) -> list[Import]:
    return stored.newest(site.id, MAX_LISTED, before)


def retry(import_id: int, chosen: Site | None = None) -> None:
    """Queues a failed import again, from where it stopped.

    Raises `NotFound`, also if `chosen` is another site.
    """
    with database.session():
        site_id = stored.site_of_failed(import_id)
    if (
        site_id is None
        or (chosen and chosen.id != site_id)
        or not database.writes_site(stored.retry)(site_id, import_id)
    ):
        raise NotFound(NOT_FAILED)


def step(job: Job, deadline: float) -> int:
    """Applies an import batch by batch. Returns `SETTLED` at its end.

    Returns 0, to continue later, at the deadline or if the write-ahead log is full.
    """
    site_id = job.site_id
    with database.session():
        accepted = _applying(site_id, job.subject)
    finished = None
    while accepted.applied < accepted.rows:
        if time.monotonic() >= deadline or database.log_is_full():
            return 0
        accepted, finished = _apply_batch(accepted, job)
    if not accepted.rows:
        with database.write(site_id):
            finished = _end(job)
    if finished is not None:
        _record_finished(site_id, finished)
    return jobs.SETTLED


def _applying(site_id: int, import_id: int) -> RunningImport:
    """The import to apply. Raises `NotFound`."""
    accepted = stored.applying(site_id, import_id)
    if accepted is None:
        raise NotFound(NOT_FOUND)
    return accepted


def give_up(site_id: int, import_id: int) -> Callable[[], object]:
    """Marks an import as failed, in the caller's transaction. A retry continues it.

    Returns the function that reports the failure, to be called after the commit.
    """
    finished_imports.note(site_id, import_id)
    return partial(_record_finished, site_id, stored.fail(site_id, import_id, clock.now_ms()))


KIND = jobs.Kind(stored.JOB, jobs.SITE, step, give_up, retry=stored.retry)


def _record_finished(site_id: int, finished: Import) -> None:
    """Reports a finished or failed import to `telemetry`."""
    telemetry.record_import(
        telemetry.ImportRecord(
            import_id=finished.id, site_id=site_id, status=finished.status, created=finished.created,
            updated=finished.updated, unchanged=finished.unchanged, suppressed=finished.suppressed,
            refused=finished.refused, ms=(finished.finished_at or finished.created_at) - finished.created_at,
        )
    )  # fmt: skip


def _end(job: Job) -> Import:
    jobs.end(job)
    return _finish(job.site_id, job.subject)


def _finish(site_id: int, import_id: int) -> Import:
    """Marks an import as finished, in the caller's transaction. Webhooks that ask for it are told."""
    finished_imports.note(site_id, import_id)
    return stored.finish(site_id, import_id, clock.now_ms())


def _apply_batch(accepted: RunningImport, job: Job) -> tuple[RunningImport, Import | None]:
    """Applies the next batch, in one or several transactions. Returns (import, finished import or None)."""
    site_id, finished = job.site_id, None
    with database.session():
        batch = stored.batch(site_id, accepted.id, accepted.applied)
    changes = import_payloads.read(batch.payload)
    end = batch.first_row + len(changes)
    while accepted.applied < end:
        with _pace.write(site_id) as chunk:
            before = accepted.applied
            site_counters.take_acceptance_number(site_id, clock.now_ms())
            jobs.hold(job, jobs.SITE)
            accepted = _apply(site_id, accepted, changes[before - batch.first_row :])
            chunk.rows = accepted.applied - before
            if accepted.applied == end:
                stored.drop_batch(site_id, batch.id)
                stored_moves.forget(site_id)
            if accepted.applied == accepted.rows:
                finished = _end(job)
    field_values.merge_if_due(site_id)
    return accepted, finished


def _chunk(changes: Sequence[Change | None]) -> Sequence[Change | None]:
    """The changes of one transaction: few enough that other writers need not wait long."""
    values = 0
    for number, change in enumerate(changes[: _pace.rows]):
        values += len(change.tags) + len(change.remove_tags) + len(change.fields) if change else 0
        if values > MAX_VALUES:
            return changes[: max(1, number)]
    return changes[: _pace.rows]


def _apply(site_id: int, accepted: RunningImport, waiting: Sequence[Change | None]) -> RunningImport:
    """Applies the first chunk of `waiting`, in the caller's transaction. Returns the advanced import."""
    at, chunk = clock.now_ms(), _chunk(waiting)  # before what it changes is recorded
    changes = [change for change in chunk if change]
    acceptance = Acceptance(accepted.number, accepted.at, Source(SourceKind.IMPORT, accepted.id))
    redirected, unsubscribes = moved_addresses.redirect(site_id, changes, acceptance)
    outcomes, _, *consent_counts = subscribers.write(site_id, [*redirected, *unsubscribes], acceptance)
    del outcomes[len(redirected) :]
    counts = (
        len(chunk),
        outcomes.count(Outcome.CREATED),
        outcomes.count(Outcome.UPDATED),
        outcomes.count(Outcome.UNCHANGED),
        outcomes.count(Outcome.SUPPRESSED) + len(chunk) - len(redirected),
        *consent_counts,
    )
    stored.advance(site_id, accepted.id, counts, at)
    return accepted._replace(applied=accepted.applied + len(chunk))
