"""Applying a change to a subscriber, and its cost."""

from typing import Any

import pytest

from audience.changes import Change, apply_change, apply_tags
from storage.subscribers import Subscriber

ADA = "ada@example.com"


class Large(dict[Any, Any]):
    """A large dictionary: looked up, never iterated."""

    def _never(self, *_):
        raise AssertionError("iterated")

    __iter__ = keys = values = items = copy = __eq__ = __ne__ = __repr__ = __or__ = _never
    __hash__ = None


def change(**values):
    return Change(email=ADA, key=ADA, at=2, **values)


def subscriber(**fields):
    return Subscriber(1, "", ADA, ADA, fields=fields, created_at=1, updated_at=1)


@pytest.mark.parametrize(("value", "before", "changed"), [
    ("a", "a", False), (1, 1, False), (1, 1.0, True), (1, True, True), (0, False, True), ("1", 1, True),
    ([1, {"a": None}], [1, {"a": None}], False), ([1], [1.0], True),
    ({"a": {"b": 1}}, {"a": {"b": True}}, True),
    ({"x": 1, "y": {"p": 1, "q": 2}}, {"y": {"q": 2, "p": 1}, "x": 1}, False), ([1, 2], [2, 1], True),
    ({}, [], True), ("", [], True),
])  # fmt: skip
def test_a_custom_value_changes_if_its_json_does(value, before, changed):
    ada = subscriber(value=before, other=1)
    assert apply_change(ada, change(fields={"value": value}), 1) is changed
    assert ada.fields == {"value": value, "other": 1}


def test_a_change_does_not_iterate_over_a_subscribers_values():
    ada = subscriber()
    ada.fields = Large(plan="a", city="Oslo")
    assert apply_change(ada, change(first_name="Ada"), 1) is True
    assert apply_change(ada, change(fields={"plan": "b", "age": 5}), 1) is True
    assert apply_change(ada, change(fields={"plan": "b", "age": 5}), 1) is False
    assert apply_change(ada, change(remove_fields=["city", "nothing"]), 1) is True
    assert len(ada.fields) == 2
    ids = {"vip": 1, "new": 2, "old": 3}
    tagged = Large({1: None, 3: None})
    assert apply_tags(tagged, change(tags=["new", "VIP"], remove_tags=["old", "unknown"]), ids) is True
    assert apply_tags(tagged, change(tags=["new", "VIP"], remove_tags=["old"]), ids) is False
    assert apply_tags(tagged, change(tags=["old"], remove_tags=["old"]), ids) is False
    assert (len(tagged), 1 in tagged, 2 in tagged) == (2, True, True)
