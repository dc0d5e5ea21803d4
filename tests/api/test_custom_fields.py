"""List and create custom fields (docs/contract.md, Fields)."""

import pytest

from tests import response_assertions


def create(client, key):
    return client.post("/fetch/fields", {"field": {"key": key}})


def listed(client):
    answer = response_assertions.answer(client.get("/fetch/fields"))
    response_assertions.keys(answer, "data")
    return [response_assertions.field(each)["key"] for each in answer["data"]]


def test_a_new_site_has_no_fields(client):
    assert listed(client) == []


@pytest.mark.parametrize(("field", "key", "name"), [
    ("plan", "plan", "Plan"), ("thisIsAKey", "thisIsAKey", "This Is A Key"),
    ("this-is-a-key", "this-is-a-key", "This Is A Key"), ("this_is_a_key", "this_is_a_key", "This Is A Key"),
    ("  my plan ", "my_plan", "My Plan"), ("a / b", "a_b", "A B"), ("a.b$c-d", "a.b$c-d", "A B C D"),
    ("größe", "größe", "Größe"), ("名前", "名前", "名前"), (5, "5", "5"), (True, "true", "True"),
    ("k" * 100, "k" * 100, "K" + "k" * 99), ("email", "email", "Email"), ("<b>", "_b_", "B"),
])  # fmt: skip
def test_creates(client, field, key, name):
    answer = response_assertions.answer(create(client, field), 201)
    response_assertions.keys(answer, "data")
    attributes = response_assertions.field(answer["data"])
    assert (attributes["key"], attributes["name"], attributes["whitelisted"]) == (key, name, None)
    assert listed(client) == [key]


@pytest.mark.parametrize("key", [
    None, "", " ", "k" * 101, {}, ["a"], "a\0", "\ud800", float("nan"), 2**63, "first_name", "last name",
], ids=repr)  # fmt: skip
def test_an_invalid_key_is_a_422(client, key):
    assert response_assertions.error_fields(create(client, key)) == ["field.key"]
    assert listed(client) == []


@pytest.mark.parametrize("field", [None, "plan", 5, ["plan"]])
def test_a_field_that_is_not_an_object_is_a_422(client, field):
    assert response_assertions.error_fields(client.post("/fetch/fields", {"field": field})) == ["field"]


def test_an_existing_key_returns_the_existing_field(client):
    first = response_assertions.answer(create(client, "plan"), 201)
    assert response_assertions.answer(create(client, " plan "), 201) == first
    assert response_assertions.answer(create(client, "Plan"), 201)["data"]["id"] != first["data"]["id"]
    assert listed(client) == ["Plan", "plan"]


def test_the_newest_fields_are_first(client):
    for key in ("b", "c", "a"):
        create(client, key)
    client.create("ada@example.com", d=1)
    assert listed(client) == ["d", "a", "c", "b"]


def test_fields_belong_to_one_site(client, other_client):
    create(client, "plan")
    assert listed(other_client) == []
    assert (
        response_assertions.answer(create(other_client, "plan"), 201)["data"]["id"]
        != create(client, "plan").json["data"]["id"]
    )


def test_the_key_is_read_only_from_the_body(client):
    assert response_assertions.error_fields(
        client.post("/fetch/fields", {}, query={"field[key]": "plan"})
    ) == ["field"]
