"""The record of changes, as it is read (docs/contract.md, Changes)."""

import pytest

from audience.operations import site_lane
from tests import response_assertions

ANN, BOB = "ann@example.com", "bob@example.com"


def read(client, after=0, **query):
    answer = response_assertions.answer(client.get("/fetch/changes", query={"after": after, **query}))
    return [each["attributes"] | {"id": int(each["id"])} for each in answer["data"]]


def newest(client):
    return response_assertions.answer(client.get("/fetch/changes"))["meta"]["newest"]


def run(client, *commands):
    return client.post("/fetch/commands", {"command": list(commands)})


def said(entry):
    return entry["kind"], entry["source"]["type"], entry["email"]


def test_a_person_is_created_changed_and_erased(client):
    client.create(ANN, first_name="Ann", tags="vip", fields={"plan": "pro"})
    run(client, {"command": "remove_field", "email": ANN, "query": "plan"})
    run(client, {"command": "add_tag", "email": ANN, "query": "new"})
    run(client, {"command": "remove_tag", "email": ANN, "query": "vip"})
    client.create(ANN, first_name="Anna")
    run(client, {"command": "unsubscribe", "email": ANN}, {"command": "unsubscribe", "email": ANN})
    run(client, {"command": "subscribe", "email": ANN})
    run(client, {"command": "change_email", "email": ANN, "query": BOB})
    created, removed, added, untagged, renamed, left, back, moved = read(client)
    assert said(created) == ("created", "api", BOB)  # as it is now
    assert created["changed"]["tags_added"] == ["new"]
    assert created["changed"]["tags_removed"] == []
    assert created["changed"]["email"] == BOB
    assert removed["changed"].pop("updated_at")
    assert removed["changed"] == {"fields": {"plan": None}}
    assert added["changed"]["tags_added"] == ["new"]
    assert untagged["changed"]["tags_removed"] == ["vip"]
    assert renamed["changed"]["first_name"] == "Anna"
    assert said(left)[:2] == ("unsubscribed", "command")
    assert left["changed"]["unsubscribed_at"] <= left["at"]
    assert back["changed"]["unsubscribed_at"] is None
    assert said(back)[0] == "subscribed"
    assert moved["changed"]["email"] == BOB
    assert created["source"] == {"type": "api", "id": client.key.publishable_key}
    client.delete("/fetch/subscribers", query={"email": BOB})
    gone = read(client)
    assert {(each["kind"], each["email"], str(each["changed"])) for each in gone} == {("erased", None, "{}")}
    assert {each["uuid"] for each in gone} == {created["uuid"]}
    assert [each["id"] for each in gone] == list(range(1, 10))


def test_reading_on_skips_and_repeats_nothing(client):
    items = [{"email": f"p{number}@example.com"} for number in range(7)]
    client.post("/batch/subscribers", {"subscribers": items})
    site_lane.drain(client.site.id, 30)
    client.create(ANN)
    place, seen = 0, []
    while True:
        answer = client.get("/fetch/changes", query={"after": place, "limit": 3}).json
        seen += [int(each["id"]) for each in answer["data"]]
        place = int(answer["meta"]["next"])
        if not answer["meta"]["has_more"]:
            break
    assert seen == list(range(1, 9))
    assert answer["meta"] == {"next": "8", "has_more": False, "newest": "8", "oldest": "1"}
    assert read(client, 8) == []
    assert response_assertions.answer(client.get("/fetch/changes"))["data"] == []


def test_one_entry_for_each_person_of_a_write_net(client):
    client.create(ANN, tags="old")
    client.create(BOB)
    client.post("/batch/events", {"events": [
        {"email": ANN, "type": "$tag", "details": {"tag": "new"}},
        {"email": ANN, "type": "$remove_tag", "details": {"tag": "old"}},
        {"email": ANN, "type": "$unsubscribe"},
        {"email": BOB, "type": "visit", "fields": {"a": 1}},
        {"email": BOB, "type": "visit", "fields": {"a": 2}},
    ]})  # fmt: skip
    ann, bob = read(client, 2)
    assert (ann["kind"], bob["kind"]) == ("unsubscribed", "updated")
    assert (ann["changed"]["tags_added"], ann["changed"]["tags_removed"]) == (["new"], ["old"])
    assert bob["changed"]["fields"] == {"a": 2}
    assert ann["source"] == {"type": "event", "id": client.key.publishable_key}


def test_commands_on_one_person_are_one_entry(client):
    client.create(ANN, tags="old", fields={"a": 1, "b": 1})
    run(
        client,
        {"command": "add_tag", "email": ANN, "query": "new"},
        {"command": "remove_tag", "email": ANN, "query": "old"},
        {"command": "add_field", "email": ANN, "query": {"key": "a", "value": 2}},
        {"command": "add_field", "email": ANN, "query": {"key": "b", "value": 2}},
        {"command": "change_email", "email": ANN, "query": BOB},
        {"command": "add_tag", "email": BOB, "query": "old"},
        {"command": "remove_tag", "email": BOB, "query": "new"},
        {"command": "add_tag", "email": BOB, "query": "more"},
        {"command": "add_field", "email": BOB, "query": {"key": "a", "value": 1}},
        {"command": "add_tag", "email": "cy@example.com", "query": "x"},
        {"command": "change_email", "email": "cy@example.com", "query": "dy@example.com"},
        {"command": "unsubscribe", "email": "dy@example.com"},
    )
    new, bob = read(client, 1)
    assert (new["kind"], new["email"]) == ("unsubscribed", "dy@example.com")
    assert bob["changed"].pop("updated_at")
    assert bob["changed"] == {"email": BOB, "fields": {"b": 2}, "tags_added": ["more"]}


def test_what_changes_nothing_has_no_entry(client):
    client.create(ANN, tags="vip")
    client.create(ANN, tags="vip")
    run(client, {"command": "unsubscribe", "email": ANN})
    run(client, {"command": "unsubscribe", "email": ANN})
    client.delete("/fetch/subscribers", query={"email": "nobody@example.com"})
    assert [each["kind"] for each in read(client)] == ["created", "unsubscribed"]
    assert newest(client) == "2"


@pytest.mark.parametrize(("before", "kind"), [
    ({"command": "unsubscribe"}, "unsubscribed"), ({"command": "subscribe"}, "created"), ({}, "created"),
])  # fmt: skip
def test_who_comes_in_as_left_is_unsubscribed(client, before, kind):
    client.post("/batch/subscribers", {"subscribers": [{"email": ANN, **before}]})
    [entry] = read(client)
    assert (entry["kind"], entry["source"]) == (kind, {"type": "import", "id": "1"})
    assert set(entry["changed"]) == {
        "email", "first_name", "last_name", "fields", "tags_added", "tags_removed", "created_at",
        "updated_at", "last_event_at", "unsubscribed_at",
    }  # fmt: skip


def test_who_was_erased_and_subscribes_is_subscribed(client):
    client.create(ANN)
    client.delete("/fetch/subscribers", query={"email": ANN})
    run(client, {"command": "subscribe", "email": ANN})
    created, erased, back = read(client)
    assert [each["kind"] for each in (created, erased, back)] == ["erased", "erased", "subscribed"]
    assert back["email"] == ANN
    assert back["uuid"] != erased["uuid"]


def test_who_was_known_as_left_and_subscribes_by_several_commands_is_subscribed(client):
    client.create(BOB)
    client.create(ANN)
    run(
        client,
        {"command": "unsubscribe", "email": ANN},
        {"command": "change_email", "email": ANN, "query": "cy@example.com"},
    )
    place = newest(client)
    run(
        client,
        {"command": "add_tag", "email": ANN, "query": "vip"},
        {"command": "change_email", "email": BOB, "query": "dy@example.com"},
        {"command": "subscribe", "email": ANN},
    )
    assert {each["email"]: each["kind"] for each in read(client, place)} == {
        ANN: "subscribed",
        "dy@example.com": "updated",
    }


def test_a_deleted_tag_keeps_its_name(client):
    tag_id = client.create(ANN, tags="vip")["attributes"]["cached_tag_ids"][0]
    client.delete(f"/fetch/tags/{tag_id}")
    _, untagged = read(client)
    assert untagged["changed"]["tags_removed"] == ["vip"]
    assert untagged["source"] == {"type": "api", "id": client.key.publishable_key}
    assert read(client)[0]["changed"]["tags_added"] == []


def test_a_place_that_is_not_kept_is_refused(client, other_client):
    client.create(ANN)
    for after in ("2", "99999999999"):
        problem = response_assertions.error(client.get("/fetch/changes", query={"after": after}), 422)
        assert [field for field, _ in problem] == ["after"]
    for query in ({"after": "x"}, {"after": "-1"}, {"after": 0, "limit": 0}, {"after": 0, "limit": 1001}):
        response_assertions.error(client.get("/fetch/changes", query=query), 422)
    assert read(other_client) == []


def test_without_a_number_only_the_newest_is_told(client):
    client.create(ANN)
    for query in ({}, {"after": ""}):
        answer = response_assertions.answer(client.get("/fetch/changes", query=query))
        assert (answer["data"], answer["meta"]["next"], answer["meta"]["newest"]) == ([], "1", "1")


def test_exports_and_searches_carry_the_number_that_they_are_true_for(client):
    client.create(ANN)
    client.create(BOB)
    assert client.get("/fetch/export").headers["X-Audience-Change"] == "2"
    assert client.get("/fetch/search").json["meta"]["change"] == "2"


def test_a_history_says_what_changed_when_and_by_what(client, other_client):
    uuid = client.create(ANN)["attributes"]["uuid"]
    client.post("/batch/subscribers", {"subscribers": [{"email": ANN, "first_name": "Ann"}]})
    run(client, {"command": "unsubscribe", "email": ANN})
    path = f"/fetch/subscribers/{uuid}/events"
    assert "history" not in response_assertions.answer(client.get(path))
    history = response_assertions.answer(client.get(path, query={"history": "1"}))["history"]
    key = client.key.publishable_key
    assert history["created_by"] == {"type": "api", "id": key}
    assert [each["attributes"]["source"] for each in history["changes"]] == [
        {"type": "command", "id": key},
        {"type": "import", "id": "1"},
    ]
    assert history["changes"] == client.get("/fetch/changes", query={"after": 1}).json["data"][::-1]
    [left] = history["consents"]
    assert (left["subscribed"], left["source"], left["reason"]) == (
        False, {"type": "command", "id": key}, "word",
    )  # fmt: skip
    response_assertions.error(other_client.get(path, query={"history": "1"}), 404)
