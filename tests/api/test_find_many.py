"""Find up to 1,000 subscribers in one request (docs/contract.md, Subscribers)."""

import pytest

from tests import response_assertions


def find(client, **body):
    answer = response_assertions.answer(client.post("/fetch/subscribers/find", body))
    return [row["attributes"]["email"] for row in answer["data"]], answer["meta"]["not_found"]


def test_finds_by_addresses_and_uuids_each_once_in_the_order_of_the_request(client, other_client):
    uuids = [client.create(f"p{number}@example.com")["attributes"]["uuid"] for number in range(4)]
    foreign = other_client.create("q@example.com")["attributes"]["uuid"]
    emails = ["P2@Example.com", " p0@example.com ", "p2@example.com", "gone@example.com", "malformed", ""]
    sent = [uuids[3], uuids[0].replace("-", "").upper(), foreign, "x"]
    found, missing = find(client, emails=emails, uuids=sent)
    assert found == ["p2@example.com", "p0@example.com", "p3@example.com"]
    assert missing == {"emails": ["gone@example.com", "malformed", ""], "uuids": [foreign, "x"]}


def test_an_address_is_decoded_as_in_finding_one(client):
    client.create("a+b@example.com")
    client.create("a@example.com")
    emails = ["a%40example.com", "a b@example.com", "c%40example.com"]
    found, missing = find(client, emails=emails)
    assert (found, missing["emails"]) == (["a@example.com", "a+b@example.com"], emails[2:])


def test_finds_a_thousand(client):
    rows = [{"email": f"p{number}@example.com"} for number in range(3)]
    for row in rows:
        client.create(row["email"])
    emails = [f"p{number}@example.com" for number in range(1_000)]
    found, missing = find(client, emails=emails)
    assert (found, len(missing["emails"])) == (emails[:3], 997)
    assert find(client, emails=[], uuids=["x"]) == ([], {"emails": [], "uuids": ["x"]})


@pytest.mark.parametrize(("body", "fields"), [
    ({}, ["emails"]), ({"emails": []}, ["emails"]), ({"emails": "a@example.com"}, ["emails"]),
    ({"emails": ["a@example.com", {}, None]}, ["emails[1]", "emails[2]"]),
    ({"uuids": ["\ud800"]}, ["uuids[0]"]),
    ({"emails": ["x"] * 1_001}, ["emails"]), ({"uuids": {}}, ["uuids"]),
    ({"emails": [f"{number}" for number in range(600)], "uuids": [f"{number}" for number in range(401)]},
     ["emails"]),
])  # fmt: skip
def test_a_wrong_request_is_refused(client, body, fields):
    answer = client.post("/fetch/subscribers/find", body)
    assert response_assertions.error_fields(answer) == fields
