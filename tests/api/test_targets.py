"""Whom a request means that writes (docs/contract.md, Every request, Erase, Tags)."""

import json
from urllib.parse import quote

import pytest

from audience.operations import site_lane
from tests import response_assertions
from tests.api.endpoints import ENDPOINTS, prepare
from tests.client import basic

ADA, BOB, NEW = "ada+x@example.com", "bob@example.com", "new@example.com"
TWICE = '"email": "ada+x@example.com", "email": "bob@example.com"'
NOBODY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def people(client):
    """The uuids of two people."""
    return {email: client.create(email)["attributes"]["uuid"] for email in (ADA, BOB)}


def send(client, method, path, query="", body=None):
    """Sends the query string and the text of the body unchanged, but for `TWICE`."""
    body = body and body.replace("TWICE", TWICE)
    return client.http.open(
        f"/api/v1{path}?{query}",
        method=method,
        data=body,
        headers={"Authorization": basic(client.key.publishable_key, client.key.secret_key)},
    )


def listed(name, rows):
    return f'{{"{name}": [{",".join(rows)}]}}'


def erase(client, query="", body=None):
    return send(client, "DELETE", "/fetch/subscribers", query, body)


def there(client):
    found = client.post("/fetch/search", {}).json["data"]
    return sorted(each["attributes"]["email"] for each in found)


@pytest.mark.parametrize(("query", "body"), [
    ("email={ada}&email={bob}", ""),
    ("email={bob}&email={ada}", ""),
    ("email={ada}&email[]={bob}", ""),
    ("email[]={bob}&email={ada}", ""),
    ("email={ada}&email=nonsense", ""),
    ("email={ada}", '{"email": "bob@example.com"}'),
    ("email=&email={bob}", '{"email": "ada+x@example.com"}'),
    ("", '{"email": "ada+x@example.com", "email": "bob@example.com"}'),
    ("", '{"\\u0065mail": "ada+x@example.com", "email": "bob@example.com"}'),
    ("uuid={ada_uuid}&uuid={bob_uuid}", ""),
    ("uuid={ada_uuid}", '{"uuid": "BOB_UUID"}'),
    ("email={bob}", '{"uuid": "ADA_UUID", "uuid": "BOB_UUID"}'),
    ("uuid={bob_uuid}&uuid=nonsense", ""),
])  # fmt: skip
def test_who_is_named_twice_is_not_erased(client, people, query, body):
    query = query.format(ada=quote(ADA), bob=BOB, ada_uuid=people[ADA], bob_uuid=people[BOB])
    body = body.replace("ADA_UUID", people[ADA]).replace("BOB_UUID", people[BOB])
    response_assertions.error(erase(client, query, body), 400)
    assert there(client) == [ADA, BOB]


@pytest.mark.parametrize(("query", "body"), [
    ("email={ada}&email={ada}", ""),
    ("email={ada}&email=ADA%2BX@EXAMPLE.COM", ""),
    ("email={ada}&email=ada+x@example.com", ""),
    ("email={ada}&email=ada%252Bx%2540example.com", ""),
    ("email={ada}&email=%20{ada}", ""),
    ("email={ada}&email=", '{"email": null}'),
    ("email={ada}", '{"email": "Ada+x@example.com"}'),
    ("email={ada}", '{"email": "ada+x@example.com", "email": "Ada+X@example.com"}'),
    ("uuid={uuid}&uuid={upper}&uuid={plain}", '{"uuid": "PLAIN"}'),
])  # fmt: skip
def test_one_is_erased_in_whatever_spellings_they_are_named(client, people, query, body):
    uuid = people[ADA]
    plain = uuid.replace("-", "")
    query = query.format(ada=quote(ADA), uuid=uuid, plain=plain, upper=uuid.upper())
    response_assertions.answer(erase(client, query, body.replace("PLAIN", plain)))
    assert there(client) == [BOB]


def test_an_address_and_a_uuid_of_two_erase_nobody(client, people):
    response = erase(client, f"email={quote(ADA)}&uuid={people[BOB]}")
    assert response_assertions.error_fields(response) == ["uuid"]
    response = erase(client, f"email={quote(ADA)}&uuid={NOBODY}")
    assert response_assertions.error_fields(response) == ["uuid"]
    assert there(client) == [ADA, BOB]
    response_assertions.answer(erase(client, f"email={NEW}&uuid={NOBODY}"))
    response_assertions.answer(erase(client, f"email={NEW}&uuid={people[BOB]}"))
    assert there(client) == [ADA]


@pytest.mark.parametrize("endpoint", [each for each in ENDPOINTS if each.scope == "full"], ids=str)
def test_no_request_that_writes_may_name_two_in_its_query(prepared_client, endpoint):
    client, body = prepared_client, json.dumps(endpoint.body) if endpoint.body else ""
    before = client.get("/fetch/changes", query={"after": "0"}).json["meta"]["newest"]
    for name, values in {"email": (ADA, BOB), "uuid": (NOBODY, NOBODY[:-1] + "1")}.items():
        query = "&".join(f"{name}={quote(value)}" for value in values)
        assert response_assertions.error(send(client, endpoint.method, endpoint.path, query, body), 400) == []
    assert client.get("/fetch/changes", query={"after": "0"}).json["meta"]["newest"] == before


def test_what_is_created_is_not_named_otherwise_beside(client):
    for email in (BOB, {"a": BOB}):
        body = json.dumps({"subscriber": {"email": NEW}, "email": email})
        response_assertions.error(send(client, "POST", "/fetch/subscribers", "", body), 400)
    assert there(client) == []
    body = json.dumps({"subscriber": {"email": NEW}, "email": NEW.upper()})
    response_assertions.answer(send(client, "POST", "/fetch/subscribers", f"email={BOB}", body), 201)
    assert there(client) == [NEW]


def test_who_reads_may_name_several(client, people):
    found = send(client, "GET", "/fetch/subscribers", f"email={quote(ADA)}&email={BOB}")
    assert response_assertions.answer(found)["data"]["attributes"]["email"] == BOB
    body = '{"email": "ada+x@example.com", "email": "bob@example.com"}'
    found = send(client, "GET", "/fetch/subscribers", f"uuid={people[ADA]}", body)
    assert response_assertions.answer(found)["data"]["attributes"]["email"] == ADA
    found = send(client, "POST", "/fetch/search", "", body)
    assert [each["attributes"]["email"] for each in found.json["data"]] == [BOB]


def test_a_command_with_an_address_and_a_uuid_of_two_fails_alone(client, people):
    commands = [
        {"command": "add_tag", "email": ADA, "uuid": people[BOB], "query": "vip"},
        {"command": "unsubscribe", "email": NEW, "uuid": people[BOB]},
        {"command": "change_email", "email": BOB, "uuid": people[ADA], "query": "x@example.com"},
        {"command": "subscribe", "email": NEW},
        {"command": "subscribe", "email": NEW, "uuid": people[BOB]},
        {"command": "add_tag", "email": ADA.upper(), "uuid": people[ADA].upper(), "query": "vip"},
    ]
    answer = response_assertions.answer(client.post("/fetch/commands", {"command": commands}))
    refused = response_assertions.tally(answer, "data")
    assert (answer["results"], answer["failed"]) == (3, 3)
    assert [field for field, _ in refused] == ["command[0]", "command[2]", "command[4]"]
    assert {message for _, message in refused} == {refused[0][1]}
    assert "two subscribers" in refused[0][1]
    assert there(client) == [ADA, BOB, NEW]
    assert client.find(BOB)["attributes"]["unsubscribed_at"]
    assert client.find(BOB)["attributes"]["cached_tag_ids"] == []


def test_an_event_with_an_address_and_a_uuid_of_two_fails_alone(client, people):
    events = [
        {"email": ADA, "uuid": people[BOB], "type": "$unsubscribe"},
        {"email": NEW, "uuid": people[BOB], "type": "visit"},
        {"email": NEW, "uuid": people[BOB].upper(), "type": "$unsubscribe"},
        {"email": BOB, "uuid": people[BOB], "type": "visit"},
        {"email": BOB, "uuid": NOBODY, "type": "visit"},
        {"email": BOB, "uuid": {"a": 1}, "type": "visit"},
    ]
    answer = response_assertions.answer(client.post("/batch/events", {"events": events}))
    refused = response_assertions.tally(answer)
    assert (answer["results"], answer["failed"]) == (4, 2)
    assert [field for field, _ in refused] == ["events[0].uuid", "events[2].uuid"]
    assert "two subscribers" in refused[0][1]
    assert client.counts() == (3, 3, 0)


@pytest.mark.parametrize("more", [0, 1])
def test_an_item_with_an_address_and_a_uuid_of_two_fails_alone(client, people, more):
    items = [
        {"email": ADA, "uuid": people[BOB], "first_name": "Wrong"},
        {"email": BOB, "uuid": people[BOB].upper(), "first_name": "Right"},
        *({"email": NEW, "uuid": people[BOB], "first_name": "New"} for _ in range(more)),
        *({"email": NEW, " uuid ": people[BOB], "first_name": "Wrong"} for _ in range(more)),
        *({"email": NEW, "uuid": NOBODY, "first_name": "Newer"} for _ in range(more)),
    ]
    answer = response_assertions.answer(client.post("/batch/subscribers", {"subscribers": items}))
    wrong = ["subscribers[0].uuid", *["subscribers[3].uuid"] * more]
    assert [each["field"] for each in answer["errors"]] == wrong
    assert "two subscribers" in answer["errors"][0]["message"]
    assert (answer["results"], answer["failed"]) == (len(items) - len(wrong), len(wrong))
    site_lane.drain(client.site.id, 30)
    names = {email: client.find(email)["attributes"]["first_name"] for email in there(client)}
    assert names == {ADA: None, BOB: "Right"} | ({NEW: "Newer"} if more else {})


def test_a_subscriber_is_not_written_onto_another(client, people):
    body = {"subscriber": {"email": ADA, "uuid": people[BOB], "first_name": "Wrong"}}
    response = client.post("/fetch/subscribers", body)
    assert response_assertions.error_fields(response) == ["subscriber.uuid"]
    assert client.find(ADA)["attributes"]["first_name"] is None
    for uuid in (people[ADA], NOBODY, "nonsense", 5, {"a": 1}, None):
        client.create(ADA, uuid=uuid)
    assert client.create(NEW, uuid=people[BOB])["attributes"]["email"] == NEW


@pytest.mark.parametrize(("path", "body", "fields"), [
    ("/fetch/subscribers", "{TWICE}", ["subscriber.email"]),
    ("/fetch/subscribers", '{"subscriber": {TWICE}}', ["subscriber.email"]),
    ("/fetch/subscribers", '{"subscriber": {"email": "new@example.com", "uuid": "a", "uuid": "b"}}',
     ["subscriber.uuid"]),
    ("/fetch/subscribers", '{"subscriber": {" email ": "ada+x@example.com", " email ": "bob@example.com"}}',
     ["subscriber.email"]),
    ("/fetch/subscribers", '{"subscriber": {"email": "a@b.example"}, "subscriber": {"email": "c@b.example"}}',
     ["subscriber"]),
    ("/fetch/subscribers", '{"subscriber": {"email": "a@b.example", "command": "subscribe", "command": ""}}',
     ["subscriber.command"]),
    ("/fetch/subscribers", '{"subscriber": ["a"], "subscriber": {"email": "a@b.example"}}', ["subscriber"]),
    ("/fetch/subscribers", '{"subscriber": {"email": ["a"], "email": {"a": "b"}}}', ["subscriber.email"]),
    ("/fetch/tags", '{"tag": ["a"], "tag": {"name": ["b"]}}', ["tag"]),
    ("/fetch/tags", '{"tag": {"name": "a", "name": "b"}}', ["tag.name"]),
    ("/fetch/tags", '{"tag": {"name": "a"}, "tag": {"name": "b"}}', ["tag"]),
    ("/fetch/commands", '{"command": {"command": "subscribe", "email": "new@example.com"}, "command": []}',
     ["command"]),
    ("/fetch/tags", '{"site_uuid": "HERE", "site_uuid": "THERE", "tag": {"name": "a"}}', ["site_uuid"]),
    ("/fetch/tags", '{"site_uuid": "THERE", "site_uuid": "HERE", "tag": {"name": "a"}}', ["site_uuid"]),
])  # fmt: skip
def test_equal_keys_that_name_two_are_refused(client, other_client, people, path, body, fields):
    body = body.replace("HERE", client.site.uuid)
    body = body.replace("THERE", other_client.site.uuid)
    assert response_assertions.error_fields(send(client, "POST", path, "", body)) == fields
    assert there(client) == [ADA, BOB]
    assert client.get("/fetch/tags").json["data"] == []


def test_a_command_with_equal_keys_that_name_two_fails_alone(client, people):
    commands = [
        '{"command": "unsubscribe", TWICE}',
        '{"command": "unsubscribe", "command": "subscribe", "email": "bob@example.com"}',
        '{"command": "add_tag", "query": "a", "query": "b", "email": "bob@example.com"}',
        '{"command": "add_tag", "query": "c", "email": "bob@example.com", "note": 1, "note": 2}',
        '{"command": "unsubscribe", "uuid": "ADA", "\\u0075uid": "BOB"}',
        '{"command": "add_field", "query": {"key": "a", "key": "b", "value": 1}, "email": "bob@example.com"}',
    ]
    commands[4] = commands[4].replace("ADA", people[ADA]).replace("BOB", people[BOB])
    answer = send(client, "POST", "/fetch/commands", "", listed("command", commands))
    answer = response_assertions.answer(answer)
    refused = response_assertions.tally(answer, "data")
    assert [field for field, _ in refused] == [f"command[{place}]" for place in (0, 1, 2, 4)]
    assert (answer["results"], answer["failed"]) == (2, 4)
    assert client.counts() == (2, 2, 0)
    assert [each["attributes"]["name"] for each in client.get("/fetch/tags").json["data"]] == ["c"]
    assert client.find(BOB)["attributes"]["fields"] == {"b": 1}
    alone = response_assertions.answer(
        send(client, "POST", "/fetch/commands", "", f'{{"command": {commands[0]}}}')
    )
    assert (alone["data"], alone["results"], alone["failed"]) == (None, 0, 1)


def test_an_event_with_equal_keys_that_name_two_fails_alone(client, people):
    events = [
        '{"type": "visit", TWICE}',
        '{"type": "visit", "email": "bob@example.com", "details": {"email": 1, "email": 2}}',
        '{"type": "$subscribe", "type": "$unsubscribe", "email": "bob@example.com"}',
    ]
    answer = send(client, "POST", "/batch/events", "", listed("events", events))
    assert [field for field, _ in response_assertions.tally(answer.json)] == [
        "events[0].email",
        "events[2].type",
    ]
    assert (answer.json["results"], answer.json["failed"]) == (1, 2)
    for alone in (events[0], f'{{"events": {events[0]}}}'):
        answer = response_assertions.answer(send(client, "POST", "/batch/events", "", alone))
        assert [field for field, _ in response_assertions.tally(answer)] == ["events[0].email"]
    assert client.find(ADA)["attributes"]["last_event_at"] is None


def test_an_item_with_equal_keys_that_name_two_fails_alone(client, people):
    items = [
        "{TWICE}",
        '{"email": "ada+x@example.com", "command": "unsubscribe", "command": "subscribe"}',
        '{"email": "new@example.com", "email": "NEW@example.com", "x": 1, "x": 2, "query": 1, "query": 2}',
        '{"email": "bob@example.com", "fields": {"email": "x", "email": "y", "tag": {"name": 1, "name": 2}}}',
    ]
    answer = send(client, "POST", "/batch/subscribers", "", listed("subscribers", items))
    answer = response_assertions.answer(answer)
    assert [each["field"] for each in answer["errors"]] == ["subscribers[0].email", "subscribers[1].command"]
    site_lane.drain(client.site.id, 30)
    assert client.find(NEW)["attributes"]["fields"] == {"x": 2, "query": 2}
    assert client.find(BOB)["attributes"]["fields"] == {"email": "y", "tag": {"name": 2}}
    assert client.counts() == (3, 3, 0)


@pytest.mark.parametrize(("path", "body", "status"), [
    ("/fetch/tags", '{"tag": {"name": "vip", "name": " VIP "}}', 201),
    ("/fetch/subscribers", '{"subscriber": {"email": "new@example.com", "plan": 1, "plan": 2}}', 201),
    ("/fetch/subscribers", '{"subscriber": {"email": "a@b.example"}, "subscriber": {"email": "A@b.example"}}',
     201),
    ("/fetch/tags", '{"site_uuid": "HERE", "site_uuid": "HERE", "tag": {"name": "vip"}}', 201),
    ("/fetch/fields", '{"field": {"key": "a", "key": "b", "name": 1, "name": 2}}', 201),
    ("/fetch/fields", '{"field": {"key": "a"}, "type": 1, "type": 2, "x": {"email": 1, "email": 2}}', 201),
    ("/fetch/subscribers", '{"subscriber": {"email": "a@b.example", "x": {"uuid": "a", "uuid": "b"}}}', 201),
])  # fmt: skip
def test_equal_keys_that_name_one_or_nobody_are_taken(client, path, body, status):
    body = body.replace('"HERE"', f'"{client.site.uuid}"', 1).replace("HERE", client.site.uuid.upper())
    response_assertions.answer(send(client, "POST", path, "", body), status)


@pytest.mark.parametrize("body", [
    {"tag": {"name": "other"}}, {"tag": {"name": "other", "id": "1"}}, {"tag": "other"}, {"name": "other"},
    {"tag": {"name": 5}}, {"tag": {"name": {"a": 1}}},
])  # fmt: skip
def test_a_tag_is_not_deleted_by_a_request_that_names_another(client, body):
    client.create(ADA, tags="vip")
    client.post("/fetch/tags", {"tag": {"name": "other"}})
    ids = {each["attributes"]["name"]: each["id"] for each in client.get("/fetch/tags").json["data"]}
    response = client.call("DELETE", f"/fetch/tags/{ids['vip']}", body)
    assert response_assertions.error_fields(response) == ["tag.name"]
    twice = '{"tag": {"name": "vip", "name": "other"}}'
    response_assertions.error(send(client, "DELETE", f"/fetch/tags/{ids['vip']}", "", twice), 422)
    assert len(client.find(ADA)["attributes"]["cached_tag_ids"]) == 1
    response_assertions.error(client.call("DELETE", "/fetch/tags/99", body), 404)
    response_assertions.error(send(client, "DELETE", "/fetch/tags/99", "", twice), 404)
    assert len(client.get("/fetch/tags").json["data"]) == 2


@pytest.mark.parametrize("body", [
    None, {}, {"tag": None}, {"tag": {}}, {"tag": []}, {"tag": ""}, {"tag": {"name": None}},
    {"tag": {"name": " "}}, {"tag": {"name": " VIP "}}, {"tag": "vip"}, {"name": "Vip"}, {"reason": "other"},
])  # fmt: skip
def test_a_tag_is_deleted_by_a_request_that_names_it_or_none(client, body):
    client.create(ADA, tags="vip")
    prepare(client)
    [tag_id] = [
        each["id"] for each in client.get("/fetch/tags").json["data"] if each["attributes"]["name"] == "vip"
    ]
    response_assertions.answer(client.call("DELETE", f"/fetch/tags/{tag_id}", body))
    assert client.find(ADA)["attributes"]["cached_tag_ids"] == []
