"""Large requests: those within the limits succeed, others are refused."""

import pytest

from audience import imports
from tests import response_assertions

ADA = "ada@example.com"
MANY = 260_000  # above the limit of variables in a statement (250,000)


def names(start, count):
    return [f"t{number}" for number in range(start, start + count)]


@pytest.mark.parametrize("key", ["tags", "remove_tags"])
def test_an_import_with_many_tags(client, key):
    rows = [
        {"email": f"p{row}@example.com", key: names(row * MANY // 500, MANY // 500)} for row in range(500)
    ]
    answer = response_assertions.answer(client.post("/batch/subscribers", {"subscribers": rows}))
    imports.drain(client.site.id, 60)
    followed = response_assertions.import_(client.get(f"/batch/imports/{answer['import_id']}").json["data"])
    assert (followed["status"], followed["created"]) == ("finished", 500)
    assert len(client.get("/fetch/tags").json["data"]) == (MANY if key == "tags" else 0)


def test_a_subscriber_with_many_tags_and_fields(client):
    item = {"email": ADA, "tags": ",".join(names(0, MANY)), "fields": dict.fromkeys(names(0, MANY), 1)}
    response_assertions.answer(client.post("/batch/subscribers", {"subscribers": [item]}))
    subscriber = client.find(ADA)
    assert len(subscriber["attributes"]["cached_tag_ids"]) == MANY
    assert len(subscriber["attributes"]["fields"]) == MANY
    assert len(client.get("/fetch/fields").json["data"]) == MANY


def test_a_search_for_many_tags(client):
    client.create(ADA, tags=names(0, 101))
    response = client.post("/fetch/search", {"tags": names(0, 100)})
    assert len(response_assertions.answer(response)["data"]) == 1
    assert response_assertions.error_fields(client.post("/fetch/search", {"tags": names(0, 101)})) == ["tags"]
    response_assertions.error(client.post("/fetch/search", {"tags": names(0, MANY)}), 413)


def test_a_long_value_is_returned_complete(client):
    text = "é👋" * 5_000
    assert client.create(ADA, first_name=text, fields={"note": text})["attributes"]["fields"]["note"] == text
    assert response_assertions.subscriber(client.find(ADA))["first_name"] == text
