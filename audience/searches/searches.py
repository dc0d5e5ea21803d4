"""Searching for subscribers, by criteria that all hold (docs/endpoints.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from audience import addresses
from audience.access.sites import Site
from audience.segments import segments
from audience.subscribers import tags
from schemas.values import MAX_PAGE
from storage import database, spelt
from storage.searches import searches as stored
from storage.searches.lists import EARLIEST
from storage.searches.searches import NEWEST, Filters, Order, Position
from storage.subscribers import tags as stored_tags
from storage.subscribers import texts as subscriber_texts
from storage.subscribers.subscribers import Subscriber

__all__ = ["Order", "Position"]

PAGE_SIZE = 100
BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """The criteria of a search, which must all hold. `after` and `before` have exclusive bounds in
    milliseconds, by date column.

    `beginning` is the beginning of an address, a domain or a name. `fields` has values by the key of
    the custom field; a text also matches the number or boolean that it spells.
    """

    after: Mapping[str, int]
    before: Mapping[str, int]
    email: str | None = None
    tags: Sequence[str] = ()
    tag_ids: Sequence[str] = ()
    segment_id: str | None = None
    beginning: str | None = None
    status: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    order: Order = NEWEST
    per_page: int = PAGE_SIZE

    @property
    def is_one_read(self) -> bool:
        """Whether one statement reads the page: no criterion is looked up before."""
        looked_up = self.tags, self.tag_ids, self.segment_id, self.beginning, self.fields
        return not any((*looked_up, self.after, self.before, self.status))


@database.snapshot()
def search(site: Site, query: SearchRequest, page: int) -> tuple[list[Subscriber], Position | None]:
    """(A page of the matching subscribers in order, the position after it or None if it is the last page).

    The first `page` is 1. Raises `NotFound` for the segment.
    """
    filters = _filters(site, query)
    if filters is None or page > MAX_PAGE:
        return [], None
    size, order = query.per_page, query.order
    matches = stored.search(site.id, filters, size + 1, (page - 1) * size, order)
    return matches[:size], _position(matches[size - 1], order) if len(matches) > size else None


def order(sort: str, position: Sequence[int] | None) -> Order:
    """The order of a `sort` such as `-created_at`: with `-`, the latest date comes first.

    A `position`, as `search` returns it, continues the order behind that subscriber.
    """
    ends = None if position is None else (position[0], position[1], position[2])
    return Order(sort.removeprefix("-"), sort.startswith("-"), ends)


def _position(subscriber: Subscriber, order: Order) -> Position:
    return getattr(subscriber, order.column), subscriber.created_at, subscriber.id


def search_texts(site: Site, query: SearchRequest, page: int, pages: str) -> tuple[bytes, Position | None]:
    """Searches as `search` does, but returns the subscribers of a page as UTF-8 JSON (empty if nobody can
    match), and the position of the last one for the next cursor.

    `page` counts from 1. `pages` is the URL of a subscriber's page up to the uuid.
    """
    with database.session() if query.is_one_read else database.snapshot():
        filters = _filters(site, query)
        if filters is None or page > MAX_PAGE:
            return b"", None
        text, offset = subscriber_texts.text(pages), (page - 1) * query.per_page
        return stored.texts(site.id, filters, query.per_page, offset, text, query.order)


def _filters(site: Site, query: SearchRequest) -> Filters | None:
    """The filters for the query; None if no subscriber can match. Raises `NotFound` for the segment."""
    if query.status == "subscribed" and query.order.column == "unsubscribed_at":
        return None
    rules = [segments.members(site.id, query.segment_id).condition] if query.segment_id is not None else []
    if query.beginning is not None:
        rules.append(segments.beginning(site.id, query.beginning))
    if query.fields:
        rules.append(segments.members_by(site.id, _field_rule(query.fields)).condition)
    tag_ids = tags.ids(site.id, query.tags)
    if len(tag_ids) < len({tags.name_key(name) for name in query.tags}):
        return None
    twins = tags.twins(site.id) if tag_ids else {}
    rules += [segments.tag_condition(site.id, key) for key, tag_id in tag_ids.items() if tag_id in twins]
    if not all(map(segments.is_id, query.tag_ids)):
        return None
    by_id = {*map(int, query.tag_ids)}
    names = stored_tags.names(site.id, by_id)
    if len(names) < len(by_id):
        return None
    merged = tags.merge_targets(site.id, names) if names else {}
    rules += [segments.tag_condition(site.id, key) for key in merged.values()]
    try:
        email_key = addresses.identity(query.email) if query.email is not None else None
    except addresses.MalformedAddress:
        return None
    unsubscribed = {"unsubscribed_at": EARLIEST} if query.status == "unsubscribed" else {}
    return Filters(
        after=unsubscribed | dict(query.after),
        before=dict(query.before),
        email_key=email_key,
        tag_ids=list(
            {*(tag_id for tag_id in tag_ids.values() if tag_id not in twins), *(by_id - merged.keys())}
        ),
        rules=rules,
        subscribed=query.status == "subscribed",
    )


def _field_rule(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"all": [{"field": key, "in": [value, *_spelled_numbers(value)]} for key, value in values.items()]}


def _spelled_numbers(value: Any) -> list[int | float]:
    """The number or boolean that a text spells, in a list; empty if there is none."""
    if not isinstance(value, str):
        return []
    if value in BOOLEANS:
        return [BOOLEANS[value]]
    number = spelt.number(value)
    return [number] if number is not None and str(number) == value else []
