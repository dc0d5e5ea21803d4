"""Events of subscribers. Instants are in milliseconds."""

import itertools
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from peewee import ForeignKeyField

from storage.base_models import SiteOwnedModel, add_partial_index
from storage.database import column, database, each_row, rows, value
from storage.engines.chosen import engine
from storage.records import Records
from storage.subscribers.subscribers import SubscriberModel

WEEK_MS = 7 * 86_400_000
PAGE_LENGTH = 2**18  # characters of details in a page of an export


class Event(NamedTuple):
    """An event of a subscriber; `details` is JSON."""

    subscriber_id: int
    type: str
    details: str
    unique_key: str | None
    occurred_at: int
    id: int = 0
    created_at: int = 0


class EventModel(SiteOwnedModel, table="events", record=Event):
    subscriber = ForeignKeyField(SubscriberModel, on_delete="CASCADE", index=False)

    class Meta:
        indexes = (
            (("subscriber", "occurred_at", "id"), False),  # those of a person, newest first; erasing
            # reports and segments by type, by the index alone
            (("site", "type", "occurred_at", "subscriber"), False),
            (("site", "id"), False),  # the newest of a site
        )


_event: Any = EventModel
# Whether the site has seen an event.
add_partial_index("events_site_id_type_unique_key", _event.site, _event.type, _event.unique_key,
    where=_event.unique_key.is_null(False), unique=True)  # fmt: skip
EVENTS = Records(EventModel, Event)
add = EVENTS.add_many


def stored_unique_keys(site_id: int, unique_keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The email key of the subscriber, by (type, unique key), for those pairs that the site has already.

    `unique_keys` must not be empty.
    """
    values = ",".join(["(?,?)"] * len(unique_keys))
    records = rows(
        "SELECT e.type, e.unique_key, s.email_key FROM events e "
        "JOIN subscribers s ON s.site_id = e.site_id AND s.id = e.subscriber_id "
        f"WHERE e.site_id = ? AND e.unique_key IS NOT NULL AND (e.type, e.unique_key) IN (VALUES {values})",
        [site_id, *itertools.chain.from_iterable(unique_keys)],
    )
    return {(type_, unique_key): email_key for type_, unique_key, email_key in records}


def page(site_id: int, subscriber_id: int, limit: int, offset: int) -> list[Event]:
    """A page of a subscriber's events, newest first."""
    newest = f"{_of_subscriber()} ORDER BY occurred_at DESC, id DESC LIMIT ? OFFSET ?"
    return EVENTS.find(newest, subscriber_id, site_id, limit, offset)


def newest(site_id: int, limit: int) -> list[tuple[Event, str]]:
    """The newest events of a site, newest first, each with its subscriber's address."""
    records = rows(
        f"SELECT {EVENTS.columns_of('e')}, s.email FROM events e "
        "JOIN subscribers s ON s.id = e.subscriber_id AND s.site_id = e.site_id "
        "WHERE e.site_id = ? ORDER BY e.id DESC LIMIT ?",
        (site_id, limit),
    )
    return [(Event(*event), email) for *event, email in records]


def after(site_id: int, last_id: int, limit: int) -> list[tuple[Event, str, str]]:
    """The next events of a site after an id, by id, each with its subscriber's uuid and address.

    A page is shorter if its details are large. The site's lock makes ids follow the order of commits.
    """
    records = each_row(
        f"SELECT {EVENTS.columns_of('e')}, s.uuid, s.email FROM events e "
        "JOIN subscribers s ON s.id = e.subscriber_id AND s.site_id = e.site_id "
        "WHERE e.site_id = ? AND e.id > ? ORDER BY e.id LIMIT ?",
        [site_id, last_id, limit],
    )
    page, length = [], 0
    for *event, uuid, email in records:
        page.append((Event(*event), uuid, email))
        length += len(page[-1][0].details)
        if length > PAGE_LENGTH:
            break
    return page


def last_id() -> int:
    """The highest id that an event of any site has had."""
    return engine.last_id(database, "events")


def for_subscriber(site_id: int, subscriber_id: int) -> list[Event]:
    """All events of a subscriber, oldest first."""
    return EVENTS.find(f"{_of_subscriber()} ORDER BY occurred_at, id", subscriber_id, site_id)


def newest_of_type(site_id: int, subscriber_id: int, type_: str, limit: int) -> list[int]:
    """The instants of a subscriber's newest events of a type, newest first."""
    query = (
        f"SELECT occurred_at FROM events {_of_subscriber()} AND type = ? ORDER BY occurred_at DESC LIMIT ?"
    )
    return column(query, (subscriber_id, site_id, type_, limit))


def count(site_id: int, subscriber_id: int) -> int:
    return value(f"SELECT count(*) FROM events {_of_subscriber()}", (subscriber_id, site_id), 0)


def by_week(site_id: int, subscriber_ids: Sequence[int], since: int) -> list[tuple[int, int, int]]:
    """The (subscriber id, week, number of events) of subscribers. Week 0 begins at the instant `since`.

    Weeks without events are left out.
    """
    among = engine.among(subscriber_ids)
    return rows(
        f"SELECT subscriber_id, (occurred_at - ?) / {WEEK_MS}, count(*) FROM events "
        f"WHERE subscriber_id {among.text} AND {engine.OF_SITE} AND occurred_at >= ? "
        "GROUP BY 1, 2",
        [since, *among.parameters, site_id, since],
    )


def _of_subscriber() -> str:
    """The WHERE clause of a subscriber's events. Its parameters are the ids of subscriber and site."""
    return f"WHERE subscriber_id = ? AND {engine.OF_SITE}"
