"""Exports: the subscribers of a site or of a segment, page by page (docs/files.md)."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any

from pyroaring import BitMap

from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.errors import Refused
from audience.segments import segments
from schemas.codes import Code, Sentence
from schemas.values import FieldError
from storage import database
from storage.bulk import actions as stored_actions
from storage.searches import searches
from storage.segments import members
from storage.subscribers import custom_fields as stored_fields
from storage.subscribers import events as stored_events
from storage.subscribers import tags as stored_tags
from storage.subscribers.events import Event
from storage.subscribers.subscribers import Subscriber

PAGE_SIZE, LOOKED_FOR = 500, 20
EXPORTED = "subscribers exported"
EVENTS_EXPORTED = "events exported"
NOT_REACHED = Sentence(
    Code.UNKNOWN_RECORD,
    "No event has this id, perhaps because of a restore: export all events again, with after=0.",
)
WITH_LINKS = " with links"

ExportPage = list[tuple[Subscriber, list[str]]]


def pages(site: Site, segment_id: str | None = None) -> Iterator[ExportPage]:
    """Yields pages of (subscriber, its tag names), in order of creation. Raises `NotFound` for the segment at
    once.

    This is not a snapshot. No subscriber appears twice; those created during the export come last.
    """
    return _all_pages(site.id) if segment_id is None else _member_pages(site.id, _rules(site.id, segment_id))


def recorded_pages(
    site: Site, segment_id: str | None, actor: Actor, with_links: bool = False
) -> Iterator[ExportPage]:
    """Yields the pages of `pages`. At the end, the audit log records who exported how many.

    Raises `NotFound` for the segment at once. `with_links`: the audit log notes that links were exported.
    """
    read, more = pages(site, segment_id), WITH_LINKS if with_links else ""
    if segment_id is None:
        return audit_log.record_export(site, read, actor, EXPORTED + more)
    return audit_log.record_export(
        site, read, actor, segments.EXPORTED + more, segments.get(site, segment_id).name
    )


@database.session()
def _rules(site_id: int, segment_id: str) -> Any:
    return json.loads(segments.require(site_id, segment_id).rules)


def _all_pages(site_id: int) -> Iterator[ExportPage]:
    after = ""
    while True:
        page = _page(site_id, after)
        if not page:
            return
        yield page
        after = page[-1][0].uuid


@database.on_replica
def _page(site_id: int, after: str) -> ExportPage:
    return _with_tags(site_id, searches.page(site_id, after, PAGE_SIZE))


def _member_pages(site_id: int, rules: Any) -> Iterator[ExportPage]:
    """Yields pages of the subscribers who match the rules.

    Every `LOOKED_FOR` pages, the rules are matched anew, to leave out people who unsubscribed.
    """
    after, ids = 0, BitMap()
    for number in count():
        if not (ids and number % LOOKED_FOR):
            ids = _member_ids(site_id, rules)
        ids.remove_range(0, after + 1)
        chunk = list(islice(ids, PAGE_SIZE))
        if not chunk:
            return
        page = _page_among(site_id, chunk)
        yield page
        after = page[-1][0].id if page else chunk[-1]


@database.on_replica
def _member_ids(site_id: int, rules: Any) -> BitMap:
    return members.all_ids(site_id, segments.members_by(site_id, rules))


@database.on_replica
def _page_among(site_id: int, ids: Sequence[int]) -> ExportPage:
    return _with_tags(site_id, searches.page_among(site_id, ids))


def pages_of(site: Site, chunks: Iterable[Sequence[int]]) -> Iterator[ExportPage]:
    """Yields an export's pages: one for each chunk of subscriber ids."""
    for ids in chunks:
        with database.session():
            page = _with_tags(site.id, stored_actions.subscribers(site.id, ids))
        yield page


def event_pages(site: Site, after: int, actor: Actor) -> Iterator[list[tuple[Event, str, str]]]:
    """Yields pages of (event, its subscriber's uuid and address) after the id `after`, in order. At the end,
    the audit log records who exported how many.

    Raises `Refused` at once if no event ever had the id `after`, as can happen after a restore.
    """
    with database.session():
        if after > stored_events.last_id():
            raise Refused(NOT_REACHED, [FieldError("after", NOT_REACHED)])
    return audit_log.record_export(site, _event_pages(site, after), actor, EVENTS_EXPORTED)


def _event_pages(site: Site, after: int) -> Iterator[list[tuple[Event, str, str]]]:
    while page := events_after(site, after):
        yield page
        after = page[-1][0].id


@database.on_replica
def events_after(site: Site, after: int) -> list[tuple[Event, str, str]]:
    """The first page of `event_pages`, without a record in the audit log."""
    return stored_events.after(site.id, after, PAGE_SIZE)


def _with_tags(site_id: int, page: Sequence[Subscriber]) -> ExportPage:
    names = stored_tags.names(site_id, {tag_id for subscriber in page for tag_id in subscriber.tag_ids})
    return [
        (subscriber, [names[tag_id] for tag_id in subscriber.tag_ids if tag_id in names])
        for subscriber in page
    ]


@database.session()
def keys(site: Site) -> list[str]:
    """The keys of a site's custom fields, oldest first."""
    return [field.key for field in reversed(stored_fields.list_all(site.id))]
