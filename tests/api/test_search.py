"""Search people (spec section 4.10, contract section 2)."""

from datetime import UTC, datetime

import pytest

from audience import clock, imports
from tests import shapes

MINUTE = 60_000
BASE = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
DATES = ["created_at", "updated_at", "last_event_at", "unsubscribed_at"]
SPELLINGS = [  # of one instant
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


def search(door, **body):
    found = shapes.answer(door.post("/fetch/search", body))
    shapes.keys(found, "data", "meta")
    shapes.keys(found["meta"], "page", "query", "per_page", "has_more")
    assert found["meta"]["per_page"] == 100
    return found


def emails(found):
    return [shapes.subscriber(each)["email"] for each in found["data"]]


def people(door, monkeypatch, count=5):
    """One person a minute, from midnight on; each unsubscribed then, and seen."""
    for number in range(count):
        monkeypatch.setattr(clock, "now", lambda at=BASE + number * MINUTE: at)
        email = f"p{number}@example.com"
        door.post("/batch/events", {"events": {"email": email, "type": "$unsubscribe"}})
    return [f"p{number}@example.com" for number in range(count)]


def import_people(door, count):
    rows = [{"email": f"p{number}@example.com"} for number in range(count)]
    for start in range(0, count, 1000):
        door.post("/batch/subscribers", {"subscribers": rows[start : start + 1000]})
    imports.drain(door.site.id, 30)


@pytest.mark.parametrize("filters", [
    {}, {"created_at": {"gt": "2001-01-01"}}, {"tags": "vip"}, {"email": "ada@example.com"},
    {"updated_at": {"gt": "2001-01-01T00:00:00Z", "lt": "2999-01-01"}, "tags": ["vip"]},
])  # fmt: skip
def test_three_forms_of_a_search_answer_the_same(door, filters):
    door.create("ada@example.com", tags="vip")
    query = {}
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
        shapes.answer(response)
        for response in (
            door.post("/fetch/search", body), door.get("/fetch/search", body),
            door.get("/fetch/search", query={"page": "1", **query}),
            door.post("/fetch/search", {}, query={"page": "1", **query}),
            door.get("/fetch/search", filters, query={"page": "1"}),
        )
    ]  # fmt: skip
    assert emails(answers[0]) == ["ada@example.com"]
    assert all(each == answers[0] for each in answers)


def test_pages_of_a_hundred_newest_first(door, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: BASE)
    import_people(door, 250)
    monkeypatch.setattr(clock, "now", lambda: BASE - MINUTE)
    door.create("oldest@example.com")
    seen = []
    for page, size, more in ((1, 100, True), (2, 100, True), (3, 51, False), (4, 0, False)):
        found = search(door, page=page)
        assert (len(found["data"]), found["meta"]["has_more"], found["meta"]["page"]) == (size, more, page)
        seen += found["data"]
    ids = [int(each["id"]) for each in seen]
    assert seen[-1]["attributes"]["email"] == "oldest@example.com"
    assert ids[:-1] == sorted(ids[:-1], reverse=True)
    assert len({*ids}) == 251


def test_a_page_that_is_just_full_has_no_more(door):
    import_people(door, 100)
    assert search(door)["meta"]["has_more"] is False


@pytest.mark.parametrize("page", [1, "1", " 1 ", None, ""])
def test_page_counts_from_one_which_is_the_default(door, page):
    door.create("ada@example.com")
    found = shapes.answer(door.post("/fetch/search", {} if page == "" else {"page": page}))
    assert found["meta"] == {"page": 1, "query": {}, "per_page": 100, "has_more": False}
    assert emails(found) == ["ada@example.com"]


@pytest.mark.parametrize("page", [2**40, str(2**40)])
def test_past_the_end_the_data_is_empty(door, page):
    door.create("ada@example.com")
    found = search(door, page=page)
    assert found["data"] == []
    assert found["meta"]["page"] == int(page)


@pytest.mark.parametrize("page", [
    0, -1, "0", "-1", "x", 1.5, "1.5", True, False, [], [1], {}, {"a": 1}, 2**63, "9" * 30, float("nan"),
    float("inf"), "１", "1\0", "\ud800",
])  # fmt: skip
def test_a_page_that_is_none_is_a_422(door, page):
    assert shapes.error_fields(door.post("/fetch/search", {"page": page})) == ["page"]


@pytest.mark.parametrize("column", DATES)
@pytest.mark.parametrize(("bounds", "expected"), [
    ({"gt": 1}, [2, 3, 4]), ({"lt": 3}, [0, 1, 2]), ({"gt": 0, "lt": 3}, [1, 2]), ({"gt": 4}, []),
    ({"lt": 0}, []),
    ({"gt": 3, "lt": 1}, []),
])  # fmt: skip
def test_bounds_are_exclusive(door, monkeypatch, column, bounds, expected):
    addresses = people(door, monkeypatch)
    texts = {side: f"2026-01-01T00:0{minute}:00Z" for side, minute in bounds.items()}
    found = search(door, **{column: texts})
    assert emails(found) == [addresses[number] for number in reversed(expected)]
    normal = {side: text.replace("Z", ".000Z") for side, text in texts.items()}
    assert found["meta"]["query"] == {column: normal}


def test_a_millisecond_counts(door, monkeypatch):
    people(door, monkeypatch, 1)
    for bound, size in (("2025-12-31T23:59:59.999Z", 1), ("2026-01-01T00:00:00.000Z", 0)):
        assert len(search(door, created_at={"gt": bound})["data"]) == size


def test_who_has_no_such_date_matches_no_bound(door):
    door.create("ada@example.com")
    for column in ("last_event_at", "unsubscribed_at"):
        for side in ("gt", "lt"):
            assert search(door, **{column: {side: "2500-01-01"}})["data"] == []


def test_filters_are_joined_by_and(door, monkeypatch):
    addresses = people(door, monkeypatch)
    door.create(addresses[2], tags="vip,new")
    door.create(addresses[3], tags="vip")
    for body, expected in [
        ({"tags": "VIP"}, [3, 2]),
        ({"tags": "vip, new"}, [2]),
        ({"tags": ["vip", "none"]}, []),
        ({"tags": "vip", "created_at": {"lt": "2026-01-01T00:03Z"}}, [2]),
        ({"email": " P3@example.com "}, [3]),
        ({"email": "p3@example.com", "tags": "new"}, []),
        ({"email": "nonsense"}, []),
        ({"unsubscribed_at": {"gt": "2026-01-01T00:01Z"}, "last_event_at": {"lt": "2026-01-01T00:03Z"}}, [2]),
    ]:
        assert emails(search(door, **body)) == [addresses[number] for number in expected]


@pytest.mark.parametrize("text", SPELLINGS)
def test_every_spelling_of_a_date_time(door, text):
    assert search(door, created_at={"gt": text})["meta"]["query"] == {
        "created_at": {"gt": "2026-01-01T00:02:00.000Z"}
    }


@pytest.mark.parametrize("text", MIDNIGHTS)
def test_every_spelling_of_a_date(door, text):
    assert search(door, updated_at={"lt": text})["meta"]["query"] == {
        "updated_at": {"lt": "2026-01-02T00:00:00.000Z"}
    }


@pytest.mark.parametrize("value", NO_DATES, ids=repr)
@pytest.mark.parametrize("column", DATES)
def test_a_bad_date_is_a_422(door, column, value):
    assert shapes.error_fields(door.post("/fetch/search", {column: {"gt": value}})) == [f"{column}.gt"]


@pytest.mark.parametrize("text", [
    "0001-01-01T00:00:00+14:00", "0001-01-01", "9999-12-31T23:59:59.999-14:00", "9999-12-31T23:59:59.999Z",
    "1969-07-20",
])  # fmt: skip
def test_the_ends_of_time_are_bounds_or_refused(door, text):
    door.create("ada@example.com")
    response = door.post("/fetch/search", {"created_at": {"lt": text}})
    if response.status_code == 422:
        assert shapes.error_fields(response) == ["created_at.lt"]
    else:
        shapes.date(shapes.answer(response)["meta"]["query"]["created_at"]["lt"])


@pytest.mark.parametrize(("body", "fields"), [
    ({"created_at": "2026-01-01"}, ["created_at"]), ({"created_at": 5}, ["created_at"]),
    ({"created_at": [1]}, ["created_at"]), ({"tags": {"a": 1}}, ["tags"]), ({"tags": [{}]}, ["tags"]),
    ({"email": {}}, ["email"]), ({"email": ["a"]}, ["email"]), ({"tags": "a\0"}, ["tags"]),
    ({"page": 0, "created_at": {"gt": "x", "lt": "y"}}, ["page", "created_at.gt", "created_at.lt"]),
])  # fmt: skip
def test_the_wrong_form_is_a_422_that_names_each_place(door, body, fields):
    assert sorted(shapes.error_fields(door.post("/fetch/search", body))) == sorted(fields)


@pytest.mark.parametrize("body", [
    {"created_at": {}}, {"created_at": {"gt": None}}, {"tags": ""}, {"tags": []}, {"email": None},
    {"email": ""}, {"email": " "}, {"segment_id": ""}, {"segment_id": " "},
    {"junk": 1},
    {"created_at": {"gte": "x"}},
])  # fmt: skip
def test_an_empty_filter_is_none(door, body):
    door.create("ada@example.com")
    found = search(door, **body)
    assert emails(found) == ["ada@example.com"]
    assert found["meta"]["query"] == {}


def test_a_blank_filter_in_the_query_is_none(door):
    door.create("ada@example.com")
    found = shapes.answer(door.get("/fetch/search", query={"email": " ", "segment_id": " "}))
    assert emails(found) == ["ada@example.com"]
    assert found["meta"]["query"] == {}


def test_the_body_wins_over_the_query(door):
    found = shapes.answer(door.get("/fetch/search", {"page": 2}, query={"page": "3"}))
    assert found["meta"]["page"] == 2


def test_a_stranger_finds_nobody(door, stranger):
    door.create("ada@example.com", tags="vip")
    for body in ({}, {"email": "ada@example.com"}, {"tags": "vip"}):
        assert search(stranger, **body)["data"] == []
