"""The chunks of bulk actions, as a worker does them: each in a transaction of its own.

A chunk is deleted in the transaction that writes its subscribers: a crash neither loses a chunk nor does one
twice.
"""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from audience import clock, jobs
from audience.access import sites
from audience.access.sites import Site
from audience.bulk import field_deletions
from audience.bulk.actions import (
    CHUNKS_AT_ONCE,
    ERASE,
    EXPORT,
    EXPORT_KEPT_MS,
    TAG,
    UNSUBSCRIBE,
    UNTAG,
    BulkAction,
    end,
    require,
)
from audience.changes.changes import Acceptance, Change, Consent, Outcome
from audience.erasures import erasures
from audience.erasures import log as erasure_log
from audience.jobs import DB, Job, Kind
from audience.sources import Source, SourceKind
from audience.subscribers import subscribers
from storage import database
from storage.bulk import actions as stored
from storage.bulk.actions import FAILED, FIELD_DELETION, FINISHED, NOT_BEGUN, SELECTING


def kind(instance: Path) -> Kind:
    """The job kind of bulk actions. One failure stops an action: the operator sees it and can continue."""
    return Kind(stored.JOB, DB, partial(_step, instance), _give_up, retry=stored.retry, most_failures=1)


def _step(instance: Path, job: Job, deadline: float) -> int:
    """Does chunks until the deadline. Returns `SETTLED` if the action has ended, otherwise 0."""
    site = sites.get(job.site_id)
    while not (ends := _do_chunk(site, job, instance)):
        if time.monotonic() >= deadline or database.log_is_full():
            break
    return jobs.SETTLED if ends else 0


def _give_up(site_id: int, action_id: int) -> None:
    stored.set_status(site_id, action_id, FAILED)


def _do_chunk(site: Site, job: Job, instance: Path) -> bool:
    """Does the next chunk of a bulk action. Returns whether the action has ended."""
    ids: list[int] = []
    erased: set[str] = set()
    with database.write(site.id):
        jobs.hold(job, DB)
        action = require(site.id, job.subject)
        if action.status == SELECTING:  # whoever chose its subscribers has died
            stored.end(site.id, action.id, NOT_BEGUN, clock.now_ms())
            return True
        if chunk := stored.first_chunk(site.id, action.id):
            chunk_id, ids = chunk
            erased = _write(site, action, ids, instance)
            stored.drop_chunk(site.id, chunk_id)
        ends = not ids or action.done + len(ids) >= action.people
        if ends and action.kind != FIELD_DELETION:
            end(site, require(site.id, action.id), FINISHED)
    if ends and action.kind == FIELD_DELETION:
        return field_deletions.choose_or_end(site, job, action)
    if erased:
        erasures.blank_erased(site, erased)
    if ends and action.kind == ERASE:
        erasure_log.forget(instance)
    return ends


def _write(site: Site, action: BulkAction, ids: Sequence[int], instance: Path) -> set[str]:
    """Applies a bulk action to subscribers, in the caller's transaction. Returns the keys of those that it
    erased.
    """
    accepted = subscribers.accept_now(site.id, Source(SourceKind.BULK_ACTION, action.id))
    existing = stored.keys(site.id, ids)
    keys = [key for _, key in existing.values()]
    if action.kind == ERASE:
        erasures.erase_several(site, instance, keys, accepted)
        changed = len(existing)
    else:
        changes = [Change(key, email, creates=False, **_change(action)) for email, key in existing.values()]
        accepted = Acceptance(action.seq, action.accepted_at, accepted.source)
        changed = subscribers.write(site.id, changes, accepted).outcomes.count(Outcome.UPDATED)
    stored.advance(site.id, action.id, len(ids), changed, clock.now_ms())
    return set(keys) if action.kind == ERASE else set()


def _change(action: BulkAction) -> dict[str, Any]:
    if action.kind == FIELD_DELETION:
        return {"remove_fields": (action.field,)}
    if action.kind == UNSUBSCRIBE:
        return {"consent": Consent.UNSUBSCRIBE}
    return {"tags" if action.kind == TAG else "remove_tags": (action.tag,)}


def sweep(only_site: int | None = None) -> bool:
    """Deletes old exports, and the chunks that ended bulk actions left. Returns whether there may be more."""
    at = clock.now_ms()
    with database.session():
        old = [
            *stored.with_old_chunks([EXPORT], at - EXPORT_KEPT_MS, only_site),
            *stored.with_old_chunks([TAG, UNTAG, UNSUBSCRIBE, ERASE, FIELD_DELETION], at, only_site),
        ]
    for site_id, action_id in old:
        with database.write(site_id):
            stored.drop_chunks(site_id, action_id, CHUNKS_AT_ONCE)
    return bool(old)
