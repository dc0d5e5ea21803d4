"""Imports: accepted into the inbox at once, applied later in order of acceptance.

An import is one inbox row with batches of items, committed before the response. A worker claims it with a
token and a lease, and advances `applied` in the transaction that writes the subscribers: a crash neither
loses a row nor applies it twice. An item erased while it waits becomes `null`, and counts as suppressed.
"""

import logging
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from audience import clock, import_payloads, moved_addresses, subscribers, targets, telemetry, undo_work
from audience.changes import Acceptance, Change, Item, Outcome, Source
from audience.errors import NotFound, where
from audience.protocols import ImportQueue
from audience.sites import Site
from schemas.values import FieldError, place
from storage import database, leases, site_counters, site_queue
from storage import imports as stored
from storage import moved_addresses as stored_moves
from storage.errors import Unavailable, Unusable
from storage.imports import Import as Import
from storage.pace import Pace
from storage.site_queue import IMPORTS, LEASE_MS, Claimed, ClaimLost

log = logging.getLogger(__name__)
MAX_VALUES = 10_000  # tags and fields per chunk
MAX_FAILURES = 5  # of its own, consecutive, without applying a row
MACHINE_FAULTS = (Unavailable, Unusable, OSError, MemoryError)  # after which an import waits, however long
RETRY_AFTER_MS = 2_000
WAIT_SECONDS = 1.0  # a request with a small import waits for it
MAX_LISTED = 100
_pace = Pace()
NOT_FAILED = "No failed import has this id, or it is taken back: `audience imports failed` lists them."
NOT_FOUND = "Import not found: GET /v1/batch/imports lists the newest of the site."


@dataclass(frozen=True)
class AcceptedImport:
    id: int
    accepted: int
    refused: int
    errors: list[FieldError]
    unsubscribes_ignored: int
    subscribes_ignored: int


def accept(
    site: Site,
    items: Sequence[tuple[int, Item]],
    errors: Sequence[FieldError],
    import_queue: ImportQueue,
    inline_rows: int,
) -> AcceptedImport:
    """Accepts items, as (index in the request, item); `errors` are those of items refused already.

    Up to `inline_rows` items are applied at once; behind older imports, this waits for them up to a second.
    """
    numbered, malformed = targets.changes_of(site, items)
    problems = sorted([*errors, *malformed], key=place)
    refused = len({place(problem) for problem in problems})
    changes = [change for _, change in numbered]
    small = len(changes) <= inline_rows
    payload = import_payloads.join(map(import_payloads.row, changes))
    finished = None
    with database.write(site.id):
        accepted = subscribers.accept_now(site.id)
        now = small and site_queue.oldest(site.id) is None
        import_id = stored.add(site.id, len(changes), refused, accepted.at, accepted.number)
        if now:
            finished = _apply_at_once(site.id, import_id, changes, accepted.at)
        else:
            stored.add_batch(site.id, import_id, 0, payload)
    if finished is not None:
        _record_finished(site.id, finished)
    if not now:
        import_queue.notify(site.id)
        if small:
            finished = _wait_for_turn(site, import_id)
    erased = subscribers.erased(site, changes) if finished and finished.suppressed else set()
    suppressed = [
        FieldError(f"subscribers[{index}].email", subscribers.SUPPRESSED)
        for index, change in numbered
        if change.key in erased
    ]
    done, errors = len(changes) - len(suppressed), sorted([*problems, *suppressed], key=place)
    ignored = (finished.unsubscribes_ignored, finished.subscribes_ignored) if finished else (0, 0)
    return AcceptedImport(import_id, done, refused + len(suppressed), errors, *ignored)


def _apply_at_once(site_id: int, import_id: int, changes: Sequence[Change], at: int) -> Import | None:
    """Applies a whole import, however many chunks it is, in the caller's transaction."""
    token, finished = secrets.token_hex(8), None
    now = leases.now(clock.uptime_ms())
    claimed = site_queue.claim(site_id, (IMPORTS, import_id), token, at, now, 0)
    while claimed and finished is None:
        claimed, finished = _apply(site_id, claimed, token, changes[claimed.applied :])
    return finished


def _wait_for_turn(site: Site, import_id: int) -> Import | None:
    """Waits until an import is applied; None if it is not in time, or the database becomes unavailable."""
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


@database.session()
def waiting_sites() -> list[int]:
    """Sites with an import or an undo that is waiting, or whose lease has expired."""
    return site_queue.takeable_sites(leases.now(clock.uptime_ms()))


def retry(import_id: int, chosen: Site | None = None) -> None:
    """Queues a failed import again, from where it stopped. Raises `NotFound`, also of another site."""
    with database.session():
        site_id = stored.site_of_failed(import_id)
    if (
        site_id is None
        or (chosen and chosen.id != site_id)
        or not database.writes_site(stored.retry)(site_id, import_id)
    ):
        raise NotFound(NOT_FAILED)


def drain(site_id: int, seconds: float) -> bool:
    """Applies a site's waiting imports and undos, in order, for about `seconds`; whether to go on at once.

    Safe to call concurrently: it stops at an import that another worker has claimed. Raises `MACHINE_FAULTS`.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not database.log_is_full():
        token = secrets.token_hex(8)
        claimed = _claim(site_id, token)
        if claimed is None:
            return False
        try:
            _work(site_id, claimed, token, deadline)
        except ClaimLost:
            return False
        except MACHINE_FAULTS:
            with suppress(*MACHINE_FAULTS):  # otherwise the lease expires
                _hand_back(site_id, claimed, token, RETRY_AFTER_MS)
            raise
        except Exception as error:
            if _hand_back(site_id, claimed, token, RETRY_AFTER_MS, failed=True):
                log.error("%s %d failed: %s", claimed.table[:-1], claimed.id, where(error))
            return False
    return not database.log_is_full()


def _claim(site_id: int, token: str) -> Claimed | None:
    """Claims what has its turn; what has failed too often is given up, and the next is claimed."""
    failed_imports = []
    with database.write(site_id):
        at = clock.now_ms()
        claimed = _claim_next(site_id, token, at)
        while claimed is not None and claimed.failures >= MAX_FAILURES:
            if claimed.table == IMPORTS:
                failed_imports.append(stored.fail(site_id, claimed.id, at))
            else:
                undo_work.fail(site_id, claimed.id, at)
            claimed = _claim_next(site_id, token, at)
    for finished in failed_imports:
        _record_finished(site_id, finished)
    return claimed


def _claim_next(site_id: int, token: str, at: int) -> Claimed | None:
    if waiting := site_queue.oldest(site_id):
        return site_queue.claim(site_id, waiting, token, at, leases.now(clock.uptime_ms()), LEASE_MS)
    return None


def _record_finished(site_id: int, finished: Import) -> None:
    """Reports an import that finished or failed to `telemetry`, after the commit."""
    telemetry.record_import(
        telemetry.ImportRecord(
            import_id=finished.id, site_id=site_id, status=finished.status, created=finished.created,
            updated=finished.updated, unchanged=finished.unchanged, suppressed=finished.suppressed,
            refused=finished.refused, ms=(finished.finished_at or finished.created_at) - finished.created_at,
        )
    )  # fmt: skip


@database.writes_site
def _hand_back(site_id: int, claimed: Claimed, token: str, wait_ms: int, failed: bool = False) -> bool:
    return site_queue.release(site_id, claimed, token, leases.now(clock.uptime_ms()) + wait_ms, failed)


def _work(site_id: int, claimed: Claimed, token: str, deadline: float) -> None:
    """Applies an import batch by batch; hands it back between two at the deadline, or if the log is full."""
    if claimed.table != IMPORTS:
        if not undo_work.work(site_id, claimed, token, deadline):
            _hand_back(site_id, claimed, token, -1)
        return
    finished = None
    while claimed.applied < claimed.rows:
        if time.monotonic() >= deadline or database.log_is_full():
            _hand_back(site_id, claimed, token, -1)
            return
        claimed, finished = _apply_batch(site_id, claimed, token)
    if not claimed.rows:
        with database.write(site_id):
            _, finished = _apply(site_id, claimed, token, ())
    if finished is not None:
        _record_finished(site_id, finished)


def _apply_batch(site_id: int, claimed: Claimed, token: str) -> tuple[Claimed, Import | None]:
    with database.session():
        batch = stored.batch(site_id, claimed.id, claimed.applied)
    changes = import_payloads.read(batch.payload)
    end = batch.first_row + len(changes)
    finished = None
    while claimed.applied < end:
        with _pace.write(site_id) as chunk:
            before = claimed.applied
            site_counters.take(site_id, clock.now_ms())
            claimed, finished = _apply(site_id, claimed, token, changes[claimed.applied - batch.first_row :])
            chunk.rows = claimed.applied - before
            if claimed.applied == end:
                stored.drop_batch(site_id, batch.id)
                stored_moves.forget(site_id)
        database.checkpoint(only_if_due=True)
    return claimed, finished


def _chunk(changes: Sequence[Change | None]) -> Sequence[Change | None]:
    """The changes of one transaction: few enough that other writers do not wait long."""
    values = 0
    for number, change in enumerate(changes[: _pace.rows]):
        values += len(change.tags) + len(change.remove_tags) + len(change.fields) if change else 0
        if values > MAX_VALUES:
            return changes[: max(1, number)]
    return changes[: _pace.rows]


def _apply(
    site_id: int, claimed: Claimed, token: str, waiting: Sequence[Change | None]
) -> tuple[Claimed, Import | None]:
    """Applies the first chunk of `waiting` and advances `applied`, in the caller's transaction.

    Returns the claim and, after the last chunk, the finished import.
    """
    chunk = _chunk(waiting)
    changes = [change for change in chunk if change]
    accepted = Acceptance(claimed.number, claimed.accepted_at, Source("import", claimed.id))
    sent, left = moved_addresses.redirected(site_id, changes, accepted)
    outcomes, _, *consent_counts = subscribers.write(site_id, [*sent, *left], accepted)
    del outcomes[len(sent) :]
    advanced = stored.advance(
        site_id,
        claimed.id,
        token,
        claimed.applied,
        (
            len(chunk),
            outcomes.count(Outcome.CREATED),
            outcomes.count(Outcome.UPDATED),
            outcomes.count(Outcome.UNCHANGED),
            outcomes.count(Outcome.SUPPRESSED) + len(chunk) - len(sent),
            *consent_counts,
        ),
        leases.now(clock.uptime_ms()) + LEASE_MS,
    )
    if not advanced:
        raise ClaimLost
    claimed = claimed._replace(applied=claimed.applied + len(chunk))
    ended = claimed.applied == claimed.rows
    return claimed, stored.finish(site_id, claimed.id, clock.now_ms()) if ended else None
