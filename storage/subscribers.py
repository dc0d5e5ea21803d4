"""Subscribers: looked up and written in sets."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from storage.database import execute, marks, row, rows
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


COLUMN_NAMES = [column.name for column in fields(Subscriber)]
COLUMNS = ", ".join(COLUMN_NAMES)
JSON_POSITIONS = [COLUMN_NAMES.index(name) for name in ("fields", "tag_ids")]


def read(record: Sequence[Any]) -> Subscriber:
    """From a row of `COLUMNS`."""
    values = list(record)
    for position in JSON_POSITIONS:
        values[position] = json.loads(values[position])
    return Subscriber(*values)


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


def get_by_uuid(site_id: int, uuid: str) -> Subscriber | None:
    record = row(f"SELECT {COLUMNS} FROM subscribers WHERE site_id = ? AND uuid = ?", (site_id, uuid))
    return record and read(record)


def move(site_id: int, subscriber: Subscriber) -> None:
    """Writes a changed address. Raises `Conflict` when another subscriber has it."""
    execute(
        "UPDATE subscribers SET email = ?, email_key = ?, updated_at = ? WHERE site_id = ? AND id = ?",
        (subscriber.email, subscriber.email_key, subscriber.updated_at, site_id, subscriber.id),
    )


def keys_after(site_id: int, last_id: int, limit: int) -> list[tuple[int, str]]:
    """(id, email key) of the next subscribers by id."""
    return rows(
        "SELECT id, email_key FROM subscribers WHERE site_id = ? AND id > ? ORDER BY id LIMIT ?",
        (site_id, last_id, limit),
    )


def delete(site_id: int, ids: Sequence[int]) -> tuple[int, int]:
    """Deletes subscribers with their tags and events; returns (deleted, unsubscribed among them)."""
    chosen = f"site_id = ? AND id IN ({marks(ids)})"
    counts = row(f"SELECT count(*), count(unsubscribed_at) FROM subscribers WHERE {chosen}", [site_id, *ids])
    links = (
        f"SELECT t.value, s.id FROM subscribers s, {engine.each_number('s.tag_ids')} t "
        f"WHERE s.site_id = ? AND s.id IN ({marks(ids)})"
    )
    execute(
        f"DELETE FROM subscriber_tags WHERE site_id = ? AND (tag_id, subscriber_id) IN ({links})",
        [site_id, site_id, *ids],
    )
    execute(f"DELETE FROM subscribers WHERE {chosen}", [site_id, *ids])
    return counts[0], counts[1]
