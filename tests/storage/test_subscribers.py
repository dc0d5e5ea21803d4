"""All statements on subscribers use one list of columns."""

from typing import Any

from storage import database, subscribers
from storage.models import SubscriberModel
from storage.subscribers import COLUMN_NAMES, UPDATED, Subscriber


def a_subscriber(id, offset):
    """A different value in each column."""
    texts: dict[str, Any] = {name: f"{name} {offset}" for name in ("email", "first_name", "last_name")}
    instants: dict[str, Any] = {
        name: offset + place for place, name in enumerate(COLUMN_NAMES) if name.endswith("_at")
    }
    return Subscriber(
        id, "uuid", email_key="key", fields={"é": [offset]}, tag_ids=[offset, 2],
        consent_number=offset, **texts, **instants,
    )  # fmt: skip


def test_the_list_of_columns_matches_the_model():
    assert [name for name in SubscriberModel._meta.columns if name != "site_id"] == COLUMN_NAMES


def test_every_column_is_saved_and_read(client):
    with database.write():
        subscribers.save(client.site.id, [a_subscriber(0, 1)])
        created = subscribers.get_by_uuid(client.site.id, "uuid")
        assert created is not None
        subscribers.save(client.site.id, [a_subscriber(created.id, 101)])
        updated = subscribers.get_by_key(client.site.id, "key")
    assert created == a_subscriber(created.id, 1)
    changed = {name for name in COLUMN_NAMES if getattr(updated, name) != getattr(created, name)}
    assert changed == set(UPDATED)
