"""Large requests: those within the limits succeed, others are refused."""

import apsw
import pytest

from audience.operations import site_lane
from storage.engines.sqlite_pool import SqlitePool
from tests import response_assertions
from tests.depth import examples

ADA = "ada@example.com"
MOST = 10_000  # tags, and custom values, of one row
VARIABLES = examples(250_000)  # that a statement may have: 250,000 unless a test says less
MANY = VARIABLES + VARIABLES // 25


@pytest.fixture(autouse=True)
def fewer_variables(monkeypatch):
    add = SqlitePool._add_conn_hooks

    def add_limited(pool, connection):
        add(pool, connection)
        connection.limit(apsw.SQLITE_LIMIT_VARIABLE_NUMBER, VARIABLES)

    monkeypatch.setattr(SqlitePool, "_add_conn_hooks", add_limited)


def names(start, count):
    return [f"t{number}" for number in range(start, start + count)]


@pytest.mark.parametrize("key", ["tags", "remove_tags"])
def test_an_import_with_many_tags(client, key):
    rows = [
        {"email": f"p{row}@example.com", key: names(row * MANY // 500, MANY // 500)} for row in range(500)
    ]
    answer = response_assertions.answer(client.post("/batch/subscribers", {"subscribers": rows}))
    site_lane.drain(client.site.id, 60)
    followed = response_assertions.import_(client.get(f"/batch/imports/{answer['import_id']}").json["data"])
    assert (followed["status"], followed["created"]) == ("finished", 500)
    assert len(client.get("/fetch/tags").json["data"]) == (MANY if key == "tags" else 0)


def test_a_subscriber_with_as_many_tags_and_fields_as_one_row_may_have(client):
    item = {"email": ADA, "tags": ",".join(names(0, MOST)), "fields": dict.fromkeys(names(0, MOST), 1)}
    response_assertions.answer(client.post("/batch/subscribers", {"subscribers": [item]}))
    subscriber = client.find(ADA)
    assert len(subscriber["attributes"]["cached_tag_ids"]) == MOST
    assert len(subscriber["attributes"]["fields"]) == MOST
    assert len(client.get("/fetch/fields").json["data"]) == MOST


TOO_MANY = {
    "tags": names(0, MOST + 1),
    "remove_tags": ",".join(names(0, MOST + 1)),
    "fields": dict.fromkeys(names(0, MOST + 1), "x"),
}


@pytest.mark.parametrize("key", TOO_MANY)
def test_a_row_with_more_is_refused_alone(client, key):
    rows = [{"email": ADA, key: TOO_MANY[key]}, {"email": "bob@example.com"}]
    answer = response_assertions.answer(client.post("/batch/subscribers", {"subscribers": rows}))
    assert (answer["results"], answer["failed"]) == (1, 1)
    assert [error["field"] for error in answer["errors"]] == [f"subscribers[0].{key}"]
    assert "10,000" in answer["errors"][0]["message"]
    assert client.find(ADA) is None


def test_further_keys_count_with_the_fields(client):
    item = {"email": ADA, **dict.fromkeys(names(0, MOST // 2), 1)}
    item["fields"] = dict.fromkeys(names(MOST // 2, MOST // 2 + 1), 1)
    response = client.post("/fetch/subscribers", {"subscriber": item})
    assert response_assertions.error_fields(response) == ["subscriber.fields"]


def test_an_event_with_more_is_refused(client):
    event = {"email": ADA, "type": "visit", "fields": TOO_MANY["fields"]}
    answer = response_assertions.answer(client.post("/batch/events", {"events": [event]}))
    assert (answer["results"], answer["failed"]) == (0, 1)


def test_events_that_bring_more_values_together_are_refused_alone(client):
    """They are written in one transaction, while others wait."""
    fields = dict.fromkeys(names(0, 5_000), 1)
    events = [{"email": f"p{number}@example.com", "type": "visit", "fields": fields} for number in range(12)]
    events.append({"email": ADA, "type": "visit", "fields": {"plan": "pro"}})
    answer = response_assertions.answer(client.post("/batch/events", {"events": events}))
    assert (answer["results"], answer["failed"]) == (10, 3)
    assert [error["field"] for error in answer["errors"]] == [
        f"events[{each}].fields" for each in (10, 11, 12)
    ]
    assert "50,000" in answer["errors"][0]["message"]
    assert client.find("p9@example.com")
    assert client.find("p10@example.com") is None


def test_a_search_for_many_tags(client):
    client.create(ADA, tags=names(0, 101))
    response = client.post("/fetch/search", {"tags": names(0, 100)})
    assert len(response_assertions.answer(response)["data"]) == 1
    assert response_assertions.error_fields(client.post("/fetch/search", {"tags": names(0, 101)})) == ["tags"]
    response_assertions.error(client.post("/fetch/search", {"tags": names(0, 260_000)}), 413)


def test_a_long_value_is_returned_complete(client):
    text = "é👋" * 5_000
    assert client.create(ADA, first_name=text, fields={"note": text})["attributes"]["fields"]["note"] == text
    assert response_assertions.subscriber(client.find(ADA))["first_name"] == text
