"""Bulk actions of an operator: each has a fixed selection of subscribers, and is done chunk by chunk.

The ids of the selected subscribers are stored in chunks before the action begins. `audience.bulk.chunks` does
them.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from audience import clock, jobs
from audience.access import audit_log
from audience.access.audit_log import Actor, AuditEntry
from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.errors import NotFound, Refused
from schemas.values import FieldError
from storage import database
from storage import jobs as stored_jobs
from storage.access import site_counters
from storage.bulk import actions as stored
from storage.bulk.actions import CANCELED, FAILED, FIELD_DELETION, FINISHED, SELECTING, BulkAction

__all__ = ["BulkAction"]

CHUNK_ROWS = 200  # written in one transaction, while others wait
ERASED_ROWS = 50  # the same for erasing, which takes four times as long
CHUNKS_AT_ONCE = 50  # stored in one transaction
LEASE_MS = 30_000  # of the request that stores the chunks, renewed by each transaction
MAX_LISTED = 100
EXPORT_KEPT_MS = DAY_MS

TAG, UNTAG, UNSUBSCRIBE, ERASE, EXPORT = "tag", "untag", "unsubscribe", "erase", "export"
OF_A_TAG = (TAG, UNTAG)
CHOSEN = (TAG, UNTAG, UNSUBSCRIBE, ERASE, EXPORT)  # kinds whose subscribers an operator chooses
SAID = {
    TAG: "tag added to many subscribers", UNTAG: "tag removed from many subscribers",
    UNSUBSCRIBE: "many subscribers unsubscribed", ERASE: "many subscribers erased",
    EXPORT: "many subscribers exported", FIELD_DELETION: "custom field deleted",
}  # fmt: skip
STARTED = ", started"

UNKNOWN = "Use one of the actions of this page."
NOBODY = "Nobody is selected: select people, or select all who match."
NO_TAG = "Name the tag."
CHANGED = "The selection has changed since the page was loaded: check the new number, and send it again."
NOT_BEGUN = "The service stopped while selecting the subscribers: send the bulk action again."
NOT_FOUND = "There is no such bulk action on this site."
NO_EXPORT = "This export is no longer kept: export again."


@dataclass(frozen=True, kw_only=True)
class NewAction:
    """A bulk action to begin on the subscribers with these `ids`. `seen` is the fingerprint of the ids that
    the operator was shown.

    `filter` describes how they were found; `typed` has the values that the operator typed into the filter.
    """

    kind: str
    ids: Sequence[int]
    seen: str
    tag: str = ""
    filter: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)


def fingerprint(ids: Sequence[int]) -> str:
    """A digest of a set of subscriber ids, whatever their order."""
    return hashlib.sha256(",".join(map(str, sorted(ids))).encode()).hexdigest()


@database.session()
def ids_of(site: Site, uuids: Sequence[str]) -> list[int]:
    """The ids of the subscribers of a site with these uuids. A uuid that nobody has is left out."""
    return stored.ids_by_uuid(site.id, [uuid for uuid in uuids if "\0" not in uuid])


def begin(site: Site, new: NewAction, actor: Actor) -> BulkAction:
    """Stores the selection, and queues the bulk action; an export is ready at once. Raises `Refused`.

    The action begins only once its whole selection is stored. The request that stores it holds a lease; if
    the lease ends first, the action does not begin.
    """
    return queue(site, choose(site, new, actor), new, actor)


def choose(site: Site, new: NewAction, actor: Actor) -> int:
    """Stores the selection of a bulk action, and returns the action's id. Raises `Refused`."""
    _check(new)
    with database.write(site.id):
        action_id = _add(site, new.kind, new.tag, actor, len(new.ids))
    length = ERASED_ROWS if new.kind == ERASE else CHUNK_ROWS
    chunks = [new.ids[start : start + length] for start in range(0, len(new.ids), length)]
    for start in range(0, len(chunks), CHUNKS_AT_ONCE):
        with database.write(site.id):
            _require_chosen(site, action_id)
            stored_jobs.add(site.id, stored.JOB, action_id, now=jobs.now(), wait_ms=LEASE_MS)
            stored.add_chunks(site.id, action_id, chunks[start : start + CHUNKS_AT_ONCE])
    return action_id


@database.writes_site
def drop(site: Site, action_id: int) -> None:
    """Drops a bulk action whose selection is stored, and which will not begin."""
    stored.drop(site.id, action_id)


def subject(action: BulkAction) -> str:
    """The name of a bulk action in the audit log."""
    return f"bulk action {action.id}"


def audit_text(action: BulkAction, ending: str = "") -> str:
    """The text of the audit log for a bulk action, with its tag or field."""
    return _with_names(SAID[action.kind] + ending, action.name)


def _with_names(sentence: str, *names: str) -> str:
    listed = ", ".join(filter(None, names))
    return f"{sentence}{audit_log.NAMED}{listed}" if listed else sentence


def _check(new: NewAction) -> None:
    if new.kind not in CHOSEN:
        raise Refused(UNKNOWN)
    if new.kind in OF_A_TAG and not new.tag.strip():
        raise Refused(NO_TAG, [FieldError("tag", NO_TAG)])
    if not new.ids:
        raise Refused(NOBODY)
    if fingerprint(new.ids) != new.seen:
        raise Refused(CHANGED)


def _add(site: Site, kind: str, tag: str, actor: Actor, size: int) -> int:
    """Adds a bulk action on `size` subscribers. Returns its id."""
    at = clock.now_ms()
    return stored.add(
        site.id, kind, tag.strip(), actor.name, actor.client_network, size, at, jobs.now(), LEASE_MS
    )


def _require_chosen(site: Site, action_id: int) -> BulkAction:
    """The bulk action, whose selection is being stored or waits to begin. Raises `Refused` if it was dropped
    or stopped.
    """
    action = stored.get(site.id, action_id)
    if action is None or action.status != SELECTING:
        raise Refused(NOT_BEGUN)
    return action


@database.writes_site
def queue(site: Site, action_id: int, new: NewAction, actor: Actor) -> BulkAction:
    """Queues a bulk action whose selection is stored. `new` is what was asked for, for the audit log. Raises
    `Refused`.
    """
    action = _require_chosen(site, action_id)
    if action.kind == EXPORT:
        stored.advance(site.id, action.id, action.people, action.people, clock.now_ms())
        stored.end(site.id, action.id, FINISHED, clock.now_ms())
    else:
        stored.accept(site.id, action.id, *site_counters.take_acceptance_number(site.id, clock.now_ms()))
    begun = _with_names(f"{SAID[action.kind]}{STARTED}", action.tag, new.filter)
    audit_log.record(actor, begun, site, subject(action), action.people, new.typed)
    return require(site.id, action_id)


@database.session()
def get(site: Site, action_id: int) -> BulkAction:
    """Gets a bulk action. Raises `NotFound`."""
    return require(site.id, action_id)


@database.session()
def newest(site: Site) -> list[BulkAction]:
    return stored.newest(site.id, MAX_LISTED)


@database.writes_site
def cancel(site: Site, action_id: int) -> None:
    """Stops a bulk action that waits, runs or has failed. Subscribers that it has changed stay changed.
    Raises `NotFound`.
    """
    stop(site, require(site.id, action_id))


def stop(site: Site, action: BulkAction) -> None:
    """Stops a bulk action as `cancel` does, in the caller's transaction."""
    if action.is_open or action.status == FAILED:
        end(site, action, CANCELED)


@database.writes_site
def retry(site: Site, action_id: int) -> None:
    """Continues a bulk action that failed. Raises `NotFound`."""
    stored.retry(site.id, require(site.id, action_id).id)


def download_until(action: BulkAction) -> int:
    """The instant, in milliseconds, until which the file of an export can be downloaded."""
    return (action.finished_at or 0) + EXPORT_KEPT_MS


def export_ids(site: Site, action_id: int) -> Iterator[list[int]]:
    """The ids of an export, in chunks; their values are read when the export is downloaded. Raises
    `NotFound`.
    """
    action = get(site, action_id)
    if (action.kind, action.status) != (EXPORT, FINISHED) or download_until(action) < clock.now_ms():
        raise NotFound(NO_EXPORT)
    return _chunks(site.id, action_id)


@database.session()
def downloads(site: Site, action: BulkAction) -> list[AuditEntry]:
    """The entries of the audit log for downloads of an export, newest first."""
    begun = f"{SAID[EXPORT]}{STARTED}"
    return [entry for entry in audit_log.of_subject(site, subject(action)) if audit_log.head(entry) != begun]


def _chunks(site_id: int, action_id: int) -> Iterator[list[int]]:
    after = 0
    while True:
        with database.session():
            chunks = stored.chunks_after(site_id, action_id, after, 1)
        if not chunks:
            return
        [(after, ids)] = chunks
        yield ids


def end(site: Site, action: BulkAction, status: str) -> None:
    """Ends a bulk action, in the caller's transaction."""
    stored.end(site.id, action.id, status, clock.now_ms())
    ending = ", stopped" if status == CANCELED else ""
    audit_log.record(
        Actor(action.actor, action.client_network),
        audit_text(action, ending),
        site,
        subject(action),
        action.changed,
    )


def require(site_id: int, action_id: int) -> BulkAction:
    """Gets a bulk action, in the caller's session. Raises `NotFound`."""
    action = stored.get(site_id, action_id)
    if action is None:
        raise NotFound(NOT_FOUND)
    return action
