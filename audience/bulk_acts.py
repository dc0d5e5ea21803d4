"""Acts of an operator on many subscribers: begun with a fixed selection, and worked off piece by piece.

The ids of those selected are stored in pieces before the act begins. `bulk_act_pieces` does them.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audience import audit_log, clock
from audience.audit_log import Actor
from audience.errors import NotFound, Refused
from audience.sites import Site
from schemas.values import FieldError
from storage import bulk_acts as stored
from storage import database
from storage.bulk_acts import CANCELED, FAILED, FINISHED, QUEUED, BulkAct

__all__ = ["BulkAct"]

DAY_MS = 86_400_000
PIECE_ROWS = 200
PIECES_AT_ONCE = 50  # stored in one transaction
MAX_LISTED = 100
EXPORT_KEPT_MS = DAY_MS
UNDO_MS = 30 * DAY_MS

TAG, UNTAG, UNSUBSCRIBE, ERASE, EXPORT = "tag", "untag", "unsubscribe", "erase", "export"
OPPOSITES = {TAG: UNTAG, UNTAG: TAG}
SAID = {
    TAG: "tag put on many", UNTAG: "tag taken off many", UNSUBSCRIBE: "many unsubscribed",
    ERASE: "many erased", EXPORT: "many exported",
}  # fmt: skip

UNKNOWN = "Use one of the acts of this page."
NOBODY = "Nobody is selected: tick somebody, or take all that match."
NO_TAG = "Name the tag."
CHANGED = "The selection has changed since the page was drawn: look at the new number, and send it again."
NOT_FOUND = "There is no such act on this site."
NOT_UNDOABLE = "This can no longer be taken back: only tags put on or taken off, once, for 30 days."
NO_EXPORT = "This export is no longer kept: export again."


@dataclass(frozen=True, kw_only=True)
class NewAct:
    """What to do with the subscribers of `ids`; `seen` is the fingerprint of those the operator was shown."""

    kind: str
    ids: Sequence[int]
    seen: str
    tag: str = ""


def fingerprint(ids: Sequence[int]) -> str:
    """The same for the same subscribers, in whatever order."""
    return hashlib.sha256(",".join(map(str, sorted(ids))).encode()).hexdigest()


@database.session()
def ids_of(site: Site, uuids: Sequence[str]) -> list[int]:
    """The ids of those subscribers of the site who exist."""
    return stored.ids_by_uuid(site.id, uuids)


def begin(site: Site, new: NewAct, actor: Actor) -> BulkAct:
    """Stores the selection, and queues the act; an export is ready at once. Raises `Refused`."""
    _check(new)
    with database.write(site.id):
        act_id = _add(site, new.kind, new.tag, actor, len(new.ids))
    pieces = [new.ids[start : start + PIECE_ROWS] for start in range(0, len(new.ids), PIECE_ROWS)]
    for start in range(0, len(pieces), PIECES_AT_ONCE):
        with database.write(site.id):
            stored.add_pieces(site.id, act_id, pieces[start : start + PIECES_AT_ONCE])
    with database.write(site.id):
        _queue(site, act_id, actor)
    return get(site, act_id)


def _check(new: NewAct) -> None:
    if new.kind not in SAID:
        raise Refused(UNKNOWN)
    if new.kind in OPPOSITES and not new.tag.strip():
        raise Refused(NO_TAG, [FieldError("tag", NO_TAG)])
    if not new.ids:
        raise Refused(NOBODY)
    if fingerprint(new.ids) != new.seen:
        raise Refused(CHANGED)


def _add(site: Site, kind: str, tag: str, actor: Actor, people: int, undoes: int | None = None) -> int:
    at = clock.now_ms()
    return stored.add(site.id, kind, tag.strip(), actor.name, actor.client_network, people, undoes, at)


def _queue(site: Site, act_id: int, actor: Actor) -> None:
    act = require(site.id, act_id)
    if act.kind == EXPORT:
        stored.advance(site.id, act.id, act.people, act.people, clock.now_ms())
        stored.set_status(site.id, act.id, FINISHED, clock.now_ms())
        audit_log.record(actor, SAID[EXPORT], site, f"act {act.id}", act.people)
    else:
        stored.set_status(site.id, act.id, QUEUED)
        typed = {"tag": act.tag} if act.tag else {}
        audit_log.record(actor, f"{SAID[act.kind]}, begun", site, f"act {act.id}", act.people, typed)


@database.session()
def get(site: Site, act_id: int) -> BulkAct:
    """Raises `NotFound`."""
    return require(site.id, act_id)


@database.session()
def newest(site: Site) -> list[BulkAct]:
    return stored.newest(site.id, MAX_LISTED)


@database.writes_site
def cancel(site: Site, act_id: int) -> None:
    """Stops an act where it is: who is done stays done. Raises `NotFound`."""
    act = require(site.id, act_id)
    if act.is_open:
        end(site, act, CANCELED)


@database.writes_site
def retry(site: Site, act_id: int) -> None:
    """Goes on with an act that failed. Raises `NotFound`."""
    if require(site.id, act_id).status == FAILED:
        stored.set_status(site.id, act_id, QUEUED)


@database.session()
def may_be_undone(site: Site, act: BulkAct) -> bool:
    ended = act.kind in OPPOSITES and act.changed > 0 and act.status in (FINISHED, CANCELED)
    young = act.finished_at is not None and act.finished_at + UNDO_MS > clock.now_ms()
    return ended and young and stored.undone_by(site.id, act.id) is None


@database.writes_site
def undo(site: Site, act_id: int, actor: Actor) -> BulkAct:
    """Begins an act that takes back what another has changed. Raises `NotFound`, `Refused`."""
    act = require(site.id, act_id)
    if not may_be_undone(site, act):
        raise Refused(NOT_UNDOABLE)
    new_id = _add(site, OPPOSITES[act.kind], act.tag, actor, act.changed, act.id)
    stored.copy_changed(site.id, new_id, act.id)
    _queue(site, new_id, actor)
    return require(site.id, new_id)


def exported(site: Site, act_id: int) -> Iterator[list[int]]:
    """The ids of an export, in pieces; it lists people as they are when it is read. Raises `NotFound`."""
    act = get(site, act_id)
    if act.kind != EXPORT or (act.finished_at or 0) + EXPORT_KEPT_MS < clock.now_ms():
        raise NotFound(NO_EXPORT)
    return _pieces(site.id, act_id)


def _pieces(site_id: int, act_id: int) -> Iterator[list[int]]:
    after = 0
    while True:
        with database.session():
            pieces = stored.pieces_after(site_id, act_id, after, 1)
        if not pieces:
            return
        [(after, ids)] = pieces
        yield ids


def end(site: Site, act: BulkAct, status: str) -> None:
    """Ends an act, in the caller's transaction."""
    stored.set_status(site.id, act.id, status, clock.now_ms())
    said = SAID[act.kind] + (", stopped" if status == CANCELED else "")
    audit_log.record(Actor(act.actor, act.client_network), said, site, f"act {act.id}", act.changed)


def require(site_id: int, act_id: int) -> BulkAct:
    """An act, in the caller's session. Raises `NotFound`."""
    act = stored.get(site_id, act_id)
    if act is None:
        raise NotFound(NOT_FOUND)
    return act
