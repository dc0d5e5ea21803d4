"""Find subscribers (docs/contract.md, Subscribers)."""

import pytest

from tests import response_assertions
from tests.client import basic


def find(client, query):
    """Sends the query string unchanged."""
    return client.http.get(
        f"/api/v1/fetch/subscribers?{query}",
        headers={"Authorization": basic(client.key.publishable_key, client.key.secret_key)},
    )


@pytest.mark.parametrize("query", [
    "email=Ada%2Bnews%40example.com", "email=ada%2bnews@EXAMPLE.com", "email=%20ada%2Bnews@example.com%20",
    "email=ada%252Bnews%2540example.com", "email=ada%2Bnews%2540example.com",
    "email=ada%2Bnews@example.com&uuid=", "email=other@example.com&uuid={uuid}", "uuid={uuid}",
    "uuid={plain}",
    "uuid={upper}", "email=&uuid={uuid}",
])  # fmt: skip
def test_finds(client, query):
    uuid = client.create("ada+news@example.com")["attributes"]["uuid"]
    query = query.format(uuid=uuid, plain=uuid.replace("-", ""), upper=uuid.upper())
    assert (
        response_assertions.subscriber(response_assertions.answer(find(client, query))["data"])["uuid"]
        == uuid
    )


@pytest.mark.parametrize("query", [
    "", "email=", "uuid=", "email=bob@example.com", "email=nonsense", "email=%00", "email=%ff@example.com",
    "email=a@b@c", "email=" + "a" * 5000 + "@example.com", "uuid=nonsense", "uuid=%00", "uuid=%ed%a0%80",
    "uuid=00000000-0000-4000-8000-000000000000", "email=ada@example.com&uuid=nonsense",
    "email[]=ada@example.com", "email[a]=ada@example.com", "email=ad@example.com", "email=%25", "email=%2540",
])  # fmt: skip
def test_finds_no_subscriber(client, query):
    client.create("ada@example.com")
    assert response_assertions.answer(find(client, query)) == {"data": None}


@pytest.mark.parametrize("body", [
    {"email": None}, {"email": 5}, {"email": {"a": 1}}, {"email": "\ud800@example.com"},
    {"email": "a\0@example.com"},
    {"uuid": 5}, {"uuid": "\ud800"}, {"uuid": "\0"}, {"uuid": ["x"]}, {"email": float("nan")},
    {"uuid": 2**70},
])  # fmt: skip
def test_an_odd_value_in_a_body_finds_no_subscriber(client, body):
    client.create("ada@example.com")
    assert response_assertions.answer(client.get("/fetch/subscribers", body)) == {"data": None}


def test_finds_by_a_body(client):
    client.create("ada@example.com")
    result = response_assertions.answer(client.get("/fetch/subscribers", {"email": "ada@example.com"}))
    assert response_assertions.subscriber(result["data"])["email"] == "ada@example.com"
