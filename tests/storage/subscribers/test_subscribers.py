"""All statements on subscribers use one list of columns."""

from storage import database
from storage.subscribers import subscribers
from storage.subscribers.batches import (
    COLUMNS,
    CONSENT,
    EVENTS,
    INSERTED,
    NAMES,
    TEXTS,
    changed_groups,
    insert,
    new_ids,
    read_existing,
    update,
)
from storage.subscribers.subscribers import COLUMN_NAMES, SubscriberModel

GROUPS = {
    "email": TEXTS, "fields": TEXTS, "tag_ids": TEXTS,
    "first_name": TEXTS | NAMES, "last_name": TEXTS | NAMES,
    "last_event_at": TEXTS | EVENTS, "consent_at": CONSENT, "consent_number": CONSENT,
}  # fmt: skip


def a_row(site_id, offset):
    """A different value in each column."""
    texts = {
        "created_by": "api 1",
        "uuid": "uuid",
        "email_key": "key",
        "fields": f'{{"é":{offset}}}',
        "tag_ids": f"[{offset},2]",
    }
    return {
        name: texts.get(name, f"{name} {offset}" if "name" in name or name == "email" else offset + place)
        for place, name in enumerate(INSERTED)
    } | {"site_id": site_id, "id": new_ids(1)[0]}


def test_the_list_of_columns_matches_the_model():
    assert set(SubscriberModel._meta.columns) - {"site_id", "created_by"} == set(COLUMN_NAMES)
    assert set(INSERTED) == set(SubscriberModel._meta.columns)


def test_every_column_is_written_and_read(client):
    with database.write():
        row = a_row(client.site.id, 1)
        insert([list(row.values())])
        created = subscribers.get_by_key(client.site.id, "key")
        changed = a_row(client.site.id, 101) | {"id": row["id"]}
        update(client.site.id, {TEXTS | NAMES | EVENTS | CONSENT: [[changed[name] for name in COLUMNS]]})
        updated = subscribers.get_by_uuid(client.site.id, "uuid")
    assert created
    assert (created.fields, created.tag_ids, created.email) == ({"é": 1}, [1, 2], "email 1")
    plain = set(COLUMN_NAMES) - {"fields", "tag_ids"}
    assert {name: getattr(created, name) for name in plain} == {name: row[name] for name in plain}
    kept = {name for name in COLUMN_NAMES if getattr(updated, name) == getattr(created, name)}
    assert kept == {"id", "uuid", "email_key", "created_at"}


def test_an_update_writes_the_groups_that_differ(client):
    with database.write():
        insert([list(a_row(client.site.id, 1).values())])
        before = read_existing(client.site.id, ["key"])["key"]
    assert changed_groups(list(before), before) == 0
    for name, groups in GROUPS.items():
        person = list(before)
        person[COLUMNS.index(name)] = "other" if isinstance(person[COLUMNS.index(name)], str) else 9_999
        assert changed_groups(person, before) == groups, name


def test_an_id_is_never_used_again(client):
    with database.write():
        insert([list(a_row(client.site.id, 1).values())])
        highest = subscribers.get_by_key(client.site.id, "key")
        assert highest
        subscribers.delete(client.site.id, [highest.id])
        assert new_ids(1)[0] > highest.id
