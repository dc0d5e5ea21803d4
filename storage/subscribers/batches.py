"""Subscribers as batches read and write them: as plain rows, in a fixed number of statements per batch."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from storage.database import database, execute_many, rows
from storage.engines.chosen import engine
from storage.sql import insert_into, update_of
from storage.subscribers.subscribers import TEXT_COLUMNS

COLUMNS = (
    "id", "email", "fields", "tag_ids", *TEXT_COLUMNS, "last_event_at", "unsubscribed_at",
    "consent_at", "consent_number", "consent_kind", "unsubscribe_number", "updated_at", "email_key",
    "uuid", "created_by",
)  # fmt: skip
(
    ID, EMAIL, FIELDS, TAG_IDS, *TEXT_POSITIONS, LAST_EVENT_AT, UNSUBSCRIBED_AT, CONSENT_AT,
    CONSENT_NUMBER, CONSENT_KIND, UNSUBSCRIBE_NUMBER, UPDATED_AT, KEY, UUID, CREATED_BY,
) = range(len(COLUMNS))  # fmt: skip
NAME_COLUMNS = slice(TEXT_POSITIONS[0], LAST_EVENT_AT)
INSERTED = (*COLUMNS, "created_at", "site_id")
SubscriberRow = list[Any]  # the values of `COLUMNS`; for a new subscriber, those of `INSERTED`

# An update writes whole groups of columns: an index is rewritten only with the group that it is of.
TEXTS, NAMES, EVENTS, CONSENT = 1, 2, 4, 8
GROUPS = {
    TEXTS: ("email", "fields", "tag_ids", "updated_at"),
    NAMES: TEXT_COLUMNS,
    EVENTS: ("last_event_at",),
    CONSENT: ("unsubscribed_at", "consent_at", "consent_number", "consent_kind", "unsubscribe_number"),
}


def read_existing(site_id: int, keys: Collection[str]) -> dict[str, tuple[Any, ...]]:
    """The columns `COLUMNS` of existing subscribers, by email key."""
    among = engine.among(keys)
    query = f"SELECT {', '.join(COLUMNS)} FROM subscribers WHERE site_id = ? AND email_key {among.text}"
    records = rows(query, [site_id, *among.parameters])
    return {record[KEY]: record for record in records}


def new_ids(count: int) -> Sequence[int]:
    """`count` unused ids for new subscribers, for the caller's transaction."""
    return engine.new_ids(database, "subscribers", count) if count else ()


def insert(subscribers: Iterable[Sequence[Any]]) -> None:
    """Adds subscribers, given as rows of `INSERTED`."""
    execute_many(insert_into("subscribers", INSERTED), subscribers)


def changed_groups(subscriber: Sequence[Any], before: Sequence[Any]) -> int:
    """The sum of the groups, such as `TEXTS`, in which two rows of `COLUMNS` differ.

    If a shown column differs, so does `updated_at`: the sum then includes `TEXTS`.
    """
    groups = 0
    if subscriber[NAME_COLUMNS] != list(before[NAME_COLUMNS]):
        groups = TEXTS | NAMES
    elif subscriber[EMAIL : NAME_COLUMNS.start] != list(before[EMAIL : NAME_COLUMNS.start]):
        groups = TEXTS
    if subscriber[LAST_EVENT_AT] != before[LAST_EVENT_AT]:
        groups |= TEXTS | EVENTS
    if subscriber[UNSUBSCRIBED_AT] != before[UNSUBSCRIBED_AT]:
        groups |= TEXTS | CONSENT
    elif subscriber[CONSENT_AT:UPDATED_AT] != list(before[CONSENT_AT:UPDATED_AT]):
        groups |= CONSENT
    return groups


def update(site_id: int, changed: Mapping[int, Sequence[Sequence[Any]]]) -> None:
    """Writes the changed columns of subscribers. `changed` has rows of `COLUMNS`, by `changed_groups`."""
    for groups, subscribers in changed.items():
        columns = [name for group, names in GROUPS.items() if group & groups for name in names]
        values = itemgetter(*(COLUMNS.index(name) for name in columns), ID)
        execute_many(
            update_of("subscribers", columns, ("id", "site_id")),
            [(*values(subscriber), site_id) for subscriber in subscribers],
        )
