"""Whom a request means: a uuid beside an address is of the same person, or of nobody who has the address."""

from audience.changes.changes import Change
from audience.changes.targets import TWO, changes_of, conflicting_indexes
from audience.subscribers import commands
from storage import database

ANN, BOB, NEW, NOBODY = "ann@example.com", "bob@example.com", "new@example.com", "0" * 32


def uuids(client):
    return [client.create(email)["attributes"]["uuid"] for email in (ANN, BOB)]


def test_places_are_those_whose_uuid_is_of_another(client, other_client):
    ann, bob = uuids(client)
    named = [(0, ann, ANN), (1, bob, ANN), (2, NOBODY, ANN), (3, "", BOB), (4, ann, NEW), (9, bob, BOB)]
    assert conflicting_indexes(client.site.id, named) == {1}
    assert conflicting_indexes(other_client.site.id, named) == set()
    assert conflicting_indexes(client.site.id, [(0, "", ANN)] * 2) == set()


def test_whom_one_names_a_later_one_finds(client):
    ann, _ = uuids(client)
    assert conflicting_indexes(client.site.id, [(0, ann, NEW), (1, "", NEW), (2, ann, NEW)]) == {2}
    assert conflicting_indexes(client.site.id, [(0, ann, NEW), (1, ann, NEW)]) == {1}


def test_items_of_two_are_refused_and_the_others_are_changes(client):
    ann, bob = uuids(client)
    items = [{"email": ANN, "uuid": ann}, {"email": "nonsense", "uuid": bob}, {"email": ANN, "uuid": bob}]
    changes, errors = changes_of(client.site, list(enumerate(items, 5)))
    assert changes == [(5, Change(ANN, ANN))]
    assert [(error.field, error.message == TWO) for error in errors] == [
        ("subscribers[6].email", False), ("subscribers[7].uuid", True),
    ]  # fmt: skip


def test_a_thousand_pairs_take_two_statements(client, monkeypatch):
    ann, _ = uuids(client)
    asked = []

    def rows(*given):
        asked.append(given[0])
        return database.rows(*given)

    monkeypatch.setattr("storage.subscribers.subscribers.rows", rows)
    conflicting_indexes(client.site.id, [(place, ann, f"p{place}@example.com") for place in range(1_000)])
    assert len(asked) == 2


def test_a_command_finds_whom_those_before_it_made(client):
    ann, _ = uuids(client)
    given = [
        {"command": "add_tag", "uuid": ann, "email": NEW, "query": "a"},
        {"command": "subscribe", "email": NEW},
        {"command": "add_tag", "uuid": ann, "email": NEW, "query": "b"},
        {"command": "change_email", "email": NEW, "query": "newer@example.com"},
        {"command": "add_tag", "uuid": ann, "email": NEW, "query": "c"},
    ]
    result = commands.run(client.site, given)
    assert [(error.field, error.message) for error in result.errors] == [("command[2]", TWO)]
    assert len(client.find(ANN)["attributes"]["cached_tag_ids"]) == 2
