"""Create and find subscribers (docs/contract.md, Subscribers)."""

from dataclasses import replace

import pytest

from audience import clock
from audience.access import site_keys
from storage import database
from storage.access import site_counters
from storage.erasures import suppressions
from storage.erasures.suppressions import Suppression
from tests import response_assertions
from tests.rows import each_row

HOSTILE = {
    "NaN": "NaN",
    "infinity": "Infinity",
    "minus infinity": "-Infinity",
    "1e999": "1e999",
    "2**63": str(2**63),
    "-2**63 - 1": str(-(2**63) - 1),
    "half a surrogate pair": '"\\ud800"',
    "NUL": '"a\\u0000b"',
    "NaN within": '{"a": [1, {"b": NaN}]}',
    "surrogate as key within": '{"a": {"\\udfff": 1}}',
    "NUL as key within": '[{"\\u0000": 1}]',
}
BAD_ADDRESSES = [
    "", " ", "plain", "@example.com", "a@", "a@b", "a@b@example.com", "a b@example.com", "a@exa mple.com",
    "a\n@example.com", "a@.com", "a@example.", "a@example..com", "a@" + "d" * 64 + ".com",
    "l" * 65 + "@example.com", "é" * 33 + "@example.com", "a@" + "d." * 126 + "com", "a\x7f@example.com",
    "a@exam\u00a0ple.com", "a(x)@example.com", "(x)a@example.com", '"a@example.com', 5, True, 1.5,
]  # fmt: skip
GOOD_ADDRESSES = [
    ("  ada@example.com \n", "ada@example.com"), ("Ada+News@Example.COM", "Ada+News@Example.COM"),
    ("l" * 64 + "@example.com", "l" * 64 + "@example.com"), ("o'hara@example.com", "o'hara@example.com"),
    ("ada@bücher.example", "ada@bücher.example"), ("用户@例子.广告", "用户@例子.广告"),
]  # fmt: skip
VALUES = [
    "text", "", "élan 👋", 0, 1, -1, 2**63 - 1, -(2**63), 1.5, 1e300, True, False, [], {}, [1, "a", None],
    {"a": None, "b": {"c": [None]}},
]  # fmt: skip


def erase(client, key):
    """Suppresses an address, like erasing a subscriber."""
    with database.write():
        number, _ = site_counters.take_acceptance_number(client.site.id, clock.now_ms())
        address_hash = site_keys.address_hash(client.site.id, key)
        erased = Suppression(suppressions.ERASED, clock.now_ms(), number)
        suppressions.add(client.site.id, {address_hash: erased})


def post(client, subscriber):
    return client.post("/fetch/subscribers", {"subscriber": subscriber})


def created(client, **subscriber):
    response = post(client, {"email": "ada@example.com", **subscriber})
    return response_assertions.subscriber(response_assertions.answer(response, 201)["data"])


def test_create_returns_the_whole_resource(client):
    attributes = created(
        client, first_name="Ada", last_name="King", tags="vip, new ,,", fields={"plan": "pro"}
    )
    assert attributes["email"] == "ada@example.com"
    assert attributes["fields"] == {"first_name": "Ada", "last_name": "King", "plan": "pro"}
    assert len(attributes["cached_tag_ids"]) == 2
    assert attributes["unsubscribed_at"] is attributes["last_event_at"] is None
    assert attributes["created_at"] == attributes["updated_at"]
    assert response_assertions.subscriber(client.find("ada@example.com")) == attributes


def test_only_the_email_is_required(client):
    attributes = created(client)
    assert (attributes["first_name"], attributes["last_name"], attributes["fields"]) == (None, None, {})


def test_keys_are_accepted_without_the_wrapper(client):
    response = client.post(
        "/fetch/subscribers", {"email": "ada@example.com", "first_name": "Ada", "plan": "pro"}
    )
    attributes = response_assertions.subscriber(response_assertions.answer(response, 201)["data"])
    assert attributes["fields"] == {"first_name": "Ada", "plan": "pro"}


def test_values_in_the_query_are_not_stored(client):
    response = client.post(
        "/fetch/subscribers",
        {"subscriber": {"email": "ada@example.com"}},
        query={"plan": "x", "email": "b@c.de"},
    )
    assert response_assertions.subscriber(response_assertions.answer(response, 201)["data"])["fields"] == {}


def test_an_existing_address_is_updated_and_returned(client):
    first = client.create("ada@example.com", first_name="Ada", plan="pro")
    second = client.create(" ADA@Example.com", last_name="King", plan="max", age=36)
    assert (first["id"], first["attributes"]["uuid"]) == (second["id"], second["attributes"]["uuid"])
    attributes = second["attributes"]
    assert attributes["email"] == "ADA@Example.com"
    assert attributes["fields"] == {"first_name": "Ada", "last_name": "King", "plan": "max", "age": 36}
    assert client.counts() == (1, 1, 0)


@each_row("address", BAD_ADDRESSES)
def test_a_bad_address_is_a_422(client, address):
    assert response_assertions.error_fields(post(client, {"email": address})) == ["subscriber.email"]
    assert client.counts() == (0, 0, 0)


@pytest.mark.parametrize(("given", "returned"), GOOD_ADDRESSES)
def test_a_valid_address_is_returned_unchanged_but_trimmed(client, given, returned):
    assert created(client, email=given)["email"] == returned
    assert client.find(returned)["attributes"]["email"] == returned


@pytest.mark.parametrize(("subscriber", "field"), [
    ({}, "subscriber.email"), ({"email": None}, "subscriber.email"), ({"email": ["a@example.com"]},
    "subscriber.email"),
    ({"email": {}}, "subscriber.email"), ({"first_name": {}}, "subscriber.first_name"),
    ({"last_name": ["x"]}, "subscriber.last_name"), ({"tags": {"a": 1}}, "subscriber.tags"),
    ({"tags": [["a"]]}, "subscriber.tags"), ({"fields": "x"}, "subscriber.fields"),
    ({"fields": [1]}, "subscriber.fields"), ({"fields": 5}, "subscriber.fields"),
    ({"fields": {"first_name": {}}}, "subscriber.fields.first_name"),
    ({"first_name": "a\0"}, "subscriber.first_name"), ({"tags": "a\0"}, "subscriber.tags"),
    ({"fields": {"": 1}}, "subscriber.fields[0]"), ({"k" * 101: 1}, "subscriber[1]"),
    ("text", "subscriber"), (5, "subscriber"), ([1], "subscriber"),
])  # fmt: skip
def test_a_malformed_body_is_a_422_that_names_the_field(client, subscriber, field):
    if isinstance(subscriber, dict) and subscriber and "email" not in subscriber:
        subscriber = {"email": "ada@example.com", **subscriber}
    assert response_assertions.error_fields(post(client, subscriber)) == [field]
    assert client.counts() == (0, 0, 0)
    assert response_assertions.answer(client.get("/fetch/tags"))["data"] == []


@each_row("value", HOSTILE.values())
@pytest.mark.parametrize(("place", "field"), [
    ('"fields": {"plan": %s}', "subscriber.fields[0]"), ('"plan": %s', "subscriber[1]"),
])  # fmt: skip
def test_a_value_that_cannot_be_stored_is_a_422(client, place, value, field):
    data = '{"subscriber": {"email": "ada@example.com", %s}}' % (place % value)
    response = client.call("POST", "/fetch/subscribers", data=data.encode())
    assert response_assertions.error_fields(response) == [field]
    assert client.counts() == (0, 0, 0)


@each_row("value", [*HOSTILE.values()][:8])
@pytest.mark.parametrize("key", ["email", "first_name", "tags"])
def test_a_text_that_cannot_be_stored_is_a_422(client, key, value):
    data = f'{{"subscriber": {{"email": "ada@example.com", "{key}": {value}}}}}'
    response = client.call("POST", "/fetch/subscribers", data=data.encode())
    assert response_assertions.error_fields(response) == [f"subscriber.{key}"]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_custom_value_is_returned_unchanged(client, value):
    attributes = created(client, fields={"a": value}, b=value)["fields"]
    assert attributes == {"a": value, "b": value}
    assert [type(each) for each in attributes.values()] == [type(value)] * 2


@pytest.mark.parametrize(("given", "fields"), [
    ({"plan": "a", "fields": {"plan": "b"}}, {"plan": "b"}),
    ({"plan": "a", "fields": {"plan": None}}, {"plan": "a"}),
    ({"Plan": 1, "plan": 2}, {"Plan": 1, "plan": 2}),
    ({"fields": {"my plan!": 1, "  x ": 2, "a.b-c$": 3}}, {"my_plan_": 1, "x": 2, "a.b-c$": 3}),
    ({"fields": {"first_name": "Ada", "last_name": 5}}, {"first_name": "Ada", "last_name": "5"}),
    ({"first_name": "Ada", "fields": {"first_name": "Augusta"}}, {"first_name": "Augusta"}),
    ({"first_name": "Ada", "fields": {"first_name": ""}}, {"first_name": "Ada"}),
    ({"first_name": True, "last_name": 1.5}, {"first_name": "true", "last_name": "1.5"}),
    ({"fields": {"email": "x", "id": 5, "created_at": "never"}}, {"email": "x", "id": 5,
    "created_at": "never"}),
    ({"fields": {"k" * 100: 1}}, {"k" * 100: 1}),
])  # fmt: skip
def test_fields_are_read_from_all_keys_and_nested_ones_win(client, given, fields):
    assert created(client, **given)["fields"] == fields


def test_values_are_replaced_per_top_level_key(client):
    created(client, fields={"a": {"x": 1, "y": 2}, "b": 1, "c": 1}, first_name="Ada")
    attributes = created(client, fields={"a": {"z": None}, "b": None, "c": ""}, first_name="", last_name=None)
    assert attributes["fields"] == {"a": {"z": None}, "b": 1, "c": "", "first_name": "Ada"}


def test_a_new_key_becomes_a_custom_field_but_the_names_do_not(client):
    created(client, first_name="Ada", plan="pro", fields={"ageOfUser": 36, "last_name": "King", "none": None})
    listed = response_assertions.answer(client.get("/fetch/fields"))["data"]
    assert {response_assertions.field(each)["key"] for each in listed} == {"plan", "ageOfUser"}


def test_a_resource_that_was_read_can_be_posted_back(client):
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "ada@example.com"}})
    before = response_assertions.subscriber(client.find("ada@example.com"))
    noise = {
        "id": "9", "uuid": "00000000-0000-4000-8000-000000000000", "type": "x", "command": "subscribe",
        "site_uuid": "x", "site_id": 9, "cached_tag_ids": ["9"], "navigation_url": "x",
        "created_at": "2001-01-01", "updated_at": "2001-01-01", "last_event_at": "2001-01-01",
        "unsubscribed_at": None,
    }  # fmt: skip
    assert created(client, **noise) == before
    assert created(client, **before) == before
    assert response_assertions.answer(client.get("/fetch/fields"))["data"] == []


def test_updated_at_moves_only_when_something_changed(client, monkeypatch):
    now = clock.now_ms()
    subscriber = {"first_name": "Ada", "tags": "vip", "fields": {"n": 1}}
    first = created(client, **subscriber)
    monkeypatch.setattr(clock, "now_ms", lambda: now + 60_000)
    assert created(client, **subscriber) == first
    for change in ({"fields": {"n": 1.0}}, {"fields": {"n": True}}, {"tags": "new"}, {"remove_tags": "vip"}):
        now += 60_000
        moved = created(client, **change)
        assert moved["updated_at"] > first["updated_at"]
        assert moved["created_at"] == first["created_at"]
        first = moved


@pytest.mark.parametrize(("tags", "remove", "names"), [
    ("a,b", None, {"a", "b"}), (["a", " b ", "", None], None, {"a", "b"}), ("a, A ,a", None, {"a"}),
    ("a,b", "B", {"a"}), (["a", 5, True], [], {"a", "5", "true"}), ("", "", set()), (5, None, {"5"}),
    ("ÄRGER", "ärger", set()), (["x,y"], None, {"x,y"}),
])  # fmt: skip
def test_tags(client, tags, remove, names):
    attributes = created(client, tags=tags, remove_tags=remove)
    listed = {
        each["id"]: response_assertions.tag(each)["name"]
        for each in response_assertions.answer(client.get("/fetch/tags"))["data"]
    }
    assert {listed[tag_id] for tag_id in attributes["cached_tag_ids"]} == names


def test_a_suppressed_address_is_a_422(client, other_client):
    erase(client, "ada@example.com")
    assert response_assertions.error_fields(post(client, {"email": "ADA@example.com"})) == [
        "subscriber.email"
    ]
    assert client.find("ada@example.com") is None
    assert client.counts() == (0, 0, 0)
    other_client.create("ada@example.com")


def test_create_does_not_resubscribe(client):
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "ada@example.com"}})
    attributes = created(client, command="subscribe", unsubscribed_at=None, first_name="Ada")
    assert attributes["unsubscribed_at"] is not None
    assert client.counts() == (1, 0, 1)


def test_another_site_has_its_own_subscribers(client, other_client):
    ours, theirs = client.create("ada@example.com", plan="pro"), other_client.create("ada@example.com")
    assert ours["id"] != theirs["id"]
    assert other_client.find("ada@example.com")["attributes"]["fields"] == {}
    by_uuid = other_client.get("/fetch/subscribers", query={"uuid": ours["attributes"]["uuid"]})
    assert response_assertions.answer(by_uuid) == {"data": None}


def test_navigation_url_never_comes_from_the_host_header(client):
    response = client.post("/fetch/subscribers", {"email": "a@example.com"}, headers={"Host": "evil.example"})
    url = response_assertions.subscriber(response.json["data"])["navigation_url"]
    assert url.startswith(f"http://127.0.0.1:8000/console/sites/{client.site.uuid}/subscribers/")


def test_navigation_url_begins_with_the_public_url(client, app):
    public = replace(app.extensions["audience"].settings, public_url="https://people.example/")
    app.extensions["audience"] = replace(app.extensions["audience"], settings=public)
    url = client.create("a@example.com")["attributes"]["navigation_url"]
    assert url.startswith(f"https://people.example/console/sites/{client.site.uuid}/subscribers/")


def test_at_most_a_thousand_errors_are_listed(client):
    faults = {f"k{number:b}": float("inf") for number in range(1001)}
    response = client.post("/fetch/subscribers", {"subscriber": {"email": "ada@example.com", **faults}})
    assert len(response_assertions.error_fields(response)) == 1000
