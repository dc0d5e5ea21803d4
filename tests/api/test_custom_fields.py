"""List and create custom fields (spec sections 2.1, 4.7 and 4.8, contract section 3)."""

import pytest

from tests import shapes


def create(door, key):
    return door.post("/fetch/fields", {"field": {"key": key}})


def listed(door):
    answer = shapes.answer(door.get("/fetch/fields"))
    shapes.keys(answer, "data")
    return [shapes.field(each)["key"] for each in answer["data"]]


def test_a_site_begins_without_fields(door):
    assert listed(door) == []


@pytest.mark.parametrize(("given", "key", "name"), [
    ("plan", "plan", "Plan"), ("thisIsAKey", "thisIsAKey", "This Is A Key"),
    ("this-is-a-key", "this-is-a-key", "This Is A Key"), ("this_is_a_key", "this_is_a_key", "This Is A Key"),
    ("  my plan ", "my_plan", "My Plan"), ("a / b", "a_b", "A B"), ("a.b$c-d", "a.b$c-d", "A B C D"),
    ("größe", "größe", "Größe"), ("名前", "名前", "名前"), (5, "5", "5"), (True, "true", "True"),
    ("k" * 100, "k" * 100, "K" + "k" * 99), ("email", "email", "Email"), ("<b>", "_b_", "B"),
])  # fmt: skip
def test_creates(door, given, key, name):
    answer = shapes.answer(create(door, given), 201)
    shapes.keys(answer, "data")
    found = shapes.field(answer["data"])
    assert (found["key"], found["name"], found["whitelisted"]) == (key, name, None)
    assert listed(door) == [key]


@pytest.mark.parametrize("key", [
    None, "", " ", "k" * 101, {}, ["a"], "a\0", "\ud800", float("nan"), 2**63, "first_name", "last name",
], ids=repr)  # fmt: skip
def test_a_key_that_is_none_is_a_422(door, key):
    assert shapes.error_fields(create(door, key)) == ["field.key"]
    assert listed(door) == []


@pytest.mark.parametrize("field", [None, "plan", 5, ["plan"]])
def test_a_field_that_is_no_object_is_a_422(door, field):
    assert shapes.error_fields(door.post("/fetch/fields", {"field": field})) == ["field"]


def test_an_existing_key_returns_the_existing_field(door):
    first = shapes.answer(create(door, "plan"), 201)
    assert shapes.answer(create(door, " plan "), 201) == first
    assert shapes.answer(create(door, "Plan"), 201)["data"]["id"] != first["data"]["id"]
    assert listed(door) == ["Plan", "plan"]


def test_the_newest_come_first(door):
    for key in ("b", "c", "a"):
        create(door, key)
    door.create("ada@example.com", d=1)
    assert listed(door) == ["d", "a", "c", "b"]


def test_fields_are_the_sites_own(door, stranger):
    create(door, "plan")
    assert listed(stranger) == []
    assert (
        shapes.answer(create(stranger, "plan"), 201)["data"]["id"] != create(door, "plan").json["data"]["id"]
    )


def test_the_key_comes_from_the_body_alone(door):
    assert shapes.error_fields(door.post("/fetch/fields", {}, query={"field[key]": "plan"})) == ["field"]
