"""A story: what real clients ask, and what they are told (docs/contract.md, Every request, Find, Search)."""

import pytest

from audience.access import keys
from tests import response_assertions
from tests.client import ApiClient, basic

AGREED = {"consent": "subscribed"}


def raw(client, path, method="GET"):
    """Sends the query string unchanged."""
    keys = client.key.publishable_key, client.key.secret_key
    return client.http.open(f"/api/v1{path}", method=method, headers={"Authorization": basic(*keys)})


def addresses(response):
    return {item["attributes"]["email"] for item in response_assertions.answer(response)["data"]}


@pytest.fixture
def people(client):
    client.create("ann@example.com", tags=["vip", "a,b"], first_name="Ann", last_name="Lee")
    client.create("bob@example.org", tags=["vip"], first_name="BOB")
    client.create("cy+news@example.net")
    return client


@pytest.mark.parametrize(("query", "found"), [
    ("tags=vip", {"ann@example.com", "bob@example.org"}),
    ("tags=vip&tags=a", set()),
    ("tag_names=vip&tag_names=a%2Cb", {"ann@example.com"}),
    ("tag_names[]=vip&tag_names[]=a%2Cb", {"ann@example.com"}),
    ("tag_names=a%2Cb", {"ann@example.com"}),
    ("tag_names=nobody", set()),
    ("tag_ids={vip}", {"ann@example.com", "bob@example.org"}),
    ("tag_ids={vip}&tag_ids={comma}", {"ann@example.com"}),
    ("tag_ids={vip}%2C{comma}", {"ann@example.com"}),
    ("tag_ids=999", set()), ("tag_ids=x", set()), ("tag_ids={comma}&tags=vip", {"ann@example.com"}),
    ("q=ANN", {"ann@example.com"}), ("q=example.o", {"bob@example.org"}), ("q=bo", {"bob@example.org"}),
    ("q=le", {"ann@example.com"}), ("q=ann+le", {"ann@example.com"}), ("q=xample", set()), ("q=%25", set()),
    ("q=cy%2Bn", {"cy+news@example.net"}), ("email=cy+news@example.net", {"cy+news@example.net"}),
])  # fmt: skip
def test_search_filters(people, query, found):
    ids = {tag["attributes"]["name"]: tag["id"] for tag in people.get("/fetch/tags").json["data"]}
    assert addresses(raw(people, "/fetch/search?" + query.format(vip=ids["vip"], comma=ids["a,b"]))) == found


def test_a_repeated_value_is_the_last_where_one_is_taken(people):
    assert addresses(raw(people, "/fetch/search?email=ann@example.com&email=bob@example.org&email=")) == {
        "bob@example.org"
    }


def test_search_filters_in_a_body(people):
    tags = people.get("/fetch/tags").json["data"]
    ids = [tag["id"] for tag in tags]
    assert addresses(people.post("/fetch/search", {"tag_ids": ids})) == {"ann@example.com"}
    assert addresses(people.post("/fetch/search", {"tag_ids": int(ids[0])})) != set()
    assert addresses(people.post("/fetch/search", {"tag_names": ["a,b"]})) == {"ann@example.com"}
    result = response_assertions.answer(people.post("/fetch/search", {"tag_names": "a,b", "q": "an"}))
    assert result["meta"]["query"] == {"tag_names": ["a,b"], "q": "an"}
    assert len(result["data"]) == 1


def test_search_names_what_it_ignored(client):
    body = {"emial": "x", "page": 1, "site_uuid": client.site.uuid, "nothing": None, "state": "subscribed"}
    assert client.post("/fetch/search", body).json["meta"]["ignored"] == ["emial", "state"]
    assert raw(client, "/fetch/search?foo[bar]=1&empty=&page=1").json["meta"]["ignored"] == ["foo"]
    assert client.post("/fetch/search", {}).json["meta"]["ignored"] == []


@pytest.mark.parametrize("name", ["created_at", "updated_at", "last_event_at", "unsubscribed_at"])
def test_a_date_filter_takes_gt_and_lt_only(client, name):
    response = client.post("/fetch/search", {name: {"gte": "2026-01-01", "lt": "2027-01-01", "Since": 5}})
    assert response_assertions.error_fields(response) == [name]
    assert response.json["unknown"] == ["gte", "Since"]
    assert response.json["did_you_mean"] == ["gt"]
    assert response_assertions.error_fields(client.post("/fetch/search", {name: "2026-01-01"})) == [name]
    for query in (f"{name}=2026-01-01", f"{name}[gte]=2026-01-01", f"{name}[]=2026-01-01"):
        assert response_assertions.error_fields(raw(client, f"/fetch/search?{query}")) == [name]


@pytest.mark.parametrize("page", [10**9 + 1, 2**62, 2**63 - 1])
def test_a_page_past_all_is_empty(people, page):
    result = response_assertions.answer(people.post("/fetch/search", {"page": page}))
    assert (result["data"], result["meta"]["page"], result["meta"]["has_more"]) == ([], page, False)
    assert raw(people, f"/fetch/search?page={page}").json["data"] == []


@pytest.mark.parametrize("page", [1.0, "1", "1.0", True])
def test_page_1_0_is_1(people, page):
    response = people.post("/fetch/search", {"page": page})
    if page is True:
        assert response_assertions.error_fields(response) == ["page"]
    else:
        assert len(response.json["data"]) == 3
        assert response.json["meta"]["page"] == 1


@pytest.mark.parametrize("page", [0, -1, 1.5, "x", [], 2**63])
def test_other_pages_are_refused(client, page):
    assert response_assertions.error_fields(client.post("/fetch/search", {"page": page})) == ["page"]


@pytest.mark.parametrize("query", ["email=cy+news@example.net", "email=%20cy+news@example.net%20"])
def test_a_raw_plus_finds(people, query):
    assert (
        raw(people, f"/fetch/subscribers?{query}").json["data"]["attributes"]["email"]
        == "cy+news@example.net"
    )


@pytest.mark.parametrize(("query", "fields"), [
    ("", ["email"]), ("email=", ["email"]), ("email=nonsense", ["email"]), ("uuid=nonsense", ["uuid"]),
    ("email=ann@example.com&uuid=x", ["uuid"]), ("email=a%00b@example.com", ["email"]),
    ("email[]=ann@example.com", ["email"]),
])  # fmt: skip
def test_erasing_nobody_in_particular_is_refused(people, query, fields):
    assert response_assertions.error_fields(raw(people, f"/fetch/subscribers?{query}", "DELETE")) == fields
    assert people.counts() == (3, 3, 0)


def test_erasing_who_is_not_there_is_done(people):
    for query in ("email=nobody@example.com", "uuid=00000000-0000-4000-8000-000000000000"):
        assert response_assertions.answer(raw(people, f"/fetch/subscribers?{query}", "DELETE")) == {
            "data": None
        }
    assert raw(people, "/fetch/subscribers?email=cy+news@example.net", "DELETE").status_code == 200
    assert people.counts() == (2, 2, 0)


def test_the_sites_of_a_key(client, other_client):
    both = ApiClient(client.http, client.site, keys.create([client.site, other_client.site], "read"))
    data = response_assertions.answer(both.get("/fetch/sites", query={"site_uuid": None}))["data"]
    for site, wanted in zip(data, (client.site, other_client.site), strict=True):
        attributes = response_assertions.resource(site, "sites", "uuid", "name", "time_zone", "created_at")
        assert (attributes["uuid"], attributes["name"], attributes["time_zone"]) == (
            wanted.uuid, wanted.name, wanted.time_zone,
        )  # fmt: skip
        response_assertions.date(attributes["created_at"])
    assert len(client.get("/fetch/sites").json["data"]) == 1


def test_the_events_of_a_subscriber_newest_first(client):
    uuid = client.create("ada@example.com")["attributes"]["uuid"]
    events = [
        {
            "email": "ada@example.com",
            "type": f"t{n}",
            "details": {"n": n},
            "date": f"2026-01-01T00:{n // 60:02}:{n % 60:02}Z",
        }
        for n in range(101)
    ]
    client.post("/batch/events", {"events": events})
    for spelled in (uuid, uuid.replace("-", "").upper()):
        page = response_assertions.answer(client.get(f"/fetch/subscribers/{spelled}/events"))
        assert [event["attributes"]["type"] for event in page["data"]] == [f"t{n}" for n in range(100, 0, -1)]
        assert page["meta"] == {"page": 1, "query": {}, "per_page": 100, "has_more": True, "ignored": []}
    attributes = response_assertions.resource(
        page["data"][0], "events", "type", "details", "date", "created_at"
    )
    assert attributes["details"] == {"n": 100}
    assert attributes["date"] == "2026-01-01T00:01:40.000Z"
    last = client.get(f"/fetch/subscribers/{uuid}/events", query={"page": "2"}).json
    assert [event["attributes"]["type"] for event in last["data"]] == ["t0"]
    assert (last["meta"]["page"], last["meta"]["has_more"]) == (2, False)


@pytest.mark.parametrize(
    ("scope", "status"), [("full", 200), ("read", 200), ("stats", 403), ("utility", 403)]
)
def test_events_and_refused_rows_need_the_scope_read(client, scope, status):
    uuid = client.create("ada@example.com")["attributes"]["uuid"]
    refused = client.send_file(
        "/batch/imports",
        b"email\nnone\n",
        query=AGREED,
        headers={"Content-Type": "text/csv"},
    )
    caller = ApiClient(client.http, client.site, keys.create([client.site], scope))
    for path in (
        f"/fetch/subscribers/{uuid}/events",
        f"/batch/imports/{refused.json['data']['id']}/errors.csv",
    ):
        response = caller.get(path)
        assert response.status_code == status
        if status == 403:
            response_assertions.error(response, 403)


def test_events_of_an_unknown_subscriber(client, other_client):
    theirs = other_client.create("ada@example.com")["attributes"]["uuid"]
    for uuid in (theirs, "00000000-0000-4000-8000-000000000000", "nonsense"):
        response = client.get(f"/fetch/subscribers/{uuid}/events")
        response_assertions.error(response, 404)
        assert "Subscriber not found" in response.json["error"]


def test_a_get_that_is_refused_does_not_speak_of_writing(client):
    for response in (
        client.get("/fetch/search", query={"page": "x"}),
        client.get("/fetch/export", query={"format": "x"}),
        client.post("/fetch/search", {"page": "x"}),
        client.post("/fetch/segments/preview", {"segment": {"rules": {"x": 1}}}),
    ):
        response_assertions.error(response, 422)
        assert "written" not in response.json["error"]
    assert "nothing was written" in client.post("/fetch/tags", {}).json["error"]


def test_an_unknown_path_leads_to_the_description(client):
    response = client.get("/fetch/nothing")
    response_assertions.error(response, 404)
    assert "/docs/api" in response.json["error"]
    doubled = client.get("/api/v1/fetch/nothing")
    response_assertions.error(doubled, 404)
    assert "twice" in doubled.json["error"]


def test_an_unknown_report_type_is_told_all_ten(client):
    body = {"report": {"name": "x", "report_type": "Reporting::Reports::VisitorCountsReport"}}
    response = client.post("/fetch/reports", body)
    [(field, message)] = response_assertions.error(response, 422)
    assert field == "report.report_type"
    assert message.count("Reporting::Reports::") == 10
    assert response.json["unknown"] == ["Reporting::Reports::VisitorCountsReport"]
    assert response.json["did_you_mean"] == ["Reporting::Reports::VisitorCountReport"]


@pytest.mark.parametrize(("rules", "field", "says", "unknown", "meant"), [
    ({"tags": "vip"}, "segment.rules", "not known", ["tags"], ["tag"]),
    ({"tag": "vip", "tags": "x"}, "segment.rules", "not known", ["tags"], ["tag"]),
    ({"all": [{"emails": {"is": "x"}}]}, "segment.rules.all[0]", "not known", ["emails"], ["email"]),
    ({"qwfpgj": 1}, "segment.rules", "not known", ["qwfpgj"], None),
    ({"tag": "vip", "status": "subscribed"}, "segment.rules", "one condition in each", None, None),
    ({"within_days": 5}, "segment.rules", "event", None, None),
    ({"is": "pro"}, "segment.rules", "field", None, None),
    ({"tag": "vip", "within_days": 5}, "segment.rules", "event", None, None),
    ({"created_at": {"gt": 5}}, "segment.rules.created_at.gt", "date", None, None),
    ({"created_at": {"after": "2026-01-01"}}, "segment.rules.created_at", "not known", ["after"], None),
    ({"email": {"start_with": "a"}}, "segment.rules.email", "not known", ["start_with"], ["starts_with"]),
    ({"field": "plan", "equals": 5}, "segment.rules", "more of is, is_not,", ["equals"], None),
    ({"field": "plan", "contain": "p"}, "segment.rules", "more of is, is_not,", ["contain"], ["contains"]),
    ({"field": "plan", "is": "x", "within_days": 5}, "segment.rules", "not known", ["within_days"], None),
    ({"event": "x", "gt": 5}, "segment.rules", "more of within_days, at_least", ["gt"], None),
    ({"email": {"gt": 5}}, "segment.rules.email", "not known", ["gt"], None),
    ({"field": "plan", "gt": "many"}, "segment.rules.gt", "number, or an ISO 8601 date", None, None),
    ({"field": "plan", "within_days": 5}, "segment.rules", "Send one or more of", ["within_days"], None),
    ({}, "segment.rules", "Send an object with one of", None, None),
])  # fmt: skip
def test_segment_rules_say_what_is_wrong(client, rules, field, says, unknown, meant):
    response = client.post("/fetch/segments/preview", {"segment": {"rules": rules}})
    errors = response_assertions.error(response, 422)
    assert [each[0] for each in errors] == [field]
    assert says in errors[0][1]
    assert response.json.get("unknown") == unknown
    assert response.json.get("did_you_mean") == meant
    assert "qwfpgj" not in response.json["error"]
