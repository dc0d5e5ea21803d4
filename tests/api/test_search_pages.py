"""Search: sizes of pages, cursors, orders, and the filters by status and custom field."""

import pytest

from audience import clock
from tests import response_assertions
from tests.api.test_search import BASE, MINUTE, emails
from tests.rows import each_row

SORTS = ["created_at", "-created_at", "last_event_at", "-last_event_at", "unsubscribed_at",
         "-unsubscribed_at"]  # fmt: skip


def search(client, **body):
    return response_assertions.answer(client.post("/fetch/search", body))


def pages(client, **body):
    """The addresses of all pages, by cursors."""
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = search(client, **body, **cursor)
        found += [row["attributes"]["email"] for row in page["data"]]
        assert page["meta"]["has_more"] is (page["meta"]["next"] is not None)
        if not page["meta"]["has_more"]:
            return found
        cursor = {"cursor": page["meta"]["next"]}


@pytest.fixture
def people(client, monkeypatch):
    """Twelve subscribers in four minutes, of whom the even ones unsubscribed and every third has an event."""
    for number in range(12):
        monkeypatch.setattr(clock, "now_ms", lambda at=BASE + number // 3 * MINUTE: at)
        email = f"p{number}@example.com"
        fields = {"plan": "Pro" if number % 4 else "basic", "age": number % 3, "vip": number % 2 == 0}
        client.create(email, tags="vip" if number % 2 else "", fields=fields)
        if number % 2 == 0:
            client.post("/batch/events", {"events": {"email": email, "type": "$unsubscribe"}})
        if number % 3 == 0:
            client.post("/batch/events", {"events": {"email": email, "type": "visit"}})
    return client


@pytest.mark.parametrize("filters", [
    {}, {"tags": "vip"}, {"q": "p1"}, {"created_at": {"gt": "2026-01-01", "lt": "2026-01-01T00:03:00Z"}},
    {"last_event_at": {"gt": "2026-01-01"}}, {"unsubscribed_at": {"lt": "2026-01-01T00:03:00Z"}},
    {"status": "subscribed"}, {"status": "unsubscribed"}, {"field": {"plan": "pro"}},
], ids=str)  # fmt: skip
def test_cursors_lead_through_the_whole_list_in_order(people, filters):
    unsorted = search(people, **filters)["data"]
    for sort in SORTS:
        whole = search(people, sort=sort, per_page=500, **filters)
        column, is_descending = sort.removeprefix("-"), sort.startswith("-")
        rows = [
            (row["attributes"][column], row["attributes"]["created_at"], int(row["id"]))
            for row in whole["data"]
        ]
        assert rows == sorted(rows, reverse=is_descending), sort
        assert {row["id"] for row in whole["data"]} == {
            row["id"] for row in unsorted if row["attributes"][column] is not None
        }, sort
        for per_page in (1, 2, 5):
            assert pages(people, sort=sort, per_page=per_page, **filters) == emails(whole), sort


def test_a_cursor_is_stable_while_people_are_added(people):
    first = search(people, per_page=5)
    people.create("new@example.com")
    rest = search(people, per_page=500, cursor=first["meta"]["next"])
    found = emails(first) + emails(rest)
    assert sorted(found) == sorted(f"p{number}@example.com" for number in range(12))
    assert rest["meta"]["next"] is None


def test_cursors_lead_through_a_search_with_links(people):
    body = {"per_page": 5, "sort": "created_at"}
    assert pages(people, **body, links="1") == pages(people, **body)


def test_numbered_pages_have_the_size_that_is_asked_for(people):
    found = [search(people, per_page=5, page=page) for page in (1, 2, 3)]
    assert [len(page["data"]) for page in found] == [5, 5, 2]
    assert [page["meta"]["per_page"] for page in found] == [5, 5, 5]
    assert emails(found[1]) == emails(search(people, per_page=5, cursor=found[0]["meta"]["next"]))


def test_a_search_in_the_query_takes_the_same_parameters(people):
    query = {"per_page": "2", "sort": "created_at", "field[plan]": "pro", "status": "subscribed"}
    answer = response_assertions.answer(people.get("/fetch/search", query=query))
    assert emails(answer) == ["p1@example.com", "p3@example.com"]
    assert answer["meta"]["query"] == {"sort": "created_at", "field": {"plan": "pro"}, "status": "subscribed"}
    answer = people.get("/fetch/search", query={**query, "cursor": answer["meta"]["next"]})
    assert emails(response_assertions.answer(answer)) == ["p5@example.com", "p7@example.com"]


@pytest.mark.parametrize(("field", "numbers"), [
    ({"plan": "PRO"}, [1, 2, 3, 5, 6, 7, 9, 10, 11]), ({"age": 2}, [2, 5, 8, 11]),
    ({"age": "2"}, [2, 5, 8, 11]),
    ({"vip": "true", "age": 0}, [0, 6]), ({"vip": True, "plan": "basic"}, [0, 4, 8]), ({"nothing": "1"}, []),
    ({"first_name": "ann"}, []),
])  # fmt: skip
def test_a_custom_field_has_a_value(people, field, numbers):
    found = emails(search(people, field=field, sort="created_at"))
    assert found == [f"p{number}@example.com" for number in numbers]


@each_row(("body", "field"), [
    ({"per_page": 0}, "per_page"), ({"per_page": 501}, "per_page"), ({"per_page": "x"}, "per_page"),
    ({"per_page": True}, "per_page"), ({"per_page": 10**30}, "per_page"), ({"per_page": "²"}, "per_page"),
    ({"sort": "email"}, "sort"), ({"sort": "-status"}, "sort"), ({"sort": []}, "sort"),
    ({"status": "left"}, "status"), ({"status": ["subscribed"]}, "status"),
    ({"field": "plan"}, "field"), ({"field": {}}, "field"), ({"field": []}, "field"),
    ({"field": {"plan": ["pro"]}}, "field"), ({"field": {"plan": " "}}, "field"),
    ({"field": {"": "pro"}}, "field"), ({"field": {"plan": None}}, "field"),
    ({"field": {f"f{number}": 1 for number in range(21)}}, "field"),
    ({"field": {"plan][is": "pro"}}, "field.plan][is"),
    ({"cursor": "x"}, "cursor"), ({"cursor": "é"}, "cursor"), ({"cursor": "A" * 10**5}, "cursor"),
    ({"cursor": 5}, "cursor"), ({"cursor": "aWQgNQ"}, "cursor"),
])  # fmt: skip
def test_a_wrong_value_of_a_filter_is_refused(client, body, field):
    assert response_assertions.error_fields(client.post("/fetch/search", body)) == [field]


def test_an_operator_behind_a_field_is_refused_and_finds_nobody_else(client):
    client.create("ann@example.com", plan_is="pro")
    refused = client.get("/fetch/search", query={"field[plan][is]": "pro"})
    assert response_assertions.error_fields(refused) == ["field.plan][is"]
    assert refused.json["errors"][0]["code"] == "malformed_key"


def test_a_cursor_belongs_to_its_sort_and_replaces_the_page(people):
    cursor = search(people, per_page=5)["meta"]["next"]
    for body in ({"sort": "created_at"}, {"page": 2}):
        response = people.post("/fetch/search", {"cursor": cursor, **body})
        assert response_assertions.error_fields(response) == ["cursor"]
    assert (
        people.post("/fetch/search", {"cursor": cursor, "sort": "-created_at", "page": 1}).status_code == 200
    )


def test_every_unknown_key_is_named_with_what_is_probably_meant(client):
    meta = search(client, emial="x", taggs="vip", zzz=1)["meta"]
    assert meta["ignored"] == ["emial", "taggs", "zzz"]
    assert meta["did_you_mean"] == ["email", "tags"]
    assert "did_you_mean" not in search(client, zzz=1)["meta"]


@pytest.mark.parametrize(
    "prefer", ["handling=strict", 'return=minimal, Handling="strict"', "handling = strict"]
)
def test_a_strict_request_is_refused_for_an_unknown_key(client, prefer):
    headers = {"Prefer": prefer}
    answer = client.call("POST", "/fetch/search", {"emial": "x", "zzz": 1}, headers=headers)
    assert response_assertions.error_fields(answer) == ["emial", "zzz"]
    assert (answer.json["unknown"], answer.json["did_you_mean"]) == (["emial", "zzz"], ["email"])
    assert client.call("POST", "/fetch/search", {"email": "x"}, headers=headers).status_code == 200
    headers = {"Prefer": "handling=lenient"}
    assert client.call("POST", "/fetch/search", {"emial": "x"}, headers=headers).status_code == 200
