"""Commands on people (spec section 4.13, contract section 2)."""

import pytest

from audience import clock
from tests import shapes
from tests.api.test_subscribers import HOSTILE, erase

ADA = "ada@example.com"
NOBODY = "nobody@example.com"
CREATING = [
    ("add_tag", "vip"), ("add_tag_via_event", "vip"), ("add_field", "plan=pro"), ("subscribe", None),
    ("unsubscribe", None),
]  # fmt: skip
NOT_CREATING = [("remove_tag", "vip"), ("remove_field", "plan"), ("change_email", "new@example.com")]


def command(name, query=None, **target):
    given = {"command": name, "query": query, **(target or {"email": ADA})}
    return {key: value for key, value in given.items() if value is not None}


def send(door, *commands):
    return door.post("/fetch/commands", {"command": list(commands)})


def run(door, *commands):
    """The answer of commands of which each could be done; the person."""
    answer = shapes.answer(send(door, *commands))
    assert shapes.tally(answer, "data") == []
    assert (answer["results"], answer["failed"]) == (len(commands), 0)
    return shapes.subscriber(answer["data"])


def fails(door, *commands):
    """The answer of commands of which one cannot be done; its place."""
    answer = shapes.answer(send(door, *commands))
    [(field, _)] = shapes.tally(answer, "data")
    assert (answer["results"], answer["failed"]) == (len(commands) - 1, 1)
    return field, answer["data"]


def tag_names(door, person):
    names = {each["id"]: each["attributes"]["name"] for each in door.get("/fetch/tags").json["data"]}
    return [names[tag_id] for tag_id in person["cached_tag_ids"]]


def test_adds_and_removes_a_tag(door):
    door.create(ADA)
    assert tag_names(door, run(door, command("add_tag", " VIP "))) == ["VIP"]
    assert tag_names(door, run(door, command("add_tag", "vip"), command("add_tag", "a,b"))) == ["VIP", "a,b"]
    assert tag_names(door, run(door, command("remove_tag", "Vip"), command("remove_tag", "none"))) == ["a,b"]
    assert run(door, command("add_tag", 5), command("remove_tag", "5"))["last_event_at"] is None


def test_a_tag_via_event_sets_the_date_of_the_last_event(door):
    person = run(door, command("add_tag_via_event", "vip"))
    assert tag_names(door, person) == ["vip"]
    shapes.date(person["last_event_at"])
    assert (
        len(shapes.answer(door.post("/fetch/search", {"last_event_at": {"gt": "2001-01-01"}}))["data"]) == 1
    )


@pytest.mark.parametrize(("query", "fields"), [
    ({"key": "plan", "value": "pro"}, {"plan": "pro"}), ({"key": "plan", "value": 5}, {"plan": 5}),
    ({"key": "plan", "value": {"a": [None]}}, {"plan": {"a": [None]}}), ({"key": "plan", "value": False},
    {"plan": False}),
    ({"key": "plan"}, {"plan": ""}), ({"key": "plan", "value": None}, {"plan": ""}),
    ("plan=pro", {"plan": "pro"}), ("plan:pro", {"plan": "pro"}), ("plan", {"plan": ""}), ("plan=",
    {"plan": ""}),
    ("plan=a=b:c", {"plan": "a=b:c"}), ("url:https://example.com/?a=1", {"url": "https://example.com/?a=1"}),
    (" my plan =pro", {"my_plan": "pro"}), ({"key": " my plan! ", "value": 1}, {"my_plan_": 1}),
    (5, {"5": ""}), ({"key": 5, "value": "x"}, {"5": "x"}), ("note=two\nlines", {"note": "two\nlines"}),
    ("first_name=Ada", {"first_name": "Ada"}), ({"key": "last_name", "value": 5}, {"last_name": "5"}),
])  # fmt: skip
def test_add_field(door, query, fields):
    door.create(ADA)
    assert run(door, command("add_field", query))["fields"] == fields
    listed = {shapes.field(each)["key"] for each in door.get("/fetch/fields").json["data"]}
    assert listed == fields.keys() - {"first_name", "last_name"}


@pytest.mark.parametrize(("key", "left"), [
    ("plan", {"age": 5, "first_name": "Ada"}), (" plan ", {"age": 5, "first_name": "Ada"}),
    ("Plan", {"age": 5, "plan": "pro", "first_name": "Ada"}), ("first_name", {"age": 5, "plan": "pro"}),
    ("none", {"age": 5, "plan": "pro", "first_name": "Ada"}),
])  # fmt: skip
def test_remove_field(door, key, left):
    door.create(ADA, first_name="Ada", plan="pro", age=5)
    assert run(door, command("remove_field", key))["fields"] == left


@pytest.mark.parametrize("query", [None, "ignored", {"a": 1}, 5, []])
def test_consent(door, monkeypatch, query):
    door.create(ADA)
    left = run(door, command("unsubscribe", query))
    shapes.date(left["unsubscribed_at"])
    assert door.counts() == (1, 0, 1)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + 60_000)
    assert run(door, command("unsubscribe", query)) == left
    assert run(door, command("subscribe", query))["unsubscribed_at"] is None
    assert door.counts() == (1, 1, 0)


def test_change_email_keeps_the_person(door):
    before = shapes.subscriber(door.create(ADA, tags="vip", plan="pro"))
    after = run(door, command("change_email", " New@Example.com "))
    assert after["email"] == "New@Example.com"
    assert {key: after[key] for key in ("uuid", "fields", "cached_tag_ids", "created_at")} == {
        key: before[key] for key in ("uuid", "fields", "cached_tag_ids", "created_at")
    }
    assert door.find(ADA) is None
    assert door.find("new@example.com")["attributes"] == after
    assert door.counts() == (1, 1, 0)


def test_change_email_to_the_same_address_changes_its_spelling(door):
    door.create(ADA)
    assert run(door, command("change_email", "ADA@example.com"))["email"] == "ADA@example.com"
    assert door.counts() == (1, 1, 0)


@pytest.mark.parametrize("address", ["bob@example.com", "BOB@EXAMPLE.COM", "nonsense", "a b@example.com"])
def test_an_address_that_cannot_be_taken_fails_and_writes_nothing(door, address):
    before = door.create(ADA)
    door.create("bob@example.com")
    assert fails(door, command("change_email", address)) == ("command[0]", None)
    assert door.find(ADA) == before


@pytest.mark.parametrize(("name", "query"), CREATING)
def test_creates_the_person_when_the_address_is_new(door, name, query):
    assert run(door, command(name, query, email=" New@example.com"))["email"] == "New@example.com"
    assert door.counts() == ((1, 0, 1) if name == "unsubscribe" else (1, 1, 0))


@pytest.mark.parametrize(("name", "query"), NOT_CREATING)
def test_fails_when_the_address_is_new(door, name, query):
    assert fails(door, command(name, query, email=NOBODY)) == ("command[0]", None)
    assert door.counts() == (0, 0, 0)
    assert door.get("/fetch/tags").json["data"] == []


@pytest.mark.parametrize(("name", "query"), CREATING + NOT_CREATING)
def test_the_target_by_uuid(door, stranger, name, query):
    uuid = door.create(ADA)["attributes"]["uuid"]
    assert run(door, command(name, query, uuid=uuid.replace("-", "")))["uuid"] == uuid
    assert run(door, command("subscribe", uuid=uuid, email=NOBODY))["uuid"] == uuid
    for unknown in ("00000000-0000-4000-8000-000000000000", "nonsense"):
        assert fails(door, command(name, query, uuid=unknown)) == ("command[0]", None)
    assert fails(stranger, command(name, query, uuid=uuid)) == ("command[0]", None)
    assert stranger.counts() == (0, 0, 0)


@pytest.mark.parametrize(("name", "query"), CREATING + NOT_CREATING)
def test_a_bad_address_fails(door, name, query):
    assert fails(door, command(name, query, email="nonsense")) == ("command[0]", None)


def test_a_command_may_stand_alone(door):
    answer = shapes.answer(door.post("/fetch/commands", {"command": command("add_tag", "vip")}))
    assert shapes.tally(answer, "data") == []
    assert answer["results"] == 1


def test_commands_run_in_order_and_a_failure_stops_none(door):
    field, person = fails(
        door,
        command("add_tag", "one"),
        command("remove_tag", "x", email=NOBODY),
        command("change_email", "new@example.com"),
        command("add_field", "plan=pro", email="new@example.com"),
        command("add_tag", "two", email="new@example.com"),
        command("remove_tag", "one", email="new@example.com"),
    )
    assert field == "command[1]"
    attributes = shapes.subscriber(person)
    assert attributes["email"] == "new@example.com"
    assert attributes["fields"] == {"plan": "pro"}
    assert tag_names(door, attributes) == ["two"]
    assert door.counts() == (1, 1, 0)


def test_data_is_the_target_of_the_last_command_that_succeeded(door):
    door.create("bob@example.com")
    _, person = fails(
        door,
        command("add_tag", "a", email="bob@example.com"),
        command("add_tag", "a"),
        command("remove_tag", "a", email=NOBODY),
    )
    assert shapes.subscriber(person)["email"] == ADA


def test_a_swap_of_addresses(door):
    ada, bob = door.create(ADA), door.create("bob@example.com")
    run(
        door,
        command("change_email", "x@example.com"),
        command("change_email", ADA, email="bob@example.com"),
        command("change_email", "bob@example.com", email="x@example.com"),
    )
    assert door.find(ADA)["id"] == bob["id"]
    assert door.find("bob@example.com")["id"] == ada["id"]


@pytest.mark.parametrize(("given", "field"), [
    ({"command": "add_tagg", "email": ADA, "query": "x"}, "command[1].command"),
    ({"command": "ADD_TAG", "email": ADA, "query": "x"}, "command[1].command"),
    ({"command": "", "email": ADA}, "command[1].command"), ({"email": ADA}, "command[1].command"),
    ({"command": 5, "email": ADA}, "command[1].command"), ({"command": {}, "email": ADA},
    "command[1].command"),
    ({"command": "add_tag", "query": "x"}, "command[1].email"),
    ({"command": "add_tag", "query": "x", "email": ""}, "command[1].email"),
    ({"command": "add_tag", "query": "x", "email": {}}, "command[1].email"),
    ({"command": "add_tag", "query": "x", "uuid": []}, "command[1].uuid"),
    *(({"command": name, "email": ADA}, "command[1].query") for name,
    query in CREATING + NOT_CREATING if query),
    *(({"command": name, "email": ADA, "query": " "}, "command[1].query") for name,
    query in CREATING + NOT_CREATING
      if query),
    *(({"command": name, "email": ADA, "query": [1]}, "command[1].query") for name,
    query in CREATING + NOT_CREATING
      if query),
    ({"command": "add_field", "email": ADA, "query": {}}, "command[1].query"),
    ({"command": "add_field", "email": ADA, "query": {"value": 1}}, "command[1].query"),
    ({"command": "add_field", "email": ADA, "query": "=x"}, "command[1].query"),
    ({"command": "add_field", "email": ADA, "query": {"key": {}}}, "command[1].query"),
    ({"command": "add_field", "email": ADA, "query": "k" * 101}, "command[1].query"),
    ({"command": "add_tag", "email": "a\0@example.com", "query": "x"}, "command[1].email"),
    ({"command": "subscribe", "uuid": "\ud800"}, "command[1].uuid"),
    ("subscribe", "command[1]"), (5, "command[1]"), (None, "command[1]"), ([1], "command[1]"),
])  # fmt: skip
def test_the_wrong_form_is_a_422_and_nothing_runs(door, given, field):
    response = send(door, command("add_tag", "x", email=NOBODY), given)
    assert shapes.error_fields(response) == [field]
    assert door.counts() == (0, 0, 0)


@pytest.mark.parametrize("given", [None, [], {}, "add_tag", 5, True, [[]]])
def test_no_command_is_a_422(door, given):
    fields = shapes.error_fields(door.post("/fetch/commands", {"command": given}))
    assert fields[0].startswith("command")


def test_one_to_a_hundred_commands(door):
    assert len(shapes.answer(send(door, *[command("add_tag", "x")] * 100))["errors"]) == 0
    assert shapes.error_fields(send(door, *[command("add_tag", "x")] * 101)) == ["command"]
    assert shapes.error_fields(send(door, *[{}] * 101)) == ["command"]


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_value_that_cannot_be_kept_is_a_422(door, value):
    query = f'{{"key": "plan", "value": {value}}}'
    data = f'{{"command": {{"command": "add_field", "email": "{ADA}", "query": {query}}}}}'
    response = door.call("POST", "/fetch/commands", data=data.encode())
    assert shapes.error_fields(response)[0].startswith("command[0].query")
    assert door.counts() == (0, 0, 0)


@pytest.mark.parametrize(("name", "query"), CREATING)
def test_only_subscribe_lifts_a_suppression(door, name, query):
    erase(door, ADA)
    if name == "subscribe":
        assert run(door, command(name, query))["unsubscribed_at"] is None
        assert run(door, command("add_tag", "x"))["email"] == ADA
    else:
        assert fails(door, command(name, query)) == ("command[0]", None)
        assert door.counts() == (0, 0, 0)
        assert (door.get("/fetch/tags").json["data"], door.get("/fetch/fields").json["data"]) == ([], [])


def test_nobody_moves_to_a_suppressed_address(door):
    erase(door, "gone@example.com")
    door.create(ADA)
    assert fails(door, command("change_email", "gone@example.com")) == ("command[0]", None)


def test_the_old_address_of_an_unsubscribed_person_stays_known(door):
    left = run(door, command("unsubscribe"))["unsubscribed_at"]
    run(door, command("change_email", "new@example.com"))
    door.post("/batch/subscribers", {"subscribers": [{"email": ADA}]})
    assert shapes.subscriber(door.find(ADA))["unsubscribed_at"] == left
    assert door.counts() == (2, 0, 2)
    assert run(door, command("subscribe"))["unsubscribed_at"] is None
    assert door.counts() == (2, 1, 1)
