"""Create and find people (spec sections 2.2, 4.11 and 4.12, contract section 2)."""

from dataclasses import replace

import pytest

from audience import clock, pepper
from storage import database, suppressions
from tests import shapes

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
    "a@exam\u00a0ple.com", 5, True, 1.5,
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


def erase(door, key):
    """Suppresses an address, as erasing a person does."""
    with database.write():
        suppressions.add(
            door.site.id, pepper.address_hash(door.site.id, key), suppressions.ERASED, clock.now()
        )


def post(door, subscriber):
    return door.post("/fetch/subscribers", {"subscriber": subscriber})


def created(door, **subscriber):
    response = post(door, {"email": "ada@example.com", **subscriber})
    return shapes.subscriber(shapes.answer(response, 201)["data"])


def test_creates_and_answers_the_whole_resource(door):
    found = created(door, first_name="Ada", last_name="King", tags="vip, new ,,", fields={"plan": "pro"})
    assert found["email"] == "ada@example.com"
    assert found["fields"] == {"first_name": "Ada", "last_name": "King", "plan": "pro"}
    assert len(found["cached_tag_ids"]) == 2
    assert found["unsubscribed_at"] is found["last_event_at"] is None
    assert found["created_at"] == found["updated_at"]
    assert shapes.subscriber(door.find("ada@example.com")) == found


def test_only_the_address_is_required(door):
    found = created(door)
    assert (found["first_name"], found["last_name"], found["fields"]) == (None, None, {})


def test_takes_the_same_keys_flat(door):
    response = door.post(
        "/fetch/subscribers", {"email": "ada@example.com", "first_name": "Ada", "plan": "pro"}
    )
    found = shapes.subscriber(shapes.answer(response, 201)["data"])
    assert found["fields"] == {"first_name": "Ada", "plan": "pro"}


def test_values_in_the_query_are_no_part_of_the_person(door):
    response = door.post(
        "/fetch/subscribers",
        {"subscriber": {"email": "ada@example.com"}},
        query={"plan": "x", "email": "b@c.de"},
    )
    assert shapes.subscriber(shapes.answer(response, 201)["data"])["fields"] == {}


def test_an_address_that_exists_is_updated_and_answered(door):
    first = door.create("ada@example.com", first_name="Ada", plan="pro")
    second = door.create(" ADA@Example.com", last_name="King", plan="max", age=36)
    assert (first["id"], first["attributes"]["uuid"]) == (second["id"], second["attributes"]["uuid"])
    found = second["attributes"]
    assert found["email"] == "ADA@Example.com"
    assert found["fields"] == {"first_name": "Ada", "last_name": "King", "plan": "max", "age": 36}
    assert door.counts() == (1, 1, 0)


@pytest.mark.parametrize("address", BAD_ADDRESSES)
def test_a_bad_address_is_a_422(door, address):
    assert shapes.error_fields(post(door, {"email": address})) == ["subscriber.email"]
    assert door.counts() == (0, 0, 0)


@pytest.mark.parametrize(("given", "answered"), GOOD_ADDRESSES)
def test_a_good_address_is_answered_as_given_but_trimmed(door, given, answered):
    assert created(door, email=given)["email"] == answered
    assert door.find(answered)["attributes"]["email"] == answered


@pytest.mark.parametrize(("subscriber", "field"), [
    ({}, "subscriber.email"), ({"email": None}, "subscriber.email"), ({"email": ["a@example.com"]},
    "subscriber.email"),
    ({"email": {}}, "subscriber.email"), ({"first_name": {}}, "subscriber.first_name"),
    ({"last_name": ["x"]}, "subscriber.last_name"), ({"tags": {"a": 1}}, "subscriber.tags"),
    ({"tags": [["a"]]}, "subscriber.tags"), ({"fields": "x"}, "subscriber.fields"),
    ({"fields": [1]}, "subscriber.fields"), ({"fields": 5}, "subscriber.fields"),
    ({"fields": {"first_name": {}}}, "subscriber.fields.first_name"),
    ({"first_name": "a\0"}, "subscriber.first_name"), ({"tags": "a\0"}, "subscriber.tags"),
    ({"fields": {"": 1}}, "subscriber.fields"), ({"k" * 101: 1}, "subscriber"),
    ("text", "subscriber"), (5, "subscriber"), ([1], "subscriber"),
])  # fmt: skip
def test_the_wrong_form_is_a_422_that_names_the_place(door, subscriber, field):
    if isinstance(subscriber, dict) and subscriber and "email" not in subscriber:
        subscriber = {"email": "ada@example.com", **subscriber}
    assert shapes.error_fields(post(door, subscriber)) == [field]
    assert door.counts() == (0, 0, 0)
    assert shapes.answer(door.get("/fetch/tags"))["data"] == []


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize(("place", "field"), [
    ('"fields": {"plan": %s}', "subscriber.fields.plan"), ('"plan": %s', "subscriber.plan"),
])  # fmt: skip
def test_a_value_that_cannot_be_kept_is_a_422(door, place, value, field):
    data = '{"subscriber": {"email": "ada@example.com", %s}}' % (place % value)
    response = door.call("POST", "/fetch/subscribers", data=data.encode())
    assert shapes.error_fields(response) == [field]
    assert door.counts() == (0, 0, 0)


@pytest.mark.parametrize("value", [*HOSTILE.values()][:8], ids=[*HOSTILE][:8])
@pytest.mark.parametrize("key", ["email", "first_name", "tags"])
def test_a_text_that_cannot_be_kept_is_a_422(door, key, value):
    data = f'{{"subscriber": {{"email": "ada@example.com", "{key}": {value}}}}}'
    response = door.call("POST", "/fetch/subscribers", data=data.encode())
    assert shapes.error_fields(response) == [f"subscriber.{key}"]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_custom_value_comes_back_as_it_was(door, value):
    found = created(door, fields={"a": value}, b=value)["fields"]
    assert found == {"a": value, "b": value}
    assert [type(each) for each in found.values()] == [type(value)] * 2


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
def test_where_values_come_from(door, given, fields):
    assert created(door, **given)["fields"] == fields


def test_values_are_replaced_per_top_level_key(door):
    created(door, fields={"a": {"x": 1, "y": 2}, "b": 1, "c": 1}, first_name="Ada")
    found = created(door, fields={"a": {"z": None}, "b": None, "c": ""}, first_name="", last_name=None)
    assert found["fields"] == {"a": {"z": None}, "b": 1, "c": "", "first_name": "Ada"}


def test_a_new_key_becomes_a_field_of_the_site_but_the_names_do_not(door):
    created(door, first_name="Ada", plan="pro", fields={"ageOfUser": 36, "last_name": "King", "none": None})
    listed = shapes.answer(door.get("/fetch/fields"))["data"]
    assert {shapes.field(each)["key"] for each in listed} == {"plan", "ageOfUser"}


def test_what_clients_read_they_may_post_back(door):
    door.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "ada@example.com"}})
    before = shapes.subscriber(door.find("ada@example.com"))
    noise = {
        "id": "9", "uuid": "00000000-0000-4000-8000-000000000000", "type": "x", "command": "subscribe",
        "site_uuid": "x", "site_id": 9, "cached_tag_ids": ["9"], "navigation_url": "x",
        "created_at": "2001-01-01", "updated_at": "2001-01-01", "last_event_at": "2001-01-01",
        "unsubscribed_at": None,
    }  # fmt: skip
    assert created(door, **noise) == before
    assert created(door, **before) == before
    assert shapes.answer(door.get("/fetch/fields"))["data"] == []


def test_updated_at_moves_only_when_something_changed(door, monkeypatch):
    now = clock.now()
    person = {"first_name": "Ada", "tags": "vip", "fields": {"n": 1}}
    first = created(door, **person)
    monkeypatch.setattr(clock, "now", lambda: now + 60_000)
    assert created(door, **person) == first
    for change in ({"fields": {"n": 1.0}}, {"fields": {"n": True}}, {"tags": "new"}, {"remove_tags": "vip"}):
        now += 60_000
        moved = created(door, **change)
        assert moved["updated_at"] > first["updated_at"]
        assert moved["created_at"] == first["created_at"]
        first = moved


@pytest.mark.parametrize(("tags", "remove", "names"), [
    ("a,b", None, {"a", "b"}), (["a", " b ", "", None], None, {"a", "b"}), ("a, A ,a", None, {"a"}),
    ("a,b", "B", {"a"}), (["a", 5, True], [], {"a", "5", "true"}), ("", "", set()), (5, None, {"5"}),
    ("ÄRGER", "ärger", set()), (["x,y"], None, {"x,y"}),
])  # fmt: skip
def test_tags(door, tags, remove, names):
    found = created(door, tags=tags, remove_tags=remove)
    listed = {each["id"]: shapes.tag(each)["name"] for each in shapes.answer(door.get("/fetch/tags"))["data"]}
    assert {listed[tag_id] for tag_id in found["cached_tag_ids"]} == names


def test_a_suppressed_address_is_a_422(door, stranger):
    erase(door, "ada@example.com")
    assert shapes.error_fields(post(door, {"email": "ADA@example.com"})) == ["subscriber.email"]
    assert door.find("ada@example.com") is None
    assert door.counts() == (0, 0, 0)
    stranger.create("ada@example.com")


def test_create_never_brings_back_someone_who_unsubscribed(door):
    door.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "ada@example.com"}})
    found = created(door, command="subscribe", unsubscribed_at=None, first_name="Ada")
    assert found["unsubscribed_at"] is not None
    assert door.counts() == (1, 0, 1)


def test_another_site_has_people_of_its_own(door, stranger):
    ours, theirs = door.create("ada@example.com", plan="pro"), stranger.create("ada@example.com")
    assert ours["id"] != theirs["id"]
    assert stranger.find("ada@example.com")["attributes"]["fields"] == {}
    by_uuid = stranger.get("/fetch/subscribers", query={"uuid": ours["attributes"]["uuid"]})
    assert shapes.answer(by_uuid) == {"data": None}


def test_navigation_url_never_comes_from_the_host_header(door):
    response = door.post("/fetch/subscribers", {"email": "a@example.com"}, headers={"Host": "evil.example"})
    url = shapes.subscriber(response.json["data"])["navigation_url"]
    assert url.startswith("http://127.0.0.1:8000/console/people/")


def test_navigation_url_begins_with_the_public_url(door, app):
    public = replace(app.extensions["audience"].settings, public_url="https://people.example/")
    app.extensions["audience"] = replace(app.extensions["audience"], settings=public)
    url = door.create("a@example.com")["attributes"]["navigation_url"]
    assert url.startswith("https://people.example/console/people/")


def test_of_many_faults_the_first_thousand_are_listed(door):
    faults = {f"k{number:b}": float("inf") for number in range(1001)}
    response = door.post("/fetch/subscribers", {"subscriber": {"email": "ada@example.com", **faults}})
    assert len(shapes.error_fields(response)) == 1000
