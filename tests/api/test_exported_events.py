"""Events as JSON lines, by GET /fetch/export?of=events (docs/contract.md, Subscribers)."""

import json

import pytest

from audience.access import audit_log
from audience.searches import exports
from tests import response_assertions


def exported(client, **query):
    answer = client.get("/fetch/export", query={"of": "events", **query})
    assert (answer.status_code, answer.content_type) == (200, "application/x-ndjson"), answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def record(client, *emails):
    rows = [
        {"email": email, "type": "visit", "details": {"page": email}, "date": "2026-01-02"}
        for email in emails
    ]
    assert client.post("/batch/events", {"events": rows}).json["failed"] == 0


def test_events_come_in_the_order_of_their_ids(client, other_client, monkeypatch):
    monkeypatch.setattr(exports, "PAGE_SIZE", 2)
    emails = [f"p{number}@example.com" for number in range(5)]
    record(client, *emails)
    record(other_client, "q@example.com")
    rows = exported(client)
    assert [row["email"] for row in rows] == emails
    assert list(rows[0]) == ["id", "uuid", "email", "type", "date", "details", "created_at"]
    first = client.find(emails[0])
    assert first is not None
    assert (rows[0]["uuid"], rows[0]["details"]) == (first["attributes"]["uuid"], {"page": emails[0]})
    assert rows[0]["date"] == "2026-01-02T00:00:00.000Z"
    for number, row in enumerate(rows):
        assert exported(client, after=row["id"]) == rows[number + 1 :]
    assert "events exported" in audit_log.page(client.site)[0]


def test_no_event_comes_twice_or_is_missing_while_events_are_added(client, monkeypatch):
    monkeypatch.setattr(exports, "PAGE_SIZE", 3)
    emails = [f"p{number}@example.com" for number in range(4)]
    record(client, *emails)
    rows: list[dict[str, str]] = []
    while len(rows) < 12:
        new = exported(client, after=rows[-1]["id"] if rows else "0")
        rows += new
        record(client, *emails)
    assert [row["email"] for row in rows] == emails * (len(rows) // 4)
    assert len({row["id"] for row in rows}) == len(rows)


def test_the_events_of_erased_people_are_gone(client):
    record(client, "ann@example.com", "bob@example.com")
    client.delete("/fetch/subscribers", query={"email": "bob@example.com"})
    assert [row["email"] for row in exported(client)] == ["ann@example.com"]
    record(client, "cy@example.com")
    assert [row["id"] for row in exported(client)] == ["1", "3"]
    client.delete("/fetch/subscribers", query={"email": "cy@example.com"})
    record(client, "di@example.com")
    assert [row["email"] for row in exported(client, after="3")] == ["di@example.com"]


@pytest.mark.parametrize(("query", "field"), [
    ({"after": "x"}, "after"), ({"after": "-1"}, "after"), ({"after": "9" * 19}, "after"),
    ({"after": "5"}, "after"),
    ({"format": "csv"}, "format"), ({"segment_id": "1"}, "segment_id"), ({"links": "1"}, "links"),
    ({"of": "tags"}, "of"),
])  # fmt: skip
def test_a_wrong_request_is_refused(client, query, field):
    record(client, "ann@example.com")
    answer = client.get("/fetch/export", query={"of": "events", **query})
    assert response_assertions.error_fields(answer) == [field]


def test_an_export_of_subscribers_passes_over_after(client):
    client.create("ann@example.com")
    assert client.get("/fetch/export", query={"after": "x"}).data.count(b"\n") == 2
