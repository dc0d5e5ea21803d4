"""Lists of subscribers to look through: filtered, ordered and counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from audience import clock
from audience.access.sites import Site
from audience.segments import segments
from storage import database
from storage.changes import consent_changes
from storage.changes.consent_changes import ConsentChange
from storage.searches import lists as stored
from storage.sql import AND, Sql, join
from storage.subscribers import events as stored_events
from storage.subscribers.events import WEEK_MS, Event
from storage.subscribers.subscribers import Subscriber

__all__ = ["WEEK_MS", "ConsentChange", "Event", "Subscriber"]

PAGE_SIZE = 100
MOST_COUNTED = stored.MOST_FOUND
ORDERS = stored.ORDERS
FILTER = "filter"
WEEKS = 12


@dataclass(frozen=True, kw_only=True)
class ListRequest:
    """A request for a list of the subscribers who match all of `text`, `rules` and the segment.

    `text` is the beginning of an address, a domain or a name; `rules` are segment rules. A list
    ordered by a date other than `created_at` has only subscribers with that date.
    """

    text: str = ""
    rules: Sequence[Any] = ()
    segment_id: str = ""
    order: str = ORDERS[0]
    descending: bool = True
    page: int = 1


@dataclass(frozen=True)
class ListPage:
    """A page of a list. `count` is how many subscribers match; with `is_more`, even more than that.

    `weeks` has the number of events in each of the last 12 weeks, by subscriber id.
    """

    subscribers: Sequence[Subscriber]
    count: int
    is_more: bool
    weeks: Mapping[int, Sequence[int]] = field(default_factory=dict)


@database.snapshot()
def find(site: Site, query: ListRequest, count_all: bool = False) -> ListPage:
    """A page of the list with the number of matches, which is exact with `count_all`.

    Raises `Refused` for a wrong rule, and `NotFound` for the segment.
    """
    rule = _rule(site.id, query)
    offset = (query.page - 1) * PAGE_SIZE
    subscribers = stored.page(site.id, rule, query.order, query.descending, PAGE_SIZE, offset)
    limit = 2**62 if count_all else MOST_COUNTED + 1
    count = stored.count(site.id, rule, query.order, limit)
    weeks = events_by_week(site, [subscriber.id for subscriber in subscribers], WEEKS)
    return ListPage(subscribers, min(count, limit - 1), count >= limit, weeks)


@database.session()
def newest(site: Site, limit: int) -> list[Subscriber]:
    """The subscribers created last, newest first."""
    return stored.newest(site.id, limit)


@database.snapshot()
def ids(site: Site, query: ListRequest) -> list[int]:
    """The ids of all matching subscribers. Raises as `find` does."""
    return stored.ids(site.id, _rule(site.id, query), query.order)


def _rule(site_id: int, query: ListRequest) -> Sql:
    parts = [Sql("TRUE")]
    if query.rules:
        parts.append(segments.members_by(site_id, {"all": list(query.rules)}, FILTER).condition)
    if query.segment_id:
        parts.append(segments.members(site_id, query.segment_id).condition)
    if query.text.strip():
        parts.append(segments.beginning(site_id, query.text))
    return join(AND, [replace(part, text=f"({part.text})") for part in parts])


@database.session()
def events_by_week(site: Site, subscriber_ids: Sequence[int], weeks: int) -> dict[int, list[int]]:
    """The number of events in each of the last `weeks`, oldest first, by subscriber id."""
    since = clock.now_ms() - weeks * WEEK_MS
    counts = {subscriber_id: [0] * weeks for subscriber_id in subscriber_ids}
    for subscriber_id, week, count in stored_events.by_week(site.id, subscriber_ids, since):
        counts[subscriber_id][min(week, weeks - 1)] += count
    return counts


@database.snapshot()
def newest_events(site: Site, subscriber: Subscriber, limit: int) -> tuple[list[Event], int]:
    """(The newest events of a subscriber, newest first; the number of all its events)."""
    return stored_events.page(site.id, subscriber.id, limit, 0), stored_events.count(site.id, subscriber.id)


@database.session()
def consents(site: Site, subscriber: Subscriber) -> tuple[str, list[ConsentChange]]:
    """(What created a subscriber, such as `import 12`, or ""; changes of its consent, in order)."""
    return (
        consent_changes.created_by(site.id, subscriber.id),
        consent_changes.for_subscriber(site.id, subscriber.id),
    )


@database.snapshot()
def segments_of(site: Site, subscriber: Subscriber) -> list[segments.Segment]:
    """The segments that a subscriber is in now."""
    return [
        segment
        for segment in segments.list_all(site)
        if subscriber.id in segments.members(site.id, str(segment.id), [subscriber.id])
    ]
