"""Subscribers: looked up and written in sets."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

import orjson
from peewee import SQL, TextField

from storage.base_models import SiteOwnedModel, add_partial_index
from storage.database import execute, execute_many, row, rows
from storage.engines.chosen import engine

DATES = ("created_at", "updated_at", "last_event_at", "unsubscribed_at")


@dataclass(slots=True)
class Subscriber:
    """A row of `subscribers`, with its columns in order. `id` is 0 until the row is written.

    `email_key` is the address as it is compared. `consent_number` is the acceptance number of the consent
    event in force, `consent_kind` its `ConsentKind`, `unsubscribe_number` the number of the last unsubscribe.
    Instants are in milliseconds.
    """

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


class SubscriberModel(SiteOwnedModel, table="subscribers", record=Subscriber):
    """`fields` and `tag_ids` are JSON. `created_by` is what created the subscriber, such as `import 12`."""

    fields = TextField()
    tag_ids = TextField()
    created_by = TextField()

    class Meta:
        indexes = (
            (("site", "email_key"), True),  # by address; addresses that begin with a text
            (("site", "uuid"), True),  # by uuid; the pages of an export
            # Newest first, and the four filters by date, all by the index alone: `updated_at` has no other,
            # since each index with it is a third of the cost of an update. PostgreSQL's index is without it.
            (("site", "created_at", "id", "updated_at", "last_event_at", "unsubscribed_at"), False),
        )


# For few subscribers within bounds, counts by date, lists in its order. NULL matches no filter.
_dated: Any = SubscriberModel
for _date in (_dated.last_event_at, _dated.unsubscribed_at):
    add_partial_index(f"subscribers_site_id_{_date.name}", _dated.site, _date, _dated.created_at, _dated.id,
        where=_date.is_null(False))  # fmt: skip

# Found by the beginning of a name, in parts of 8,192 ids: see `_in_parts` of `storage.searches.lists`.
for _name in (_dated.first_name, _dated.last_name):
    add_partial_index(
        f"subscribers_site_id_{_name.name}",
        _dated.site,
        SQL("id >> 13"),
        SQL(f"{_name.name} COLLATE NOCASE"),
        where=_name != "",
    )

CONSENT = ("unsubscribed_at", "consent_at", "consent_number", "consent_kind", "unsubscribe_number")
consent = attrgetter(*CONSENT)
COLUMN_NAMES = [column.name for column in fields(Subscriber)]
COLUMNS = ", ".join(COLUMN_NAMES)
TEXT_COLUMNS = tuple(column.name for column in fields(Subscriber) if column.default == "")  # written alike
texts = attrgetter(*TEXT_COLUMNS)
FIELDS, TAG_IDS = (COLUMN_NAMES.index(name) for name in ("fields", "tag_ids"))
PLAIN = frozenset((str, int, bool, type(None)))  # kinds of values that orjson reads as they are


def read(record: Sequence[Any]) -> Subscriber:
    """The subscriber in a row of `COLUMNS`."""
    values = list(record)
    values[FIELDS] = read_values(values[FIELDS])
    values[TAG_IDS] = orjson.loads(values[TAG_IDS])
    return Subscriber(*values)


def read_values(text: str) -> dict[str, Any]:
    """The custom values in a JSON text.

    A slower parser reads what orjson would get wrong: integers beyond 64 bits, and NaN.
    """
    values: dict[str, Any] = {}
    try:
        values = orjson.loads(text)
        exact = are_plain(values)
    except orjson.JSONDecodeError:
        exact = False
    return values if exact else json.loads(text)


def are_plain(values: Mapping[str, Any]) -> bool:
    """Whether orjson reads all values exactly: texts, integers, booleans or null."""
    return PLAIN.issuperset(map(type, values.values()))


def find(condition: str, parameters: Sequence[Any]) -> list[Subscriber]:
    """The subscribers that meet a condition, which may end with an order and a limit."""
    return [
        read(record) for record in rows(f"SELECT {COLUMNS} FROM subscribers WHERE {condition}", parameters)
    ]


def get_by_keys(site_id: int, keys: Collection[str]) -> dict[str, Subscriber]:
    """The existing subscribers with these email keys, by key."""
    among = engine.among(keys)
    existing = find(f"site_id = ? AND email_key {among.text}", [site_id, *among.parameters])
    return {subscriber.email_key: subscriber for subscriber in existing}


def get_by_key(site_id: int, key: str) -> Subscriber | None:
    return get_by_keys(site_id, (key,)).get(key)


def get_by_ids(site_id: int, ids: Collection[int]) -> dict[int, Subscriber]:
    """The existing subscribers among `ids`, by id."""
    existing = find(f"id IN ({engine.IDS}) AND {engine.OF_SITE}", (json.dumps(list(ids)), site_id))
    return {subscriber.id: subscriber for subscriber in existing}


SHOWN = ", ".join(("id", "uuid", "email", *TEXT_COLUMNS, "fields", "tag_ids", *DATES))


def shown_rows(site_id: int, ids: Collection[int]) -> list[tuple[Any, ...]]:
    """The columns `SHOWN` of the existing subscribers among `ids`. Custom values and tag ids are JSON."""
    query = f"SELECT {SHOWN} FROM subscribers WHERE id IN ({engine.IDS}) AND {engine.OF_SITE}"
    return rows(query, (json.dumps(list(ids)), site_id))


def identities(site_id: int, ids: Collection[int]) -> dict[int, tuple[str, str]]:
    """The (uuid, address) of the existing subscribers among `ids`, by id."""
    query = f"SELECT id, uuid, email FROM subscribers WHERE id IN ({engine.IDS}) AND {engine.OF_SITE}"
    return {
        subscriber_id: (uuid, email)
        for subscriber_id, uuid, email in rows(query, (json.dumps(list(ids)), site_id))
    }


def get_by_uuid(site_id: int, uuid: str) -> Subscriber | None:
    return get_by_uuids(site_id, (uuid,)).get(uuid)


def get_by_uuids(site_id: int, uuids: Collection[str]) -> dict[str, Subscriber]:
    """The existing subscribers among `uuids`, by uuid."""
    among = engine.among(uuids)
    existing = find(f"site_id = ? AND uuid {among.text}", [site_id, *among.parameters])
    return {subscriber.uuid: subscriber for subscriber in existing}


def change_address(site_id: int, subscriber: Subscriber) -> None:
    """Writes a subscriber's new address and consent event. Raises `Conflict` if another subscriber has the
    address.
    """
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


def keys_after(site_id: int, last_id: int, limit: int) -> list[tuple[int, str, str, bool]]:
    """The (id, email key, uuid, whether unsubscribed) of the next subscribers after an id, by id."""
    return rows(
        "SELECT id, email_key, uuid, unsubscribed_at IS NOT NULL FROM subscribers "
        "WHERE site_id = ? AND id > ? ORDER BY id LIMIT ?",
        (site_id, last_id, limit),
    )


def unsubscribed_after(site_id: int, last_id: int, limit: int) -> list[Subscriber]:
    """The next unsubscribed subscribers after an id, by id."""
    next_ones = "site_id = ? AND id > ? AND unsubscribed_at IS NOT NULL ORDER BY id LIMIT ?"
    return find(next_ones, (site_id, last_id, limit))


def created_by_imports(site_id: int, ids: Collection[int]) -> list[int]:
    """The ids, ascending, of those among `ids` that an import created."""
    records = rows(
        f"SELECT id FROM subscribers WHERE id IN ({engine.IDS}) AND {engine.OF_SITE} "
        "AND created_by LIKE ? ORDER BY id",
        (json.dumps(list(ids)), site_id, "import %"),
    )
    return [subscriber_id for (subscriber_id,) in records]


def put_consents_back(
    site_id: int, consents: Iterable[tuple[int, int | None, int, int]], present_number: int
) -> None:
    """Restores earlier consent events, given as (subscriber id, instant, earlier number, kind).

    Changes only subscribers who are subscribed and whose present consent event has `present_number`. Instants
    are in milliseconds.
    """
    execute_many(
        "UPDATE subscribers SET consent_at = ?, consent_number = ?, consent_kind = ? "
        "WHERE id = ? AND site_id = ? AND consent_number = ? AND unsubscribed_at IS NULL",
        [(at, before, kind, id_, site_id, present_number) for id_, at, before, kind in consents],
    )


def put_consents(site_id: int, subscribers: Iterable[Subscriber]) -> None:
    """Writes the columns `CONSENT` of subscribers."""
    execute_many(
        "UPDATE subscribers SET unsubscribed_at = ?, consent_at = ?, consent_number = ?, consent_kind = ?, "
        "unsubscribe_number = ? WHERE id = ? AND site_id = ?",
        [(*consent(subscriber), subscriber.id, site_id) for subscriber in subscribers],
    )


def keys_of(site_id: int, uuids: Collection[str]) -> dict[str, str]:
    """The email keys of the existing subscribers among `uuids`, by uuid."""
    among = engine.among(uuids)
    query = f"SELECT uuid, email_key FROM subscribers WHERE site_id = ? AND uuid {among.text}"
    return dict(rows(query, [site_id, *among.parameters]))


def delete(site_id: int, ids: Sequence[int]) -> tuple[int, int]:
    """Deletes subscribers with their tags and events. Returns the (deleted, unsubscribed) numbers.

    The caller updates the stored numbers of the site's and its tags' subscribers.
    """
    among = engine.among(ids)
    chosen, parameters = f"{engine.OF_SITE} AND id {among.text}", [site_id, *among.parameters]
    query = f"SELECT count(*), count(unsubscribed_at) FROM subscribers WHERE {chosen}"
    counts: tuple[int, int] = row(query, parameters)
    links = (
        f"SELECT t.value, s.id FROM subscribers s, {engine.each_number('s.tag_ids')} t "
        f"WHERE {engine.OF_SITE} AND s.id {among.text}"
    )
    execute(
        f"DELETE FROM subscriber_tags WHERE site_id = ? AND (tag_id, subscriber_id) IN ({links})",
        [site_id, *parameters],
    )
    execute(f"DELETE FROM subscribers WHERE {chosen}", parameters)
    return counts
