"""The parts of a subscriber's page: fields, tags, segments, and the timeline."""

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from flask import request

from audience import clock
from audience.access.sites import Site
from audience.console import consents
from audience.console.consents import Entry
from audience.console.wording import day_name, local, short_day
from audience.searches import lists as subscriber_lists
from audience.searches.lists import WEEK_MS, Event
from audience.subscribers import tags
from audience.subscribers.subscribers import Subscriber
from schemas.values import NAMES

SHOWN = 30
MOST_SHOWN = 1_000
MAX_DETAILS = 160
WEEKS = 78
TEXT = "text"
TYPES = {bool: "yes or no", int: "number", float: "number", list: "list", dict: "object", type(None): "empty"}


def timeline(site: Site, subscriber: Subscriber) -> dict[str, Any]:
    """The variables of a subscriber's page, with the newest events, or more if the URL has `everything`."""
    limit = MOST_SHOWN if "everything" in request.args else SHOWN
    events, event_count = subscriber_lists.newest_events(site, subscriber, limit)
    all_tags = tags.list_all(site)
    history = consents.history(site, subscriber)
    entries = sorted([*history, *map(_event, events)], key=lambda entry: entry.at, reverse=True)
    return {
        "fields": [(key, _value(value), TYPES.get(type(value), TEXT)) for key, value in _fields(subscriber)],
        "tags": [tag.name for tag in all_tags if tag.id in subscriber.tag_ids],
        "all_tags": [tag.name for tag in all_tags],
        "consents": (changes := [entry for entry in reversed(history) if entry.kind]),
        "since": next(iter(changes), None),
        "segments": subscriber_lists.segments_of(site, subscriber),
        "days": [(day_name(day, short=False), list(some)) for day, some in groupby(entries, _day)],
        "shown": len(entries),
        "entry_count": event_count + len(entries) - len(events),
        "event_count": event_count,
        **_weeks(site, subscriber),
    }


def _fields(subscriber: Subscriber) -> Iterator[tuple[str, Any]]:
    yield from ((name, getattr(subscriber, name)) for name in NAMES)
    yield from subscriber.fields.items()


def _value(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _event(event: Event) -> Entry:
    details = json.loads(event.details) if event.details else {}
    return Entry(event.occurred_at, "", "Event", event.type, _details(details))


def _details(details: Any) -> str:
    if not isinstance(details, dict):
        return ""
    words = ", ".join(f"{key} {_value(value)}" for key, value in details.items())
    return words if len(words) <= MAX_DETAILS else f"{words[:MAX_DETAILS]}…"


def _day(entry: Entry) -> Any:
    return local(entry.at).date()


def _weeks(site: Site, subscriber: Subscriber) -> dict[str, Any]:
    """The number of events in each week, and five dates to write below them."""
    counts = subscriber_lists.events_by_week(site, [subscriber.id], WEEKS)[subscriber.id]
    return {"weeks": counts, "week_days": [short_day(day) for day in _spread_dates(WEEKS)]}


def _spread_dates(weeks: int) -> list[Any]:
    """Five dates, evenly spaced from `weeks` ago to today."""
    now = clock.now_ms()
    return [local(now - int(weeks * WEEK_MS * part / 4)).date() for part in range(4, -1, -1)]
