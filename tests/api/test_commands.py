"""Commands on subscribers (docs/contract.md, Commands)."""

import pytest

from audience import clock
from tests import response_assertions
from tests.api.test_subscribers import HOSTILE, erase
from tests.rows import each_row

ADA = "ada@example.com"
UNKNOWN = "nobody@example.com"
CREATING: list[tuple[str, str | None]] = [
    ("add_tag", "vip"), ("add_tag_via_event", "vip"), ("add_field", "plan=pro"), ("subscribe", None),
    ("unsubscribe", None),
]  # fmt: skip
NOT_CREATING: list[tuple[str, str | None]] = [
    ("remove_tag", "vip"),
    ("remove_field", "plan"),
    ("change_email", "new@example.com"),
]


def command(name, query=None, **target):
    given = {"command": name, "query": query, **(target or {"email": ADA})}
    return {key: value for key, value in given.items() if value is not None}


def send(client, *commands):
    return client.post("/fetch/commands", {"command": list(commands)})


def run(client, *commands):
    """Runs commands, all of which succeed; returns the subscriber."""
    answer = response_assertions.answer(send(client, *commands))
    assert response_assertions.tally(answer, "data") == []
    assert (answer["results"], answer["failed"]) == (len(commands), 0)
    return response_assertions.subscriber(answer["data"])


def fails(client, *commands):
    """Runs commands, one of which fails; returns its `field` and `data`."""
    answer = response_assertions.answer(send(client, *commands))
    [(field, _)] = response_assertions.tally(answer, "data")
    assert (answer["results"], answer["failed"]) == (len(commands) - 1, 1)
    return field, answer["data"]


def tag_names(client, subscriber):
    names = {each["id"]: each["attributes"]["name"] for each in client.get("/fetch/tags").json["data"]}
    return [names[tag_id] for tag_id in subscriber["cached_tag_ids"]]


def test_adds_and_removes_a_tag(client):
    client.create(ADA)
    assert tag_names(client, run(client, command("add_tag", " VIP "))) == ["VIP"]
    assert tag_names(client, run(client, command("add_tag", "vip"), command("add_tag", "a,b"))) == [
        "VIP",
        "a,b",
    ]
    assert tag_names(client, run(client, command("remove_tag", "Vip"), command("remove_tag", "none"))) == [
        "a,b"
    ]
    assert run(client, command("add_tag", 5), command("remove_tag", "5"))["last_event_at"] is None


def test_a_tag_via_event_sets_the_date_of_the_last_event(client):
    subscriber = run(client, command("add_tag_via_event", "vip"))
    assert tag_names(client, subscriber) == ["vip"]
    response_assertions.date(subscriber["last_event_at"])
    assert (
        len(
            response_assertions.answer(client.post("/fetch/search", {"last_event_at": {"gt": "2001-01-01"}}))[
                "data"
            ]
        )
        == 1
    )


@pytest.mark.parametrize(("query", "fields"), [
    ({"key": "plan", "value": "pro"}, {"plan": "pro"}), ({"key": "plan", "value": 5}, {"plan": 5}),
    ({"key": "plan", "value": {"a": [None]}}, {"plan": {"a": [None]}}), ({"key": "plan", "value": False},
    {"plan": False}),
    ({"key": "plan"}, {}), ({"key": "plan", "value": None}, {}),
    ("plan=pro", {"plan": "pro"}), ("plan:pro", {"plan": "pro"}), ("plan", {"plan": ""}), ("plan=",
    {"plan": ""}),
    ("plan=a=b:c", {"plan": "a=b:c"}), ("url:https://example.com/?a=1", {"url": "https://example.com/?a=1"}),
    (" my plan =pro", {"my_plan": "pro"}), ({"key": " my plan! ", "value": 1}, {"my_plan_": 1}),
    (5, {"5": ""}), ({"key": 5, "value": "x"}, {"5": "x"}), ("note=two\nlines", {"note": "two\nlines"}),
    ("first_name=Ada", {"first_name": "Ada"}), ({"key": "last_name", "value": 5}, {"last_name": "5"}),
])  # fmt: skip
def test_add_field(client, query, fields):
    client.create(ADA)
    assert run(client, command("add_field", query))["fields"] == fields
    listed = {response_assertions.field(each)["key"] for each in client.get("/fetch/fields").json["data"]}
    assert listed == fields.keys() - {"first_name", "last_name"}


@pytest.mark.parametrize(("key", "left"), [
    ("plan", {"age": 5, "first_name": "Ada"}), (" plan ", {"age": 5, "first_name": "Ada"}),
    ("Plan", {"age": 5, "plan": "pro", "first_name": "Ada"}), ("first_name", {"age": 5, "plan": "pro"}),
    ("none", {"age": 5, "plan": "pro", "first_name": "Ada"}),
])  # fmt: skip
def test_remove_field(client, key, left):
    client.create(ADA, first_name="Ada", plan="pro", age=5)
    assert run(client, command("remove_field", key))["fields"] == left


@pytest.mark.parametrize("query", [None, "ignored", {"a": 1}, 5, []])
def test_consent(client, monkeypatch, query):
    client.create(ADA)
    left = run(client, command("unsubscribe", query))
    response_assertions.date(left["unsubscribed_at"])
    assert client.counts() == (1, 0, 1)
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + 60_000)
    assert run(client, command("unsubscribe", query)) == left
    assert run(client, command("subscribe", query))["unsubscribed_at"] is None
    assert client.counts() == (1, 1, 0)


@pytest.mark.parametrize(("name", "query"), CREATING)
def test_a_new_address_creates_the_subscriber(client, name, query):
    assert run(client, command(name, query, email=" New@example.com"))["email"] == "New@example.com"
    assert client.counts() == ((1, 0, 1) if name == "unsubscribe" else (1, 1, 0))


@pytest.mark.parametrize(("name", "query"), NOT_CREATING)
def test_a_new_address_fails(client, name, query):
    assert fails(client, command(name, query, email=UNKNOWN)) == ("command[0]", None)
    assert client.counts() == (0, 0, 0)
    assert client.get("/fetch/tags").json["data"] == []


@pytest.mark.parametrize(("name", "query"), CREATING + NOT_CREATING)
def test_the_target_by_uuid(client, other_client, name, query):
    uuid = client.create(ADA)["attributes"]["uuid"]
    assert run(client, command(name, query, uuid=uuid.replace("-", "")))["uuid"] == uuid
    assert run(client, command("subscribe", uuid=uuid, email=UNKNOWN))["uuid"] == uuid
    for unknown in ("00000000-0000-4000-8000-000000000000", "nonsense"):
        assert fails(client, command(name, query, uuid=unknown)) == ("command[0]", None)
    assert fails(other_client, command(name, query, uuid=uuid)) == ("command[0]", None)
    assert other_client.counts() == (0, 0, 0)


@pytest.mark.parametrize(("name", "query"), CREATING + NOT_CREATING)
def test_a_bad_address_fails(client, name, query):
    assert fails(client, command(name, query, email="nonsense")) == ("command[0]", None)


def test_a_single_command_needs_no_list(client):
    answer = response_assertions.answer(
        client.post("/fetch/commands", {"command": command("add_tag", "vip")})
    )
    assert response_assertions.tally(answer, "data") == []
    assert answer["results"] == 1


def test_commands_run_in_order_and_a_failure_stops_none(client):
    field, subscriber = fails(
        client,
        command("add_tag", "one"),
        command("remove_tag", "x", email=UNKNOWN),
        command("change_email", "new@example.com"),
        command("add_field", "plan=pro", email="new@example.com"),
        command("add_tag", "two", email="new@example.com"),
        command("remove_tag", "one", email="new@example.com"),
    )
    assert field == "command[1]"
    attributes = response_assertions.subscriber(subscriber)
    assert attributes["email"] == "new@example.com"
    assert attributes["fields"] == {"plan": "pro"}
    assert tag_names(client, attributes) == ["two"]
    assert client.counts() == (1, 1, 0)


def test_data_is_the_target_of_the_last_command_that_succeeded(client):
    client.create("bob@example.com")
    _, subscriber = fails(
        client,
        command("add_tag", "a", email="bob@example.com"),
        command("add_tag", "a"),
        command("remove_tag", "a", email=UNKNOWN),
    )
    assert response_assertions.subscriber(subscriber)["email"] == ADA


@each_row(("given", "field"), [
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
def test_a_malformed_command_is_a_422_and_nothing_runs(client, given, field):
    response = send(client, command("add_tag", "x", email=UNKNOWN), given)
    assert response_assertions.error_fields(response) == [field]
    assert client.counts() == (0, 0, 0)


@pytest.mark.parametrize("given", [None, [], {}, "add_tag", 5, True, [[]]])
def test_no_command_is_a_422(client, given):
    fields = response_assertions.error_fields(client.post("/fetch/commands", {"command": given}))
    assert fields[0].startswith("command")


def test_one_to_a_hundred_commands(client):
    assert len(response_assertions.answer(send(client, *[command("add_tag", "x")] * 100))["errors"]) == 0
    assert response_assertions.error_fields(send(client, *[command("add_tag", "x")] * 101)) == ["command"]
    assert response_assertions.error_fields(send(client, *[{}] * 101)) == ["command"]


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_value_that_cannot_be_stored_is_a_422(client, value):
    query = f'{{"key": "plan", "value": {value}}}'
    data = f'{{"command": {{"command": "add_field", "email": "{ADA}", "query": {query}}}}}'
    response = client.call("POST", "/fetch/commands", data=data.encode())
    assert response_assertions.error_fields(response)[0].startswith("command[0].query")
    assert client.counts() == (0, 0, 0)


@pytest.mark.parametrize(("name", "query"), CREATING)
def test_only_subscribe_lifts_a_suppression(client, name, query):
    erase(client, ADA)
    if name == "subscribe":
        assert run(client, command(name, query))["unsubscribed_at"] is None
        assert run(client, command("add_tag", "x"))["email"] == ADA
    else:
        assert fails(client, command(name, query)) == ("command[0]", None)
        assert client.counts() == (0, 0, 0)
        assert (client.get("/fetch/tags").json["data"], client.get("/fetch/fields").json["data"]) == ([], [])
