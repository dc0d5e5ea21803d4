"""Search subscribers (docs/contract.md, Subscribers)."""

from datetime import UTC, datetime
from typing import Any

import pytest

from audience import clock
from audience.operations import site_lane
from tests import response_assertions
from tests.rows import each_row

MINUTE = 60_000
BASE = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
DATES = ["created_at", "updated_at", "last_event_at", "unsubscribed_at"]
SPELLINGS = [  # of the same instant
    "2026-01-01T00:02:00.000Z", "2026-01-01T00:02:00Z", "2026-01-01T00:02Z", "2026-01-01T00:02",
    "20260101T0002Z",
    "2026-01-01 00:02:00", "2026-01-01T02:02:00+02:00", "2026-01-01T02:02:00+0200", "2026-01-01T02:02+02",
    "2025-12-31T19:02:00-05:00", "2026-01-01T00:02:00.000000Z", "2026-01-01T00:02:00.0Z",
    "2026-W01-4T00:02:00Z",
    "2026-01-01T00:02:00,000Z", " 2026-01-01T00:02:00Z ", "2026-01-01T02:02:00 02:00", "2026-01-01t00:02:00z",
    "2026-01-01T00:02:00.000000000Z", "2026-001T00:02:00Z", "2026-01-01T00:02:00-00:00",
]  # fmt: skip
MIDNIGHTS = ["2026-01-02", "20260102", "2026-002", "2026002", "2026-W01-5", "2026-01-01T24:00:00Z", 20260102]
NO_DATES = [
    "yesterday", "now", "2026-13-01", "2026-02-30", "01/02/2026", "1700000000", 1700000000, True, 1.5, 2**70,
    "2026-01-01T25:00", "2026-01-01T00:00:00+99:00", "-2026-01-01", "2026-367", "2026-01-01\0", "\ud800",
    float("nan"), [], ["2026-01-01"], {"a": 1},
]  # fmt: skip


def search(client, **body):
    result = response_assertions.answer(client.post("/fetch/search", body))
    response_assertions.keys(result, "data", "meta")
    response_assertions.keys(
        result["meta"], "page", "query", "per_page", "has_more", "ignored", "next", "change"
    )
    assert result["meta"]["per_page"] == 100
    return result


def emails(result):
    return [response_assertions.subscriber(each)["email"] for each in result["data"]]


def create_subscribers(client, monkeypatch, count=5):
    """One subscriber per minute from midnight on, unsubscribed and active at the same time."""
    for number in range(count):
        monkeypatch.setattr(clock, "now_ms", lambda at=BASE + number * MINUTE: at)
        email = f"p{number}@example.com"
        client.post("/batch/events", {"events": {"email": email, "type": "$unsubscribe"}})
    return [f"p{number}@example.com" for number in range(count)]


def import_subscribers(client, count):
    rows = [{"email": f"p{number}@example.com"} for number in range(count)]
    for start in range(0, count, 1000):
        client.post("/batch/subscribers", {"subscribers": rows[start : start + 1000]})
    site_lane.drain(client.site.id, 30)


@pytest.mark.parametrize("filters", [
    {}, {"created_at": {"gt": "2001-01-01"}}, {"tags": "vip"}, {"email": "ada@example.com"},
    {"updated_at": {"gt": "2001-01-01T00:00:00Z", "lt": "2999-01-01"}, "tags": ["vip"]},
])  # fmt: skip
def test_three_forms_of_a_search_return_the_same(client, filters):
    client.create("ada@example.com", tags="vip")
    query: dict[str, Any] = {}
    for key, value in filters.items():
        match value:
            case dict():
                query |= {f"{key}[{side}]": bound for side, bound in value.items()}
            case list():
                query |= {f"{key}[]": value[0]}
            case _:
                query[key] = value
    body = {"page": 1, **filters}
    answers = [
        response_assertions.answer(response)
        for response in (
            client.post("/fetch/search", body), client.get("/fetch/search", body),
            client.get("/fetch/search", query={"page": "1", **query}),
            client.post("/fetch/search", {}, query={"page": "1", **query}),
            client.get("/fetch/search", filters, query={"page": "1"}),
        )
    ]  # fmt: skip
    assert emails(answers[0]) == ["ada@example.com"]
    assert all(each == answers[0] for each in answers)


def test_pages_of_a_hundred_newest_first(client, monkeypatch):
    monkeypatch.setattr(clock, "now_ms", lambda: BASE)
    import_subscribers(client, 250)
    monkeypatch.setattr(clock, "now_ms", lambda: BASE - MINUTE)
    client.create("oldest@example.com")
    seen = []
    for page, size, more in ((1, 100, True), (2, 100, True), (3, 51, False), (4, 0, False)):
        result = search(client, page=page)
        assert (len(result["data"]), result["meta"]["has_more"], result["meta"]["page"]) == (size, more, page)
        seen += result["data"]
    ids = [int(each["id"]) for each in seen]
    assert seen[-1]["attributes"]["email"] == "oldest@example.com"
    assert ids[:-1] == sorted(ids[:-1], reverse=True)
    assert len({*ids}) == 251


def test_a_last_page_that_is_full_has_no_next_page(client):
    import_subscribers(client, 100)
    assert search(client)["meta"]["has_more"] is False


@pytest.mark.parametrize("page", [1, "1", " 1 ", None, ""])
def test_pages_start_at_one_which_is_the_default(client, page):
    client.create("ada@example.com")
    result = response_assertions.answer(client.post("/fetch/search", {} if page == "" else {"page": page}))
    assert result["meta"] == {
        "page": 1, "query": {}, "per_page": 100, "has_more": False, "ignored": [], "next": None,
        "change": "1",
    }  # fmt: skip
    assert emails(result) == ["ada@example.com"]


@pytest.mark.parametrize("page", [2**62, str(2**62)])
def test_a_page_past_the_end_is_empty(client, page):
    client.create("ada@example.com")
    result = search(client, page=page)
    assert result["data"] == []
    assert result["meta"]["page"] == int(page)


@each_row("page", [
    0, -1, "0", "-1", "x", 1.5, "1.5", True, False, [], [1], {}, {"a": 1}, 2**63, "9" * 30, float("nan"),
    float("inf"), "１", "1\0", "\ud800",
])  # fmt: skip
def test_an_invalid_page_is_a_422(client, page):
    assert response_assertions.error_fields(client.post("/fetch/search", {"page": page})) == ["page"]


@pytest.mark.parametrize("column", DATES)
@pytest.mark.parametrize(("bounds", "expected"), [
    ({"gt": 1}, [2, 3, 4]), ({"lt": 3}, [0, 1, 2]), ({"gt": 0, "lt": 3}, [1, 2]), ({"gt": 4}, []),
    ({"lt": 0}, []),
    ({"gt": 3, "lt": 1}, []),
])  # fmt: skip
def test_bounds_are_exclusive(client, monkeypatch, column, bounds, expected):
    addresses = create_subscribers(client, monkeypatch)
    texts = {side: f"2026-01-01T00:0{minute}:00Z" for side, minute in bounds.items()}
    result = search(client, **{column: texts})
    assert emails(result) == [addresses[number] for number in reversed(expected)]
    normal = {side: text.replace("Z", ".000Z") for side, text in texts.items()}
    assert result["meta"]["query"] == {column: normal}


def test_bounds_are_exact_to_the_millisecond(client, monkeypatch):
    create_subscribers(client, monkeypatch, 1)
    for bound, size in (("2025-12-31T23:59:59.999Z", 1), ("2026-01-01T00:00:00.000Z", 0)):
        assert len(search(client, created_at={"gt": bound})["data"]) == size


def test_a_subscriber_without_the_date_matches_no_bound(client):
    client.create("ada@example.com")
    for column in ("last_event_at", "unsubscribed_at"):
        for side in ("gt", "lt"):
            assert search(client, **{column: {side: "2500-01-01"}})["data"] == []


def test_filters_are_joined_by_and(client, monkeypatch):
    addresses = create_subscribers(client, monkeypatch)
    client.create(addresses[2], tags="vip,new")
    client.create(addresses[3], tags="vip")
    cases: list[tuple[dict[str, Any], list[int]]] = [
        ({"tags": "VIP"}, [3, 2]),
        ({"tags": "vip, new"}, [2]),
        ({"tags": ["vip", "none"]}, []),
        ({"tags": "vip", "created_at": {"lt": "2026-01-01T00:03Z"}}, [2]),
        ({"email": " P3@example.com "}, [3]),
        ({"email": "p3@example.com", "tags": "new"}, []),
        ({"email": "nonsense"}, []),
        ({"unsubscribed_at": {"gt": "2026-01-01T00:01Z"}, "last_event_at": {"lt": "2026-01-01T00:03Z"}}, [2]),
    ]
    for body, expected in cases:
        assert emails(search(client, **body)) == [addresses[number] for number in expected]


@each_row("text", SPELLINGS)
def test_every_spelling_of_a_date_time(client, text):
    assert search(client, created_at={"gt": text})["meta"]["query"] == {
        "created_at": {"gt": "2026-01-01T00:02:00.000Z"}
    }


@each_row("text", MIDNIGHTS)
def test_every_spelling_of_a_date(client, text):
    assert search(client, updated_at={"lt": text})["meta"]["query"] == {
        "updated_at": {"lt": "2026-01-02T00:00:00.000Z"}
    }


@each_row("value", NO_DATES)
@pytest.mark.parametrize("column", DATES)
def test_a_bad_date_is_a_422(client, column, value):
    assert response_assertions.error_fields(client.post("/fetch/search", {column: {"gt": value}})) == [
        f"{column}.gt"
    ]


@pytest.mark.parametrize("text", [
    "0001-01-01T00:00:00+14:00", "0001-01-01", "9999-12-31T23:59:59.999-14:00", "9999-12-31T23:59:59.999Z",
    "1969-07-20",
])  # fmt: skip
def test_extreme_dates_are_accepted_or_refused(client, text):
    client.create("ada@example.com")
    response = client.post("/fetch/search", {"created_at": {"lt": text}})
    if response.status_code == 422:
        assert response_assertions.error_fields(response) == ["created_at.lt"]
    else:
        response_assertions.date(response_assertions.answer(response)["meta"]["query"]["created_at"]["lt"])


@pytest.mark.parametrize(("body", "fields"), [
    ({"created_at": "2026-01-01"}, ["created_at"]), ({"created_at": 5}, ["created_at"]),
    ({"created_at": [1]}, ["created_at"]), ({"tags": {"a": 1}}, ["tags"]), ({"tags": [{}]}, ["tags"]),
    ({"email": {}}, ["email"]), ({"email": ["a"]}, ["email"]), ({"tags": "a\0"}, ["tags"]),
    ({"field": {"v": "1", " v": "2"}}, ["field. v"]), ({"field": {"v": "", " v": "2"}}, ["field. v"]),
    ({"page": 0, "created_at": {"gt": "x", "lt": "y"}}, ["page", "created_at.gt", "created_at.lt"]),
])  # fmt: skip
def test_a_malformed_body_is_a_422_that_names_each_field(client, body, fields):
    assert sorted(response_assertions.error_fields(client.post("/fetch/search", body))) == sorted(fields)


@pytest.mark.parametrize("body", [
    {"created_at": {}}, {"created_at": {"gt": None}}, {"tags": ""}, {"tags": []}, {"email": None},
    {"email": ""}, {"email": " "}, {"segment_id": ""}, {"segment_id": " "},
    {"junk": 1},
])  # fmt: skip
def test_an_empty_filter_is_ignored(client, body):
    client.create("ada@example.com")
    result = search(client, **body)
    assert emails(result) == ["ada@example.com"]
    assert result["meta"]["query"] == {}


def test_a_blank_filter_in_the_query_is_ignored(client):
    client.create("ada@example.com")
    result = response_assertions.answer(client.get("/fetch/search", query={"email": " ", "segment_id": " "}))
    assert emails(result) == ["ada@example.com"]
    assert result["meta"]["query"] == {}


@pytest.mark.parametrize("key", ["created_at[gt][]", "created_at[gt][x]", "tags[][x]", "tags[x][y]"])
def test_a_filter_nested_too_deeply_in_the_query_is_not_ignored(client, key):
    client.create("ada@example.com")
    field = key.partition("[")[0]
    assert response_assertions.error_fields(client.get("/fetch/search", query={key: "2020-01-01"})) == [field]


def test_the_body_overrides_the_query(client):
    result = response_assertions.answer(client.get("/fetch/search", {"page": 2}, query={"page": "3"}))
    assert result["meta"]["page"] == 2


def test_a_search_finds_no_subscriber_of_another_site(client, other_client):
    client.create("ada@example.com", tags="vip")
    for body in ({}, {"email": "ada@example.com"}, {"tags": "vip"}):
        assert search(other_client, **body)["data"] == []


@pytest.mark.parametrize("name", ["tags", "tag_names"])
def test_a_tag_of_invisible_characters_alone_is_nobodys(client, name):
    client.create("ann@example.com", tags="vip")
    for text, found in (("\u200b", 0), ("\u200b\u0007", 0), ("vip\u200b", 1), (" ", 1), ("", 1)):
        for sent in (text, [text]):
            page = client.post("/fetch/search", {name: sent}).json
            assert len(page["data"]) == found, (text, sent)
    assert client.post("/fetch/search", {"tags": "vip,\u200b"}).json["data"] == []
