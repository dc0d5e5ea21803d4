"""Subscribers: looked up and written in sets."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from storage.database import each_row, execute, execute_many, marks, row, rows
from storage.engines.sqlite import indexed_by
from storage.sql import Sql

DATES = ("created_at", "updated_at", "last_event_at", "unsubscribed_at")
MANY = 5_000
PAGE_LENGTH = 2**20  # characters of custom values in a page of an export


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
JSON_TYPES = (dict, list)
FIELDS_POSITION = JSON_POSITIONS[0]
INSERTED = [name for name in COLUMN_NAMES if name != "id"]
UPDATED = [name for name in INSERTED if name not in ("uuid", "email_key", "created_at")]
SAVE = (
    f"INSERT INTO subscribers (site_id, {', '.join(INSERTED)}) VALUES (?, {marks(INSERTED)}) "
    "ON CONFLICT (site_id, email_key) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in UPDATED)
)

_inserted = attrgetter(*INSERTED)
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def read(record: Sequence[Any]) -> Subscriber:
    """From a row of `COLUMNS`."""
    values = list(record)
    for position in JSON_POSITIONS:
        values[position] = json.loads(values[position])
    return Subscriber(*values)


def _parameters(site_id: int, subscriber: Subscriber) -> list[Any]:
    """The values of `SAVE`."""
    values = [_encode(value) if isinstance(value, JSON_TYPES) else value for value in _inserted(subscriber)]
    return [site_id, *values]


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


def get_by_uuid(site_id: int, uuid: str) -> Subscriber | None:
    record = row(f"SELECT {COLUMNS} FROM subscribers WHERE site_id = ? AND uuid = ?", (site_id, uuid))
    return record and read(record)


def save(site_id: int, subscribers: Iterable[Subscriber]) -> None:
    """Inserts and updates, in one statement for all of them."""
    execute_many(SAVE, (_parameters(site_id, subscriber) for subscriber in subscribers))


def ids(site_id: int, keys: Sequence[str]) -> dict[str, int]:
    """Row ids by email key."""
    return dict(
        rows(
            f"SELECT email_key, id FROM subscribers WHERE site_id = ? AND email_key IN ({marks(keys)})",
            [site_id, *keys],
        )
    )


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
        "SELECT t.value, s.id FROM subscribers s, json_each(s.tag_ids) t "
        f"WHERE s.site_id = ? AND s.id IN ({marks(ids)})"
    )
    execute(
        f"DELETE FROM subscriber_tags WHERE site_id = ? AND (tag_id, subscriber_id) IN ({links})",
        [site_id, site_id, *ids],
    )
    execute(f"DELETE FROM subscribers WHERE {chosen}", [site_id, *ids])
    return counts[0], counts[1]


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Exclusive bounds in milliseconds per date column, and further conditions."""

    after: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    email_key: str | None = None
    tag_ids: Sequence[int] = ()
    rules: Sequence[Sql] = ()


def search(site_id: int, filters: Filters, limit: int, offset: int) -> list[Subscriber]:
    """Matches, newest first. An index alone yields the ids; rows are read only for the page.

    Dates that match few subscribers are searched in their own index, and the matches sorted. Dates that match
    many are checked in the order of the result, along an index that contains all four. A unary plus keeps a
    column from its index: here from the wrong one of these two, in the second query from a scan of the site
    for 100 ids.
    """
    many = _match_many(site_id, filters)
    where, parameters = _conditions(site_id, filters, dates="+" if many else "")
    order = "+" if many is False else ""
    ids = [
        record[0]
        for record in rows(
            f"SELECT id FROM subscribers WHERE {where} "
            f"ORDER BY {order}created_at DESC, id DESC LIMIT ? OFFSET ?",
            [*parameters, limit, offset],
        )
    ]
    records = rows(
        f"SELECT {COLUMNS} FROM subscribers WHERE id IN ({marks(ids)}) AND +site_id = ?", [*ids, site_id]
    )
    by_id = {subscriber.id: subscriber for subscriber in map(read, records)}
    return [by_id[subscriber_id] for subscriber_id in ids]


def _match_many(site_id: int, filters: Filters) -> bool | None:
    """Whether `MANY` subscribers match the dates other than `created_at`; None without such a date."""
    if filters.after.keys() | filters.before.keys() <= {"created_at"}:
        return None
    where, parameters = _conditions(site_id, Filters(after=filters.after, before=filters.before))
    return bool(row(f"SELECT 1 FROM subscribers WHERE {where} LIMIT 1 OFFSET {MANY - 1}", parameters))


def _conditions(site_id: int, filters: Filters, dates: str = "") -> tuple[str, list[Any]]:
    """The WHERE text and its parameters; `dates` is put before each date other than `created_at`."""
    conditions = ["site_id = ?"]
    parameters: list[Any] = [site_id]
    for bounds, operator in ((filters.after, ">"), (filters.before, "<")):
        for column in DATES:
            if column in bounds:
                plus = "" if column == "created_at" else dates
                conditions.append(f"{plus}{column} {operator} ?")
                parameters.append(bounds[column])
    if filters.email_key is not None:
        conditions.append("email_key = ?")
        parameters.append(filters.email_key)
    for tag_id in filters.tag_ids:
        conditions.append(
            "id IN (SELECT subscriber_id FROM subscriber_tags WHERE site_id = ? AND tag_id = ?)"
        )
        parameters += [site_id, tag_id]
    for rule in filters.rules:
        conditions.append(f"({rule.text})")
        parameters += rule.parameters
    return " AND ".join(conditions), parameters


def page(site_id: int, filters: Filters, after: str, limit: int) -> list[Subscriber]:
    """The next matches after a uuid, in the order of uuids (version 7: of creation); fewer of large ones.

    Always along the index of uuids: with another, all matches would be sorted for each page.
    """
    where, parameters = _conditions(site_id, filters)
    records = each_row(
        f"SELECT {COLUMNS} FROM subscribers {indexed_by('subscribers_site_id_uuid')} "
        f"WHERE {where} AND uuid > ? ORDER BY uuid LIMIT ?",
        [*parameters, after, limit],
    )
    return [read(record) for record in _up_to(PAGE_LENGTH, records)]


def _up_to(length: int, records: Iterable[Any]) -> Iterator[Any]:
    """The first records, until their custom values have `length` characters."""
    for record in records:
        yield record
        length -= len(record[FIELDS_POSITION])
        if length <= 0:
            return
