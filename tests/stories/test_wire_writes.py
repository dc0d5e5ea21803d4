"""A story: what real clients write, and what it becomes.

(docs/contract.md, Subscribers, Commands, Imports, Events)
"""

import json
import unicodedata

import pytest

from tests import response_assertions

ERASED = "gone@example.com"
NAN = float("nan")
UNSTORABLE = [NAN, float("inf"), 2**63, -(2**63) - 1, "a\0b", "\ud800", ["\udc00"], {"deep": [{"x": NAN}]}]


def erase(client, email):
    assert client.delete("/fetch/subscribers", query={"email": email}).status_code == 200


def import_(client, *items):
    return response_assertions.answer(client.post("/batch/subscribers", {"subscribers": list(items)}))


def run(client, *commands):
    return response_assertions.answer(client.post("/fetch/commands", {"command": list(commands)}))


def record(client, *events):
    return response_assertions.answer(client.post("/batch/events", {"events": list(events)}))


def tag_names(client):
    return {tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]}


def field_keys(client):
    return {field["attributes"]["key"] for field in client.get("/fetch/fields").json["data"]}


def test_a_batch_of_one_on_an_erased_address_failed(client):
    erase(client, ERASED)
    result = import_(client, {"email": ERASED})
    assert (result["result"], result["results"], result["failed"]) == (0, 0, 1)
    assert [error["field"] for error in result["errors"]] == ["subscribers[0].email"]
    refused = import_(client, {"email": ERASED}, {"email": "nonsense"})
    assert (refused["result"], refused["failed"]) == (0, 2)
    assert [error["field"] for error in refused["errors"]] == ["subscribers[0].email", "subscribers[1].email"]
    back = import_(client, {"email": ERASED, "command": "subscribe"})
    assert (back["result"], back["failed"], back["errors"]) == (1, 0, [])


INVISIBLE = ["\ufeff", "\u200b", "\u200e", "\u00ad", "\u2060", "\x07", "\u0085"]


@pytest.mark.parametrize("invisible", INVISIBLE)
def test_invisible_characters_are_trimmed_at_the_ends_of_an_address(client, invisible):
    created = client.create(f"{invisible} ada@example.com{invisible}")
    assert created["attributes"]["email"] == "ada@example.com"
    assert client.find(f"ada@example.com{invisible}")["id"] == created["id"]
    assert import_(client, {"email": f"{invisible}ada@example.com "})["failed"] == 0
    assert client.counts() == (1, 1, 0)


@pytest.mark.parametrize("address", [
    *(f"a{invisible}da@example.com" for invisible in INVISIBLE),
    *(f"ada@exam{invisible}ple.com" for invisible in INVISIBLE),
    *(f"ada@example.com{sign}" for sign in ",;>)/'\"!?"),
    "ada@exam_ple.com", "<ada@example.com>", "Ada <ada@example.com>", "ada@exa/mple.com", "ada@example.com.",
    "ada@ex\u00e4mple.com,", "ada@ex\u00e4mple.com>", "ada@b\u00fccher\u200d.example",
])  # fmt: skip
def test_an_address_of_another_form_is_refused(client, address):
    response = client.post("/fetch/subscribers", {"subscriber": {"email": address}})
    assert response_assertions.error_fields(response) == ["subscriber.email"]
    assert import_(client, {"email": address})["failed"] == 1


@pytest.mark.parametrize(
    "address", ["ada@b\u00fccher.example", "ada@\u4f8b\u3048.jp", "\u00fc.x'y@a-b.example"]
)
def test_an_address_in_letters_of_any_script_is_taken(client, address):
    assert client.create(address)["attributes"]["email"] == address


@pytest.mark.parametrize("write", ["create", "import", "batch", "command", "event", "tag"])
def test_names_of_tags_are_normalized(client, write):
    name = unicodedata.normalize("NFD", "Caf\u00e9") + "\u200b "
    address = {"email": "ada@example.com"}
    match write:
        case "create":
            client.create(**address, tags=[name])
        case "import":
            import_(client, address | {"tags": f"\ufeff{name}, "})
        case "batch":
            import_(client, address | {"tags": f"\ufeff{name}, "}, address | {"tags": [name]})
            assert response_assertions.answer(client.get("/batch/imports"))["data"]
            return
        case "command":
            run(client, address | {"command": "add_tag", "query": name})
        case "event":
            record(client, address | {"type": "$tag", "details": {"tag": name}})
        case "tag":
            client.post("/fetch/tags", {"tag": {"name": name}})
    start = "\ufeff" if write == "import" else ""
    assert tag_names(client) == {f"{start}Caf\u00e9\u200b"}
    client.create("bob@example.com", tags="CAF\u00c9")
    assert len(tag_names(client)) == 1


def test_keys_of_fields_are_normalized(client):
    key = unicodedata.normalize("NFD", "Gr\u00f6\u00dfe")
    import_(client, {"email": "ada@example.com", key: 5, "\ufeffcolor\u200b": "red"})
    client.create("bob@example.com", fields={key: 6})
    client.post("/fetch/fields", {"field": {"key": f"{key}\u200e"}})
    assert field_keys(client) == {"Gr\u00f6\u00dfe", "color"}


@pytest.mark.parametrize("marks", ["\u0301" * 100_000, "\ufeff" * 100_000])
def test_many_marks_take_linear_time(client, marks):
    item = {"email": f"a{marks}@example.com"}
    assert client.post("/fetch/subscribers", {"subscriber": item}).status_code == 422
    named = client.post("/fetch/tags", {"tag": {"name": f"a{marks}b"}})
    assert response_assertions.error_fields(named) == ["tag.name"]
    keyed = client.post("/fetch/fields", {"field": {"key": f"a{marks}b"}})
    assert response_assertions.error_fields(keyed) == ["field.key"]


@pytest.mark.parametrize("value", UNSTORABLE, ids=repr)
def test_what_cannot_be_stored_is_refused_under_unknown_keys_too(client, value):
    ada = {"email": "ada@example.com"}
    for method, path, body in [
        ("POST", "/fetch/subscribers", {"subscriber": ada, "zz": value}),
        ("POST", "/fetch/subscribers", {"subscriber": ada | {"id": value}}),
        ("POST", "/fetch/subscribers", {"subscriber": ada | {"command": value}}),
        ("POST", "/fetch/fields", {"field": {"key": "plan", "zz": value}}),
        ("POST", "/fetch/tags", {"tag": {"name": "vip"}, "zz": value}),
        ("POST", "/fetch/commands", {"command": [ada | {"command": "subscribe", "zz": value}]}),
        ("POST", "/fetch/commands", {"command": [ada | {"command": "subscribe", "query": value}]}),
        ("POST", "/batch/subscribers", {"subscribers": [ada], "zz": value}),
        ("POST", "/fetch/search", {"zz": value}),
        ("POST", "/fetch/search", {"created_at": {"gt": "2026-01-01"}, "zz": value}),
        ("GET", "/stats/site", {"zz": value}),
        ("POST", "/experimental/gender", {"name": "Ada", "zz": value}),
    ]:
        response_assertions.error(client.call(method, path, body), 422)
    assert client.counts() == (0, 0, 0)
    result = import_(client, ada | {"id": value}, {"email": "bob@example.com"})
    assert (result["result"], result["failed"]) == (1, 1)
    assert record(client, ada | {"type": "x", "zz": value})["failed"] == 1


def test_a_lone_surrogate_in_a_key_is_refused(client):
    for body in [{"subscriber": {"email": "ada@example.com"}, "\ud800": 1}, {"subscriber": {"\0": 1}}]:
        response_assertions.error(client.post("/fetch/subscribers", body), 422)


@pytest.mark.parametrize("command", [None, 5, "x", []])
def test_a_command_that_is_no_object_is_told_so(client, command):
    response = client.post("/fetch/commands", {"command": [command]})
    assert response_assertions.error(response, 422)
    assert all(error["message"].startswith("Send") for error in response.json["errors"])


def test_a_command_by_an_unknown_uuid_is_told_about_the_uuid(client):
    uuid = "00000000-0000-4000-8000-000000000000"
    [error] = run(client, {"command": "add_tag", "uuid": uuid, "query": "vip"})["errors"]
    assert "uuid" in error["message"]
    assert "address" not in error["message"]


@pytest.mark.parametrize("write", ["create", "import"])
def test_reserved_keys_are_known_in_any_spelling(client, write):
    item = {
        "email": "ada@example.com", " tags ": "vip", "created at": "2001-01-01", "\ufeffid": 5,
        "site uuid": "x", "navigation  url": "x", " first_name ": "Ada",
    }  # fmt: skip
    client.create(**item) if write == "create" else import_(client, item)
    attributes = client.find("ada@example.com")["attributes"]
    assert attributes["fields"] == {"first_name": "Ada"}
    assert attributes["created_at"][:4] != "2001"
    assert tag_names(client) == {"vip"}
    assert field_keys(client) == set()


def test_inside_fields_reserved_keys_are_plain(client):
    client.create("ada@example.com", fields={"tags": "x", "id": 5})
    assert field_keys(client) == {"tags", "id"}


def test_the_event_remove_tag_creates_nobody(client):
    result = record(client, {"email": "ada@example.com", "type": "$remove_tag", "details": {"tag": "vip"}})
    assert (result["results"], result["failed"]) == (0, 1)
    assert [error["field"] for error in result["errors"]] == ["events[0].email"]
    assert client.counts() == (0, 0, 0)


@pytest.mark.parametrize("query", [{"key": "plan", "value": None}, {"key": "plan"}])
def test_adding_null_to_a_field_changes_nothing(client, query):
    before = client.create("ada@example.com", fields={"plan": "pro"})
    run(client, {"command": "add_field", "email": "ada@example.com", "query": query})
    assert client.find("ada@example.com") == before
    run(client, {"command": "add_field", "email": "ada@example.com", "query": "plan"})
    assert client.find("ada@example.com")["attributes"]["fields"] == {"plan": ""}


LONG = "x" * 256


@pytest.mark.parametrize(("path", "body", "field"), [
    ("/fetch/tags", {"tag": {"name": LONG}}, "tag.name"),
    ("/fetch/subscribers", {"subscriber": {"email": "ada@example.com", "tags": f"vip,{LONG}"}},
     "subscriber.tags"),
    ("/fetch/subscribers", {"subscriber": {"email": "ada@example.com", "remove_tags": [LONG]}},
     "subscriber.remove_tags"),
    ("/fetch/subscribers", {"subscriber": {"email": "ada@example.com", "fields": {"a": 1, "b": "x" * 65536}}},
     "subscriber.fields[1]"),
    ("/fetch/subscribers", {"subscriber": {"email": "ada@example.com", "a": ["x" * 65536]}}, "subscriber[1]"),
    ("/fetch/commands", {"command": {"command": "add_tag", "email": "ada@example.com", "query": LONG}},
     "command[0].query"),
    ("/fetch/commands",
     {"command": {"command": "add_field", "email": "ada@example.com",
                  "query": {"key": "a", "value": "\u00e4" * 33000}}},
     "command[0].query"),
])  # fmt: skip
def test_too_long_is_refused(client, path, body, field):
    assert response_assertions.error_fields(client.post(path, body)) == [field]


def test_the_longest_are_taken(client):
    client.create("ada@example.com", tags=["x" * 255], note="x" * (65536 - 2))
    assert import_(client, {"email": "ada@example.com", "note": "x" * 65535})["failed"] == 1
    assert import_(client, {"email": "ada@example.com", "tags": LONG})["failed"] == 1
    assert import_(client, {"email": "ada@example.com", "tags": "x" * 255})["failed"] == 0
    events = [{"email": "ada@example.com", "type": "x" * 255, "details": {"unique": {"key": "y" * 255}}},
              {"email": "ada@example.com", "type": LONG},
              {"email": "ada@example.com", "type": "x", "details": {"unique": {"key": LONG}}},
              {"email": "ada@example.com", "type": "$tag", "details": {"tag": LONG}}]  # fmt: skip
    result = record(client, *events)
    assert [error["field"] for error in result["errors"]] == [
        "events[1].type", "events[2].details", "events[3].details",
    ]  # fmt: skip
    rules = {"event": "x" * 255}
    assert client.post("/fetch/segments/preview", {"segment": {"rules": rules}}).json["user_count"] == 1


def test_an_item_of_an_array_is_one_name_and_text_is_split(client):
    client.create("ada@example.com", tags=["a, b"])
    import_(client, {"email": "ada@example.com", "tags": ["c,d"]})
    run(client, {"command": "add_tag", "email": "ada@example.com", "query": "e,f"})
    record(client, {"email": "ada@example.com", "type": "$tag", "details": {"tag": "g,h"}})
    client.post("/fetch/tags", {"tag": {"name": "i,j"}})
    import_(client, {"email": "ada@example.com", "tags": "k,l"})
    assert tag_names(client) == {"a, b", "c,d", "e,f", "g,h", "i,j", "k", "l"}


def test_the_errors_of_events_come_in_the_order_of_the_items(client):
    erase(client, ERASED)
    bad = [{"email": ERASED, "type": "x"}, {"email": "nonsense", "type": "x"}, {"email": "ada@example.com"}]
    result = record(client, *bad, *bad[::-1])
    assert [error["field"].split(".")[0] for error in result["errors"]] == [f"events[{n}]" for n in range(6)]


def test_a_custom_key_in_a_path_becomes_its_place(client):
    secret = "canary key"
    fields = {"ok": 1, "none": None, secret: NAN}
    response = client.post(
        "/fetch/subscribers", {"subscriber": {"email": "ada@example.com", "fields": fields}}
    )
    assert response_assertions.error_fields(response) == ["subscriber.fields[2]"]
    item = {"email": "ada@example.com", "none": None, "canary": NAN}
    result = import_(client, item, {"email": "bob@example.com", "fields": fields})
    assert [error["field"] for error in result["errors"]] == ["subscribers[0][2]", "subscribers[1].fields[2]"]
    event = {
        "email": "ada@example.com",
        "type": "$update_fields",
        "details": {"unique": {}, "canary?" * 99: 1},
    }
    result = record(client, event | {"fields": {"canary": 2**70}}, event)
    assert [error["field"] for error in result["errors"]] == ["events[0].fields[0]", "events[1].details[1]"]
    assert "canary" not in json.dumps(result)


def test_who_moves_onto_an_address_known_as_unsubscribed_keeps_their_consent(client):
    old = {"email": "old@example.com"}
    run(
        client,
        old | {"command": "unsubscribe"},
        old | {"command": "change_email", "query": "new@example.com"},
    )
    client.create("bob@example.com")
    run(client, {"email": "bob@example.com", "command": "change_email", "query": "old@example.com"})
    assert client.find("old@example.com")["attributes"]["unsubscribed_at"] is None
