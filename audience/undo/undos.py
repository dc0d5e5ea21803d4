"""Requests the undo of an import or a bulk action, and shows its result. Also counts what an undo would do.

`audience.undo.work` does it, when its turn in the site's order comes.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from audience import clock
from audience.access import audit_log, sites
from audience.access.audit_log import UNDO_REQUESTED, Actor
from audience.access.sites import Site
from audience.bulk import actions as bulk_actions
from audience.bulk.actions import TAG, UNSUBSCRIBE, UNTAG, BulkAction
from audience.changes.pages import readable_source
from audience.clock import DAY_MS
from audience.errors import NotFound, Refused
from audience.imports import imports
from audience.sources import BY_KEY, Source
from audience.undo import work as undo_work
from audience.undo.decisions import REMOVED, SUPPRESSED, RowReader, UndoneAction
from audience.undo.mentions import ReadPosition, read_on
from audience.webhooks import finished_imports
from schemas.codes import Code, Sentence
from schemas.values import FieldError
from storage import database
from storage.access import keys, site_counters
from storage.bulk.actions import FIELD_DELETION
from storage.changes import log as change_log
from storage.changes import source_rows
from storage.imports import imports as stored_imports
from storage.undo import undos as stored
from storage.undo.undos import FAILED, Undo

__all__ = ["FAILED", "Undo"]

DRY_ROWS = 1_000
SWEPT_ROWS = 1_000
IMPORT, BULK_ACTION = "import", "bulk_act"
RESUBSCRIBING = ", people subscribed again"
UNDOABLE = (TAG, UNTAG, UNSUBSCRIBE, FIELD_DELETION)
COUNTS = ("removed", "restored", "kept", "unsubscribed_kept", "unsubscribed_again", "resubscribed")
LISTED = 20
PAGE_ROWS = 1_000
WHY = {"": "erased since", "changed": "changed since", "unsubscribed": "stays unsubscribed"}
MENTIONED_BY = {
    "import": "import {}", "bulk_act": "bulk action {}", "operator": "an operator",
    "cli": "the command line", "restore": "a restore", "migration": "an upgrade", "undo": "undo {}",
    "link": "a link", "sign_up": "a sign-up",
}  # fmt: skip
NOT_FOUND = Sentence(Code.UNDO_NOT_FOUND, "There is no undo yet: POST to the same path to request one.")
NOT_UNDOABLE = Sentence(
    Code.NOT_UNDOABLE,
    "Only bulk actions that added or removed a tag, deleted a field or unsubscribed somebody can be undone.",
)
CHANGED_NOBODY = Sentence(Code.NOT_UNDOABLE, "This bulk action changed nobody: there is nothing to undo.")
BEGUN_OTHERWISE = Sentence(
    Code.NOT_UNDOABLE,
    "This undo was begun without resubscribe, and cannot be changed: subscribe these people again by a "
    "command.",
)
TOO_LATE = Sentence(
    Code.NOT_UNDOABLE,
    "This can no longer be undone: its changes are no longer in the record of changes.",
)


def site_of_import(import_id: int, chosen: Site | None = None) -> Site:
    """The site of an import. Raises `NotFound`, also if `chosen` is another site."""
    with database.session():
        uuid = stored_imports.site_uuid(import_id)
    if uuid is None or (chosen and chosen.uuid != uuid):
        raise NotFound(imports.NOT_FOUND)
    return sites.get_by_uuid(uuid)


def import_source(import_id: int) -> Source:
    return Source(IMPORT, import_id)


def bulk_action_source(action_id: int) -> Source:
    return Source(BULK_ACTION, action_id)


@database.writes_site
def undo_import(
    site: Site, import_id: int, days: int, actor: Actor | None = None, resubscribe: bool = False
) -> Undo:
    """Queues the undo of an import, which is stopped if it has not ended.

    Returns the existing undo, if any, and retries it if it has failed. With `resubscribe`, subscribers whom
    only the import unsubscribed are resubscribed. The record, kept for `days` days, must have all of the
    import. With an `actor`, the audit log records the request.

    Then notify the queue. Raises `NotFound`, `Refused`.
    """
    source = import_source(import_id)
    begun = stored.get_by_source(site.id, source)
    if begun and resubscribe > begun.resubscribe:
        raise Refused(BEGUN_OTHERWISE, [FieldError("resubscribe", BEGUN_OTHERWISE)])
    if undo := _under_way(site.id, source):
        return undo
    _check_age(site, source, days)
    if stored_imports.stop(site.id, import_id, clock.now_ms()):
        finished_imports.note(site.id, import_id)
    if actor:
        sentence = f"import{UNDO_REQUESTED}{RESUBSCRIBING if resubscribe else ''}"
        audit_log.record(actor, sentence, site, undo_work.subject(source))
    return _begin(site.id, source, resubscribe)


@database.writes_site
def undo_bulk_action(site: Site, action_id: int, days: int, actor: Actor) -> Undo:
    """Queues the undo of a bulk action that has ended, as `undo_import` does.

    A failed action can then no longer be continued. Raises `NotFound`, `Refused`.
    """
    action, source = bulk_actions.require(site.id, action_id), bulk_action_source(action_id)
    if undo := _under_way(site.id, source):
        return undo
    if not may_be_undone(action):
        ended = action.kind in UNDOABLE and not action.is_open
        raise Refused(CHANGED_NOBODY if ended else NOT_UNDOABLE)
    _check_age(site, source, days)
    bulk_actions.stop(site, action)
    sentence = bulk_actions.audit_text(action, UNDO_REQUESTED)
    audit_log.record(actor, sentence, site, undo_work.subject(source), action.changed)
    return _begin(site.id, source)


def may_be_undone(action: BulkAction) -> bool:
    return action.kind in UNDOABLE and action.changed > 0 and not action.is_open


def _under_way(site_id: int, source: Source) -> Undo | None:
    """The waiting, running or finished undo of an action; None if there is none, or it failed."""
    undo = stored.get_by_source(site_id, source)
    return undo if undo and undo.status != FAILED else None


def _begin(site_id: int, source: Source, resubscribe: bool = False) -> Undo:
    """Queues an undo, or retries a failed one, in the caller's transaction."""
    if failed := stored.get_by_source(site_id, source):
        stored.retry(site_id, failed.id)
        return _require(site_id, source)
    accepted, action = (
        site_counters.take_acceptance_number(site_id, clock.now_ms()),
        _undone_action(site_id, source),
    )
    entries = source_rows.entries_of(site_id, source)
    stored.add(site_id, source, entries, (action.first_row, action.first_number), *accepted, resubscribe)
    return _require(site_id, source)


def _undone_action(site_id: int, source: Source) -> UndoneAction:
    """An import or bulk action with the first row of its record. Without a record, its position is the newest
    row of the site.
    """
    first = source_rows.first_of(site_id, source)
    return (
        UndoneAction(source, first[0], first[1])
        if first
        else UndoneAction(source, source_rows.newest_row(site_id), 0)
    )


def _check_age(site: Site, source: Source, days: int) -> None:
    """Raises `Refused` if the record no longer has all changes of an import or bulk action."""
    changed, ends = _changed_count(site, source), _ends(site, source, days)
    if changed if ends is None else ends < clock.now_ms():
        raise Refused(TOO_LATE)


def _ends(site: Site, source: Source, days: int) -> int | None:
    """The instant until which the record has all changes of an import or bulk action; None if it has lost
    some.

    An action that was interrupted for long may have lost its first rows while the last are kept.
    """
    first = source_rows.first_of(site.id, source)
    began = min(first[2], _started_at(site, source) or first[2]) if first else 0
    return began + days * DAY_MS if began > change_log.newest_dropped_at(site.id) else None


@database.session()
def get(site: Site, source: Source) -> Undo:
    """The undo of an import or bulk action. Raises `NotFound`."""
    return _require(site.id, source)


def _require(site_id: int, source: Source) -> Undo:
    undo = stored.get_by_source(site_id, source)
    if undo is None:
        raise NotFound(NOT_FOUND)
    return undo


@database.session()
def find(site: Site, source: Source) -> Undo | None:
    """The undo of an import or bulk action; None without one."""
    return stored.get_by_source(site.id, source)


def requested_by(site: Site, source: Source) -> str:
    """The name of who requested an undo; "" if the audit log no longer has it."""
    entry = audit_log.last_undo_request(site, undo_work.subject(source))
    return entry.actor if entry else ""


@database.session()
def bulk_action_statuses(site: Site) -> dict[int, str]:
    """The status of the undos of bulk actions, by the action's id."""
    return stored.statuses(site.id, BULK_ACTION)


@database.session()
def get_by_id(site: Site, undo_id: int) -> Undo | None:
    return stored.get(site_id=site.id, id=undo_id)


@database.session()
def undoable_until(site: Site, source: Source, days: int) -> int | None:
    """The instant until which an action can be undone; None if that is past, or the record lacks some
    changes.
    """
    ends = _ends(site, source, days)
    return ends if ends is not None and ends >= clock.now_ms() else None


class Preview(NamedTuple):
    """What an undo would do: the number of subscribers by outcome, see `work.count_outcomes`.

    `only_unsubscribed` has the addresses of some subscribers whom only the action unsubscribed.
    """

    counts: Counter[str]
    only_unsubscribed: list[str]


def dry_run(site: Site, source: Source, days: int, resubscribe: bool = False) -> Preview:
    """What an undo would do now. Raises `NotFound`, `Refused`."""
    with database.session():
        _check_age(site, source, days)
        action = _undone_action(site.id, source)._replace(resubscribe=resubscribe)
        mentioned = _sources_of_mentions(site.id, action)
    decided, count, emails = set[int](), Counter[str](), list[str]()
    for reader in _readers(site.id, action):
        decisions = reader.decisions(decided, mentioned)
        decided.update(decision.id for decision in decisions)
        count += undo_work.count_outcomes(decisions)
        emails += [
            decision.subscriber.email
            for decision in decisions
            if decision.only_unsubscribed and decision.subscriber
        ]
        del emails[LISTED:]
    return Preview(count, emails)


def _sources_of_mentions(site_id: int, action: UndoneAction) -> dict[int, Source]:
    """What mentioned the subscribers that an import created, by subscriber id."""
    by_id, reached, is_all = read_on(site_id, action.source, ReadPosition(action.first_row))
    while not is_all:
        more, reached, is_all = read_on(site_id, action.source, reached)
        by_id |= more
    return by_id


def _changed_count(site: Site, source: Source) -> int:
    """The number of subscribers that the action created or changed."""
    if source.kind == BULK_ACTION:
        return bulk_actions.require(site.id, source.id).changed
    import_ = imports.progress(site, source.id)
    return import_.created + import_.updated


def _started_at(site: Site, source: Source) -> int | None:
    """When the action began, in milliseconds; None if it has not."""
    if source.kind == BULK_ACTION:
        return bulk_actions.require(site.id, source.id).started_at
    return imports.progress(site, source.id).started_at


def _readers(site_id: int, action: UndoneAction) -> Iterator[RowReader]:
    """Yields readers of all rows of the action, each in its own session."""
    row_id, position = action.first_row, 0
    while True:
        with database.session():
            row = source_rows.next_of(site_id, action.source, row_id)
            if row is None:
                return
            reader = RowReader(site_id, action, row, position if row.id == row_id else 0, DRY_ROWS)
        yield reader
        position = position + DRY_ROWS if row.id == row_id else DRY_ROWS
        row_id, position = (row.id + 1, 0) if position >= row.length else (row.id, position)


@database.session()
def reasons_kept(site: Site, undo: Undo) -> list[tuple[tuple[str, str | None], int]]:
    """The sources because of which something stays, as clients read them, each with its number of
    subscribers. The most common is first.
    """
    rows = stored.count_sources(site.id, undo.id)
    shown_keys = keys.publishable({number for kind, number, _ in rows if kind in BY_KEY})
    return [(readable_source(kind, number, shown_keys), count) for kind, number, count in rows]


def reason_in_words(kind: str, number: str | None) -> str:
    """Why an undo left a subscriber or value as it is, in words. `kind` and `number` are of the source, or
    `kind` is one of `WHY`.
    """
    if kind in WHY:
        return WHY[kind]
    if kind in BY_KEY:
        return f"mentioned since by key {number}" if number else "mentioned since over the API"
    return f"mentioned since by {MENTIONED_BY.get(kind, kind).format(number)}"


def download(site: Site, source: Source, actor: Actor) -> Iterator[list[tuple[str, ...]]]:
    """Yields pages: first the heading, then (address, uuid, reason) for each subscriber of whom something
    stays.

    At the end, even an early one, the audit log records how many rows were sent. Raises `NotFound`.
    """
    pages = _kept_pages(site, get(site, source).id)
    sent = audit_log.record_export(
        site, pages, actor, "kept subscribers downloaded", undo_work.subject(source)
    )
    return chain([[("email", "uuid", "reason")]], sent)


def _kept_pages(site: Site, undo_id: int) -> Iterator[list[tuple[str, ...]]]:
    """Yields pages of (address, uuid, reason) for each subscriber of whom something stays."""
    after = 0
    while True:
        with database.session():
            page = stored.list_kept(site.id, undo_id, after, PAGE_ROWS)
            shown_keys = keys.publishable({row.source_id for row in page if row.source in BY_KEY})
        if not page:
            return
        after = page[-1].id
        yield [
            (row.email, row.uuid, reason_in_words(*readable_source(row.source, row.source_id, shown_keys)))
            for row in page
        ]


@database.session()
def unsubscribed_count(site: Site, undo: Undo) -> int:
    """The number of subscribers whom the undone action unsubscribed and who stay so.

    A removed subscriber counts if the address stays suppressed.
    """
    removed = stored.count_sources(site.id, undo.id, REMOVED)
    return undo.unsubscribed_kept + sum(count for kind, _, count in removed if kind == SUPPRESSED.kind)


def sweep(days: int, only_site: int | None = None) -> bool:
    """Deletes some outcomes of undos that ended over `days` days ago. Returns False if there are none."""
    with database.session():
        old = stored.ended_before(clock.now_ms() - days * DAY_MS, only_site)
    for site_id, undo_id in old:
        with database.write(site_id):
            stored.drop_outcomes(site_id, undo_id, SWEPT_ROWS)
    return bool(old)
