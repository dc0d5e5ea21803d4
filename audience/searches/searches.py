"""Searching for subscribers, by criteria that all hold (docs/endpoints.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audience import addresses
from audience.access.sites import Site
from audience.segments import segments
from audience.subscribers import tags
from schemas.values import MAX_PAGE
from storage import database
from storage.searches import searches as stored
from storage.searches.searches import Filters
from storage.subscribers import texts as subscriber_texts
from storage.subscribers.subscribers import Subscriber

PAGE_SIZE = 100


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """The criteria of a search, all of which must hold. `after` and `before` have exclusive bounds by column,
    in milliseconds. `beginning` is that of an address, a domain or a name.
    """

    after: Mapping[str, int]
    before: Mapping[str, int]
    email: str | None = None
    tags: Sequence[str] = ()
    tag_ids: Sequence[str] = ()
    segment_id: str | None = None
    beginning: str | None = None


@database.snapshot()
def search(site: Site, query: SearchRequest, page: int) -> tuple[list[Subscriber], bool]:
    """A page of the matching subscribers, newest first, and whether there are more. The first `page` is 1.

    Raises `NotFound` for the segment.
    """
    filters = _filters(site, query)
    if filters is None or page > MAX_PAGE:
        return [], False
    matches = stored.search(site.id, filters, PAGE_SIZE + 1, (page - 1) * PAGE_SIZE)
    return matches[:PAGE_SIZE], len(matches) > PAGE_SIZE


@database.snapshot()
def search_texts(site: Site, query: SearchRequest, page: int, pages: str) -> tuple[bytes, bool]:
    """Searches as `search` does, and returns the matching subscribers as JSON text.

    `pages` is a URL that a uuid completes to that of a subscriber's page.
    """
    filters = _filters(site, query)
    if filters is None or page > MAX_PAGE:
        return b"", False
    text, offset = subscriber_texts.text(pages), (page - 1) * PAGE_SIZE
    return stored.texts(site.id, filters, PAGE_SIZE, offset, text)


def _filters(site: Site, query: SearchRequest) -> Filters | None:
    """The filters for the SQL; None if no subscriber can match. Raises `NotFound` for the segment."""
    rules = [segments.members(site.id, query.segment_id).condition] if query.segment_id is not None else []
    if query.beginning is not None:
        rules.append(segments.beginning(site.id, query.beginning))
    tag_ids = tags.ids(site.id, query.tags)
    if len(tag_ids) < len({tags.name_key(name) for name in query.tags}):
        return None
    twins = tags.twins(site.id) if tag_ids else {}
    rules += [segments.tag_condition(site.id, key) for key, tag_id in tag_ids.items() if tag_id in twins]
    if not all(map(segments.is_id, query.tag_ids)):
        return None
    try:
        email_key = addresses.identity(query.email) if query.email is not None else None
    except addresses.MalformedAddress:
        return None
    return Filters(
        after=dict(query.after),
        before=dict(query.before),
        email_key=email_key,
        tag_ids=list(
            {*(tag_id for tag_id in tag_ids.values() if tag_id not in twins), *map(int, query.tag_ids)}
        ),
        rules=rules,
    )
