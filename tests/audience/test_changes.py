"""What a change makes of a person, and how much of the person it looks at."""

import pytest

from audience.changes import Change, amend, retag
from storage.subscribers import Person

ADA = "ada@example.com"


class Large(dict):
    """Everything of somebody who has a lot: to be looked up in, not to be read through."""

    def __iter__(self):
        raise AssertionError("read through")

    keys = values = items = copy = __eq__ = __ne__ = __repr__ = __or__ = __iter__
    __hash__ = None


def change(**values):
    return Change(email=ADA, key=ADA, at=2, **values)


def person(**fields):
    return Person(1, "", ADA, ADA, fields=fields, created_at=1, updated_at=1)


@pytest.mark.parametrize(("value", "before", "changed"), [
    ("a", "a", False), (1, 1, False), (1, 1.0, True), (1, True, True), (0, False, True), ("1", 1, True),
    ([1, {"a": None}], [1, {"a": None}], False), ([1], [1.0], True),
    ({"a": {"b": 1}}, {"a": {"b": True}}, True),
    ({"x": 1, "y": {"p": 1, "q": 2}}, {"y": {"q": 2, "p": 1}, "x": 1}, False), ([1, 2], [2, 1], True),
    ({}, [], True), ("", [], True),
])  # fmt: skip
def test_a_custom_value_changes_when_its_json_does(value, before, changed):
    ada = person(value=before, other=1)
    assert amend(ada, change(fields={"value": value})) is changed
    assert ada.fields == {"value": value, "other": 1}


def test_a_change_does_not_read_through_what_a_person_has():
    ada = person()
    ada.fields = Large(plan="a", city="Oslo")
    assert amend(ada, change(first_name="Ada")) is True
    assert amend(ada, change(fields={"plan": "b", "age": 5})) is True
    assert amend(ada, change(fields={"plan": "b", "age": 5})) is False
    assert amend(ada, change(remove_fields=["city", "nothing"])) is True
    assert len(ada.fields) == 2
    ids = {"vip": 1, "new": 2, "old": 3}
    borne = Large({1: None, 3: None})
    assert retag(borne, change(tags=["new", "VIP"], remove_tags=["old", "unheard"]), ids) is True
    assert retag(borne, change(tags=["new", "VIP"], remove_tags=["old"]), ids) is False
    assert retag(borne, change(tags=["old"], remove_tags=["old"]), ids) is False
    assert (len(borne), 1 in borne, 2 in borne) == (2, True, True)
