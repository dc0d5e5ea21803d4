"""Subscribers: looked up and written in sets."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

import orjson

from storage.database import execute, execute_many, marks, row, rows
from storage.engines.chosen import engine

DATES = ("created_at", "updated_at", "last_event_at", "unsubscribed_at")


@dataclass(slots=True)
class Subscriber:
    """One row of `subscribers`, the columns in its order; `id` is 0 until it is written."""

    id: int
    uuid: str
    email: str
    email_key: str
    first_name: str = ""
    last_name: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    tag_ids: list[int] = field(default_factory=list)
    created_at: int = 0
    updated_at: int = 0
    last_event_at: int | None = None
    unsubscribed_at: int | None = None
    consent_at: int | None = None
    consent_number: int = 0
    consent_kind: int = 0
    unsubscribe_number: int | None = None


CONSENT = ("unsubscribed_at", "consent_at", "consent_number", "consent_kind", "unsubscribe_number")
consent = attrgetter(*CONSENT)
COLUMN_NAMES = [column.name for column in fields(Subscriber)]
COLUMNS = ", ".join(COLUMN_NAMES)
TEXT_COLUMNS = tuple(column.name for column in fields(Subscriber) if column.default == "")  # written alike
texts = attrgetter(*TEXT_COLUMNS)
FIELDS, TAG_IDS = (COLUMN_NAMES.index(name) for name in ("fields", "tag_ids"))
PLAIN = frozenset((str, int, bool, type(None)))  # kinds of values that orjson reads as they are


def read(record: Sequence[Any]) -> Subscriber:
    """From a row of `COLUMNS`."""
    values = list(record)
    values[FIELDS] = read_values(values[FIELDS])
    values[TAG_IDS] = orjson.loads(values[TAG_IDS])
    return Subscriber(*values)


def read_values(text: str) -> dict[str, Any]:
    """The custom values in a text. orjson reads integers beyond 64 bit as fractions, and no NaN."""
    values: dict[str, Any] = {}
    try:
        values = orjson.loads(text)
        exact = are_plain(values)
    except orjson.JSONDecodeError:
        exact = False
    return values if exact else json.loads(text)


def are_plain(values: Mapping[str, Any]) -> bool:
    return PLAIN.issuperset(map(type, values.values()))


def get_by_keys(site_id: int, keys: Collection[str]) -> dict[str, Subscriber]:
    """Subscribers by email key."""
    chosen = list(keys)
    records = rows(
        f"SELECT {COLUMNS} FROM subscribers WHERE site_id = ? AND email_key IN ({marks(chosen)})",
        [site_id, *chosen],
    )
    return {subscriber.email_key: subscriber for subscriber in map(read, records)}


def get_by_key(site_id: int, key: str) -> Subscriber | None:
    return get_by_keys(site_id, (key,)).get(key)


def get_by_ids(site_id: int, ids: Collection[int]) -> dict[int, Subscriber]:
    """Those of some subscribers who exist, by id."""
    records = rows(
        f"SELECT {COLUMNS} FROM subscribers WHERE id IN ({engine.IDS}) AND +site_id = ?",
        (json.dumps(list(ids)), site_id),
    )
    return {subscriber.id: subscriber for subscriber in map(read, records)}


SHOWN = ", ".join(("id", "uuid", "email", *TEXT_COLUMNS, "fields", "tag_ids", *DATES))


def shown_rows(site_id: int, ids: Collection[int]) -> list[tuple[Any, ...]]:
    """`SHOWN` of those of some subscribers who exist, custom values and tags as text."""
    query = f"SELECT {SHOWN} FROM subscribers WHERE id IN ({engine.IDS}) AND +site_id = ?"
    return rows(query, (json.dumps(list(ids)), site_id))


def identities(site_id: int, ids: Collection[int]) -> dict[int, tuple[str, str]]:
    """(uuid, address) of those of some subscribers who exist, by id."""
    query = f"SELECT id, uuid, email FROM subscribers WHERE id IN ({engine.IDS}) AND +site_id = ?"
    return {
        subscriber_id: (uuid, email)
        for subscriber_id, uuid, email in rows(query, (json.dumps(list(ids)), site_id))
    }


def get_by_uuid(site_id: int, uuid: str) -> Subscriber | None:
    record = row(f"SELECT {COLUMNS} FROM subscribers WHERE site_id = ? AND uuid = ?", (site_id, uuid))
    return record and read(record)


def move(site_id: int, subscriber: Subscriber) -> None:
    """Writes a changed address, and consent with it. Raises `Conflict` when another subscriber has it."""
    execute(
        "UPDATE subscribers SET email = ?, email_key = ?, updated_at = ?, consent_at = ?, "
        "consent_number = ?, consent_kind = ? WHERE site_id = ? AND id = ?",
        (
            subscriber.email,
            subscriber.email_key,
            subscriber.updated_at,
            subscriber.consent_at,
            subscriber.consent_number,
            subscriber.consent_kind,
            site_id,
            subscriber.id,
        ),
    )


def keys_after(site_id: int, last_id: int, limit: int) -> list[tuple[int, str, str]]:
    """(id, email key, uuid) of the next subscribers by id."""
    return rows(
        "SELECT id, email_key, uuid FROM subscribers WHERE site_id = ? AND id > ? ORDER BY id LIMIT ?",
        (site_id, last_id, limit),
    )


def unsubscribed_after(site_id: int, last_id: int, limit: int) -> list[Subscriber]:
    """The next unsubscribed subscribers by id."""
    query = (
        f"SELECT {COLUMNS} FROM subscribers WHERE site_id = ? AND id > ? AND unsubscribed_at IS NOT NULL "
        "ORDER BY id LIMIT ?"
    )
    return [read(record) for record in rows(query, (site_id, last_id, limit))]


def created_by_imports(site_id: int, ids: Collection[int]) -> list[int]:
    """Those of some subscribers whom an import created, by id."""
    records = rows(
        f"SELECT id FROM subscribers WHERE id IN ({engine.IDS}) AND +site_id = ? "
        "AND created_by LIKE ? ORDER BY id",
        (json.dumps(list(ids)), site_id, "import %"),
    )
    return [subscriber_id for (subscriber_id,) in records]


def put_consents_back(
    site_id: int, consents: Iterable[tuple[int, int | None, int, int]], number: int
) -> None:
    """Gives those who are subscribed by the event `number` the one before, as (id, instant, number, kind)."""
    execute_many(
        "UPDATE subscribers SET consent_at = ?, consent_number = ?, consent_kind = ? "
        "WHERE id = ? AND +site_id = ? AND consent_number = ? AND unsubscribed_at IS NULL",
        [(at, before, kind, id_, site_id, number) for id_, at, before, kind in consents],
    )


def put_consents(site_id: int, subscribers: Iterable[Subscriber]) -> None:
    """Writes the consent of subscribers as it is in them."""
    execute_many(
        "UPDATE subscribers SET unsubscribed_at = ?, consent_at = ?, consent_number = ?, consent_kind = ?, "
        "unsubscribe_number = ? WHERE id = ? AND +site_id = ?",
        [(*consent(subscriber), subscriber.id, site_id) for subscriber in subscribers],
    )


def keys_of(site_id: int, uuids: Collection[str]) -> dict[str, str]:
    """The email keys of those who exist, by uuid."""
    chosen = list(uuids)
    query = f"SELECT uuid, email_key FROM subscribers WHERE site_id = ? AND uuid IN ({marks(chosen)})"
    return dict(rows(query, [site_id, *chosen]))


def delete(site_id: int, ids: Sequence[int]) -> tuple[int, int]:
    """Deletes subscribers with their tags and events; returns (deleted, unsubscribed among them)."""
    chosen = f"+site_id = ? AND id IN ({marks(ids)})"
    query = f"SELECT count(*), count(unsubscribed_at) FROM subscribers WHERE {chosen}"
    counts: tuple[int, int] = row(query, [site_id, *ids])
    links = (
        f"SELECT t.value, s.id FROM subscribers s, {engine.each_number('s.tag_ids')} t "
        f"WHERE +s.site_id = ? AND s.id IN ({marks(ids)})"
    )
    execute(
        f"DELETE FROM subscriber_tags WHERE site_id = ? AND (tag_id, subscriber_id) IN ({links})",
        [site_id, site_id, *ids],
    )
    execute(f"DELETE FROM subscribers WHERE {chosen}", [site_id, *ids])
    return counts
