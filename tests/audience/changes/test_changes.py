"""Applying a change to a subscriber, and its cost."""

import json
from typing import Any

import pytest

from audience.changes.batches import SubscriberBatch
from audience.changes.changes import (
    Change,
    Outcome,
    change_from_item,
    json_equal,
)
from audience.imports import payloads as import_payloads
from audience.subscribers import subscribers
from storage import database
from tests.rows import each_row

ADA = "ada@example.com"


class Large(dict[Any, Any]):
    """A large dictionary: looked up, never iterated."""

    def _never(self, *_):
        raise AssertionError("iterated")

    __iter__ = keys = values = items = copy = __eq__ = __ne__ = __repr__ = __or__ = _never
    __hash__ = None


def change(**values):
    return Change(key=ADA, email=ADA, **values)


@each_row(("value", "before", "same"), [
    ("a", "a", True), (1, 1, True), (1, 1.0, False), (1, True, False), (0, False, False), ("1", 1, False),
    (1.5, 1.5, True), (0.0, -0.0, False), (True, True, True),
    ([1, {"a": None}], [1, {"a": None}], True), ([1], [1.0], False),
    ({"a": {"b": 1}}, {"a": {"b": True}}, False),
    ({"x": 1, "y": {"p": 1, "q": 2}}, {"y": {"q": 2, "p": 1}, "x": 1}, True), ([1, 2], [2, 1], False),
    ({}, [], False), ("", [], False),
])  # fmt: skip
def test_a_custom_value_changes_if_its_json_does(value, before, same):
    assert json_equal(value, before) is same


def test_a_change_does_not_iterate_over_a_subscribers_values_and_tags(client):
    with database.write():
        accepted = subscribers.accept_now(client.site.id)
        subscribers.write(client.site.id, [change()], accepted)
        batch = SubscriberBatch(client.site.id, [change()], accepted, accepted.at)
    batch.values[ADA], batch.replaced[ADA] = Large(plan="a", city="Oslo"), {}
    batch.tagged[ADA], batch.tagged_before[ADA] = Large({1: None, 3: None}), {}
    batch.tag_ids = {"vip": 1, "VIP": 1, "new": 2, "old": 3}
    for values, outcome in (
        ({"first_name": "Ada"}, Outcome.UPDATED),
        ({"fields": {"plan": "b", "age": 5}}, Outcome.UPDATED),
        ({"fields": {"plan": "b", "age": 5}}, Outcome.UNCHANGED),
        ({"remove_fields": ["city", "nothing"]}, Outcome.UPDATED),
        ({"tags": ["new", "VIP"], "remove_tags": ["old", "unknown"]}, Outcome.UPDATED),
        ({"tags": ["new", "VIP"], "remove_tags": ["old"]}, Outcome.UNCHANGED),
        ({"tags": ["old"], "remove_tags": ["old"]}, Outcome.UNCHANGED),
    ):
        assert batch.apply(change(**values)) is outcome, values
    assert len(batch.values[ADA]) == 2
    tagged = batch.tagged[ADA]
    assert (len(tagged), 1 in tagged, 2 in tagged) == (2, True, True)


@pytest.mark.parametrize("item", [
    {"email": ADA},
    {"email": f" {ADA.upper()} ", "first_name": "Ada", "fields": {"a": [1, {"b": None}]}, "tags": ["é"]},
    {"email": ADA, "command": "subscribe"},
    {"email": ADA, "unconfirmed": True, "dates": {}, "remove_tags": ["x"]},
    {"email": ADA, "unsubscribed_at": 5, "created_at": -3},
])  # fmt: skip
def test_a_row_of_a_payload_is_the_change(item):
    asked = change_from_item(item)
    [read, erased] = import_payloads.read(import_payloads.join([import_payloads.row(asked), b"null"]))
    assert erased is None
    assert json.dumps(read) == json.dumps(asked)


def test_values_that_are_refused_today_stay_as_they_were_stored(client):
    stored = '{"big":123456789012345678901234567890,"odd":NaN,"plan":"pro"}'
    client.create("ann@example.com")
    with database.write():
        database.execute("UPDATE subscribers SET fields = ?", (stored,))
    client.create("ann@example.com", fields={"plan": "team"})
    with database.session():
        [(now,)] = database.rows("SELECT fields FROM subscribers")
    assert now == stored.replace("pro", "team")
