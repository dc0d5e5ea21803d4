"""People: looked up and written in sets."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from storage.database import execute, execute_many, marks, row, rows
from storage.sql import Sql

COLUMNS = (
    "id, uuid, email, email_key, first_name, last_name, fields, tag_ids, "
    "created_at, updated_at, last_event_at, unsubscribed_at, consent_at"
)
DATES = ("created_at", "updated_at", "last_event_at", "unsubscribed_at")
MANY = 5_000


@dataclass(slots=True)
class Person:
    """One row of `subscribers`; `id` is 0 until it is written."""

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


def _person(values: Any) -> Person:
    return Person(*(*values[:6], json.loads(values[6]), json.loads(values[7]), *values[8:]))


def by_keys(site_id: int, keys: Collection[str]) -> dict[str, Person]:
    """The people behind email keys, by key."""
    chosen = list(keys)
    return {
        found[3]: _person(found)
        for found in rows(
            f"SELECT {COLUMNS} FROM subscribers WHERE site_id = ? AND email_key IN ({marks(chosen)})",
            [site_id, *chosen],
        )
    }


def by_key(site_id: int, key: str) -> Person | None:
    return by_keys(site_id, (key,)).get(key)


def by_uuid(site_id: int, uuid: str) -> Person | None:
    found = row(
        f"SELECT {COLUMNS} FROM subscribers WHERE site_id = ? AND uuid = ?",
        (site_id, uuid),
    )
    return found and _person(found)


def save(site_id: int, people: Iterable[Person]) -> None:
    """Creates and updates, in one statement for all of them."""
    execute_many(
        "INSERT INTO subscribers (site_id, uuid, email, email_key, first_name, last_name, fields, tag_ids, "
        "created_at, updated_at, last_event_at, unsubscribed_at, consent_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (site_id, email_key) DO UPDATE SET email = excluded.email, "
        "first_name = excluded.first_name, last_name = excluded.last_name, fields = excluded.fields, "
        "tag_ids = excluded.tag_ids, updated_at = excluded.updated_at, "
        "last_event_at = excluded.last_event_at, unsubscribed_at = excluded.unsubscribed_at, "
        "consent_at = excluded.consent_at",
        (
            (
                site_id,
                person.uuid,
                person.email,
                person.email_key,
                person.first_name,
                person.last_name,
                json.dumps(person.fields, ensure_ascii=False, separators=(",", ":")),
                json.dumps(person.tag_ids, separators=(",", ":")),
                person.created_at,
                person.updated_at,
                person.last_event_at,
                person.unsubscribed_at,
                person.consent_at,
            )
            for person in people
        ),
    )


def ids(site_id: int, keys: Sequence[str]) -> dict[str, int]:
    """Row ids by email key."""
    return dict(
        rows(
            f"SELECT email_key, id FROM subscribers WHERE site_id = ? AND email_key IN ({marks(keys)})",
            [site_id, *keys],
        )
    )


def move(site_id: int, person: Person) -> None:
    """Writes a changed address. Raises `Conflict` when it is somebody else's."""
    execute(
        "UPDATE subscribers SET email = ?, email_key = ?, updated_at = ? WHERE site_id = ? AND id = ?",
        (person.email, person.email_key, person.updated_at, site_id, person.id),
    )


def keys_after(site_id: int, last_id: int, limit: int) -> list[tuple[int, str]]:
    """(id, email key) of the next people by id."""
    return [
        (found[0], found[1])
        for found in rows(
            "SELECT id, email_key FROM subscribers WHERE site_id = ? AND id > ? ORDER BY id LIMIT ?",
            (site_id, last_id, limit),
        )
    ]


def delete(site_id: int, ids: Sequence[int]) -> tuple[int, int]:
    """Deletes people with their tags and events; how many, and how many of them were unsubscribed."""
    chosen = f"site_id = ? AND id IN ({marks(ids)})"
    found = row(f"SELECT count(*), count(unsubscribed_at) FROM subscribers WHERE {chosen}", [site_id, *ids])
    borne = (
        "SELECT t.value, s.id FROM subscribers s, json_each(s.tag_ids) t "
        f"WHERE s.site_id = ? AND s.id IN ({marks(ids)})"
    )
    execute(
        f"DELETE FROM subscriber_tags WHERE site_id = ? AND (tag_id, subscriber_id) IN ({borne})",
        [site_id, site_id, *ids],
    )
    execute(f"DELETE FROM subscribers WHERE {chosen}", [site_id, *ids])
    return found[0], found[1]


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Exclusive bounds in milliseconds by date column, and what else a person must match."""

    after: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    email_key: str | None = None
    tag_ids: Sequence[int] = ()
    rule: Sql | None = None


def search(site_id: int, filters: Filters, limit: int, offset: int) -> list[Person]:
    """People newest first. The ids come from an index alone; the rows are read only for the page.

    Dates that few people match are answered from their own index, and sorted. Dates that many match are
    checked along the order of the answer, whose index holds all four. SQL's unary plus keeps a column from
    its index: here from the wrong one of these two, in the second query from scanning the site for 100 ids.
    """
    many = _match_many(site_id, filters)
    where, parameters = _conditions(site_id, filters, dates="+" if many else "")
    order = "+" if many is False else ""
    page = [
        found[0]
        for found in rows(
            f"SELECT id FROM subscribers WHERE {where} "
            f"ORDER BY {order}created_at DESC, id DESC LIMIT ? OFFSET ?",
            [*parameters, limit, offset],
        )
    ]
    found_by_id = {
        found[0]: _person(found)
        for found in rows(
            f"SELECT {COLUMNS} FROM subscribers WHERE id IN ({marks(page)}) AND +site_id = ?",
            [*page, site_id],
        )
    }
    return [found_by_id[each] for each in page]


def _match_many(site_id: int, filters: Filters) -> bool | None:
    """Whether `MANY` people match the dates by which people are not ordered; None without such a date."""
    if filters.after.keys() | filters.before.keys() <= {"created_at"}:
        return None
    where, parameters = _conditions(site_id, Filters(after=filters.after, before=filters.before))
    return bool(row(f"SELECT 1 FROM subscribers WHERE {where} LIMIT 1 OFFSET {MANY - 1}", parameters))


def _conditions(site_id: int, filters: Filters, dates: str = "") -> tuple[str, list[Any]]:
    """`dates` stands before each date by which people are not ordered."""
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
    if filters.rule is not None:
        conditions.append(f"({filters.rule.text})")
        parameters += filters.rule.parameters
    return " AND ".join(conditions), parameters


def page(site_id: int, filters: Filters, after: str, limit: int) -> list[Person]:
    """The next matches by uuid (version 7, so in order of creation), after one.

    Along the index of uuids in any case: another would sort all matches for each page.
    """
    where, parameters = _conditions(site_id, filters)
    return [
        _person(found)
        for found in rows(
            f"SELECT {COLUMNS} FROM subscribers INDEXED BY subscribers_site_id_uuid "
            f"WHERE {where} AND uuid > ? ORDER BY uuid LIMIT ?",
            [*parameters, after, limit],
        )
    ]
