"""Imports: accepted into the inbox at once, applied in the order of acceptance (contract section 2).

An import is one inbox row, and its people are in batches, committed before the answer. Whoever drains it
claims it with a token and a lease, and moves `applied` in the same transaction as the people: no row is lost
or applied twice, whoever dies when. A row that was erased while it waited is `null`: it counts as suppressed.
"""

import json
import logging
import secrets
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audience import addresses, clock, journal, subscribers
from audience.errors import FieldError, NotFound, where
from audience.ports import Doorbell
from audience.sites import Site
from audience.subscribers import Outcome
from storage import database
from storage import imports as stored
from storage.errors import Unavailable
from storage.imports import Claimed, Failed
from storage.imports import ImportRow as Import

__all__ = ["Import"]

log = logging.getLogger(__name__)

Item = Mapping[str, Any]

CHUNK = 500
MOST_VALUES = 10_000  # tags and fields in a chunk
PAUSE = 0.002  # seconds between chunks: SQLite's lock is not fair
LEASE = 10_000  # milliseconds
ATTEMPTS = 5  # without a row applied
RETRY_AFTER = 2_000  # milliseconds
WAIT = 1.0  # seconds that a small import waits for its turn
NEWEST = 100


@dataclass(frozen=True)
class Accepted:
    id: int
    accepted: int
    refused: int
    errors: list[FieldError]


def accept(
    site: Site,
    items: Sequence[tuple[int, Item]],
    errors: Sequence[FieldError],
    doorbell: Doorbell,
    inline_rows: int,
) -> Accepted:
    """Keeps the good items, given with their index in the request, beside the errors of the refused ones.

    Up to `inline_rows` items are written at once, unless older imports of the site wait; then this waits for
    their turn, for up to a second.
    """
    good, malformed = _good(items)
    problems = sorted([*errors, *malformed], key=_index)
    refused = len({_index(problem) for problem in problems})
    small = len(good) <= inline_rows
    at = clock.now()
    with database.write():
        now = small and stored.oldest_waiting(site.id) is None
        import_id = stored.add(site.id, len(good), refused, at)
        if now:
            _apply_at_once(site.id, import_id, good, at)
        else:
            stored.add_batch(site.id, import_id, 0, json.dumps(good))
    if now:
        _tell(site.id, import_id)
    else:
        doorbell.ring(site.id)
        if small:
            _await(site.id, import_id)
    return Accepted(import_id, len(good), refused, problems)


def _good(items: Sequence[tuple[int, Item]]) -> tuple[list[Item], list[FieldError]]:
    good, errors = [], []
    for index, item in items:
        try:
            addresses.identity(item["email"])
            good.append(item)
        except addresses.MalformedAddress as error:
            errors.append(FieldError(f"subscribers[{index}].email", str(error)))
    return good, errors


def _index(error: FieldError) -> int:
    return int(error.field.partition("[")[2].partition("]")[0])


def _apply_at_once(site_id: int, import_id: int, items: Sequence[Item], at: int) -> None:
    token = secrets.token_hex(8)
    claimed = stored.claim(site_id, import_id, token, at, at)
    if claimed:
        _apply(site_id, claimed, token, items)


def _await(site_id: int, import_id: int) -> None:
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline and progress_of(site_id, import_id).finished_at is None:
        time.sleep(0.02)


@database.session()
def progress_of(site_id: int, import_id: int) -> Import:
    found = stored.by_id(site_id, import_id)
    if found is None:
        raise NotFound("Import not found: GET /v1/batch/imports lists the newest of the site.")
    return found


def progress(site: Site, import_id: int) -> Import:
    """How far an import is. Raises `NotFound`."""
    return progress_of(site.id, import_id)


@database.session()
def newest(site: Site) -> list[Import]:
    return stored.newest(site.id, NEWEST)


@database.session()
def waiting_sites() -> list[int]:
    """Sites with an import that waits, or was left running under a lease that has run out."""
    return stored.takeable_sites(clock.now())


@database.session()
def failed() -> list[Failed]:
    """The imports of all sites that were given up, oldest first."""
    return stored.failed()


@database.session()
def abandoned() -> int:
    """How many imports a worker that died has left, to be taken up again."""
    return stored.abandoned(clock.now())


@database.write()
def retry(import_id: int) -> None:
    """Puts a failed import back into the queue, where it left off. Raises `NotFound`."""
    if not stored.retry(import_id):
        raise NotFound("No failed import has this id: `audience doctor` lists them.")


def drain(site_id: int, seconds: float) -> bool:
    """Applies a site's waiting imports, in turn, for about `seconds`; whether more may be left.

    Idempotent, and safe to call twice at once: an import that somebody else holds ends it.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        token = secrets.token_hex(8)
        claimed = _claim(site_id, token)
        if claimed is None:
            return False
        try:
            _work(site_id, claimed, token, deadline)
        except _ClaimLost:
            return False
        except Unavailable:
            _hand_back(site_id, claimed, token, RETRY_AFTER, forgive=True)
            raise
        except Exception as error:
            log.error("import %d failed: %s", claimed.id, where(error))
            _hand_back(site_id, claimed, token, RETRY_AFTER)
            return False
    return True


@database.write()
def _claim(site_id: int, token: str) -> Claimed | None:
    """The oldest import that waits; gives up on one that has failed too often and goes on to the next."""
    at = clock.now()
    while (import_id := stored.oldest_waiting(site_id)) is not None:
        claimed = stored.claim(site_id, import_id, token, at, at + LEASE)
        if claimed is None or claimed.attempts <= ATTEMPTS:
            return claimed
        stored.fail(site_id, claimed.id, token, at)
        _tell(site_id, claimed.id)
    return None


def _tell(site_id: int, import_id: int) -> None:
    """The journal hears of an import that has ended."""
    ended = progress_of(site_id, import_id)
    if ended.finished_at is None:
        return
    journal.batch(
        journal.Batch(
            import_id=import_id,
            site_id=site_id,
            status=ended.status,
            created=ended.created,
            updated=ended.updated,
            unchanged=ended.unchanged,
            suppressed=ended.suppressed,
            refused=ended.refused,
            ms=ended.finished_at - ended.created_at,
        )
    )


@database.write()
def _hand_back(site_id: int, claimed: Claimed, token: str, wait: int, forgive: bool = False) -> None:
    stored.release(site_id, claimed.id, token, clock.now() + wait, forgive)


def _work(site_id: int, claimed: Claimed, token: str, deadline: float) -> None:
    """Applies an import batch by batch, and hands it back where the deadline is over between two of them."""
    while claimed.applied < claimed.rows:
        if time.monotonic() >= deadline:
            _hand_back(site_id, claimed, token, -1, forgive=True)
            return
        claimed = _apply_batch(site_id, claimed, token)
    if not claimed.rows:
        with database.write():
            _apply(site_id, claimed, token, ())
    _tell(site_id, claimed.id)


def _apply_batch(site_id: int, claimed: Claimed, token: str) -> Claimed:
    with database.session():
        batch = stored.batch(site_id, claimed.id, claimed.applied)
    items = json.loads(batch.payload)
    end = batch.first_row + len(items)
    while claimed.applied < end:
        with database.write():
            claimed = _apply(site_id, claimed, token, items[claimed.applied - batch.first_row :])
            if claimed.applied == end:
                stored.drop_batch(site_id, batch.id)
        time.sleep(PAUSE)
    return claimed


class _ClaimLost(Exception):
    """Somebody else has taken the import: what was written for it must be rolled back."""


def _chunk(items: Sequence[Item | None]) -> Sequence[Item | None]:
    """What one transaction takes, so that nobody waits long for it."""
    values = 0
    for number, item in enumerate(items[:CHUNK]):
        values += sum(len((item or {}).get(name, ())) for name in ("tags", "remove_tags", "fields"))
        if values > MOST_VALUES:
            return items[: max(1, number)]
    return items[:CHUNK]


def _apply(site_id: int, claimed: Claimed, token: str, items: Sequence[Item | None]) -> Claimed:
    """Writes the first chunk of what is left and moves `applied` with it, in the caller's transaction."""
    chunk = _chunk(items)
    changes = [subscribers.change(item, claimed.accepted_at) for item in chunk if item is not None]
    counts = Counter(subscribers.write(site_id, changes))
    at = clock.now()
    moved = stored.advance(
        site_id,
        claimed.id,
        token,
        claimed.applied,
        (
            len(chunk),
            counts[Outcome.CREATED],
            counts[Outcome.UPDATED],
            counts[Outcome.UNCHANGED],
            counts[Outcome.SUPPRESSED] + chunk.count(None),
        ),
        at + LEASE,
    )
    if not moved:
        raise _ClaimLost
    claimed = claimed._replace(applied=claimed.applied + len(chunk))
    if claimed.applied == claimed.rows:
        stored.finish(site_id, claimed.id, at)
    return claimed
