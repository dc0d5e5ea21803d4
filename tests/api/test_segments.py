"""Segments: save, replace, delete, preview, count, search (docs/contract.md, Segments)."""

from typing import Any

import pytest

from audience.access import sites
from tests import response_assertions
from tests.api.sent_files import import_file
from tests.rows import each_row

VIP = {"tag": "vip"}
SUBSCRIBERS: list[tuple[str, dict[str, Any]]] = [
    ("ann@example.com", {"tags": ["vip", "é" * 255], "fields": {"plan": "Pro", "age": 41}}),
    ("bob@example.com", {"fields": {"plan": "free", "age": "29"}}),
    ("cyd@example.org", {"tags": "VIP", "first_name": "Cyd"}),
]


@pytest.fixture
def stored(client):
    for email, values in SUBSCRIBERS:
        client.create(email, **values)
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "cyd@example.org"}})


def body(rules, **more):
    return {"segment": {"name": "Some", "rules": rules, **more}}


def save(client, rules, **more):
    return response_assertions.answer(client.post("/fetch/segments", body(rules, **more)), 201)["data"]


def preview(client, rules):
    return response_assertions.answer(client.post("/fetch/segments/preview", {"segment": {"rules": rules}}))


def emails(answer):
    return [each["attributes"]["email"] for each in answer["data"]]


def test_a_segment_is_saved_listed_replaced_and_deleted(client):
    first = save(client, VIP, description="The best")
    attributes = response_assertions.segment(first)
    assert (attributes["name"], attributes["description"]) == ("Some", "The best")
    assert attributes["rules"] == VIP
    second = save(client, {"all": []})
    assert response_assertions.answer(client.get("/fetch/segments"))["data"] == [second, first]
    path = f"/fetch/segments/{first['id']}"
    assert response_assertions.answer(client.get(path))["data"] == first
    replaced = response_assertions.answer(client.call("PUT", path, body({"not": VIP}, name="Others")))["data"]
    assert response_assertions.segment(replaced) | {"updated_at": 0} == attributes | {
        "name": "Others", "description": "", "rules": {"not": VIP}, "updated_at": 0,
    }  # fmt: skip
    assert response_assertions.answer(client.get(path))["data"] == replaced
    assert response_assertions.answer(client.delete(path))["data"] == replaced
    response_assertions.error(client.get(path), 404)
    assert response_assertions.answer(client.get("/fetch/segments"))["data"] == [second]


def test_a_rule_names_a_field_or_an_event_as_the_other_requests_do(client):
    client.create("ann@example.com", fields={" Renewal date ": "soon", "e\u0301cole": "x"})
    fields = [{"field": "Renewal date", "is": "soon"}, {"not": {"field": " e\u0301cole", "missing": True}}]
    assert preview(client, {"all": fields})["user_count"] == 1
    rules = save(client, {"all": fields})["attributes"]["rules"]
    assert rules == {
        "all": [{"field": "Renewal_date", "is": "soon"}, {"not": {"field": "\u00e9cole", "missing": True}}]
    }
    client.post("/batch/events", {"events": {"email": "ann@example.com", "type": " first visit "}})
    assert preview(client, {"event": " first visit\n"})["user_count"] == 1
    key = "x" * 101
    assert save(client, {"field": key, "exists": True})["attributes"]["rules"]["field"] == key


@pytest.mark.parametrize(("rules", "counts"), [
    (VIP, (2, 1, 1)),
    ({"all": []}, (3, 2, 1)),
    ({"any": []}, (0, 0, 0)),
    ({"tag": "nobody has it"}, (0, 0, 0)),
    ({"tag": "e\u0301" * 255}, (1, 1, 0)),
    ({"status": "unsubscribed"}, (1, 0, 1)),
    ({"field": "plan", "is": "PRO"}, (1, 1, 0)),
    ({"field": "age", "gte": 29, "lt": 41}, (1, 1, 0)),
    ({"field": "first_name", "starts_with": "c"}, (1, 0, 1)),
    ({"email_domain": "Example.com"}, (2, 2, 0)),
    ({"created_at": {"within_days": 1}}, (3, 2, 1)),
    ({"last_event_at": {"not_within_days": 30}}, (3, 2, 1)),
])  # fmt: skip
def test_a_segment_named_in_the_query_or_the_path_is_counted(client, stored, rules, counts):
    id_ = save(client, rules)["id"]
    stats = dict(zip(("user_count", "subscriber_count", "unsubscriber_count"), counts, strict=True))
    assert response_assertions.answer(client.get("/stats/segment", query={"segment_id": id_})) == stats
    assert response_assertions.answer(client.get("/stats/segment", {"segment_id": int(id_)})) == stats
    assert response_assertions.answer(client.get(f"/stats/segments/{id_}")) == stats
    previewed = preview(client, rules)
    assert len(previewed.pop("data")) == counts[0]
    assert previewed == stats


def test_a_count_is_current(client, stored):
    id_ = save(client, VIP)["id"]
    client.post(
        "/fetch/commands", {"command": {"command": "add_tag", "email": "bob@example.com", "query": "vip"}}
    )
    assert response_assertions.answer(client.get(f"/stats/segments/{id_}"))["user_count"] == 3


def test_a_preview_shows_the_newest_ten_and_saves_nothing(client):
    for number in range(12):
        client.create(f"p{number}@example.com")
    previewed = preview(client, {"all": []})
    assert previewed["user_count"] == 12
    assert emails(previewed) == [f"p{number}@example.com" for number in range(11, 1, -1)]
    for each in previewed["data"]:
        response_assertions.subscriber(each)
    assert response_assertions.answer(client.get("/fetch/segments"))["data"] == []


def test_a_search_is_limited_to_a_segment(client, stored):
    id_ = save(client, VIP)["id"]
    assert emails(client.get("/fetch/search", {"segment_id": id_}).json) == [
        "cyd@example.org",
        "ann@example.com",
    ]
    result = response_assertions.answer(
        client.get("/fetch/search", query={"segment_id": id_, "email": "ann@example.com"})
    )
    assert emails(result) == ["ann@example.com"]
    assert result["meta"]["query"] == {"segment_id": id_, "email": "ann@example.com"}
    assert emails(client.get("/fetch/search", {"segment_id": id_, "tags": "none"}).json) == []


def test_events_count(client):
    events = [{"email": f"{name}@example.com", "type": "$purchase"} for name in ("ann", "ann", "bob")]
    client.post("/batch/events", {"events": [*events, {"email": "bob@example.com", "type": "visit"}]})
    twice = preview(client, {"event": "$purchase", "within_days": 90, "at_least": 2})
    assert emails(twice) == ["ann@example.com"]
    assert preview(client, {"not": {"event": "visit"}})["user_count"] == 1


@pytest.mark.parametrize("id_", ["0", "9", "x", "1.0", "-1", "9" * 30, "%20", "١"])
def test_an_unknown_segment_is_a_404_everywhere(client, other_client, id_):
    save(other_client, VIP)
    for response in (
        client.get(f"/fetch/segments/{id_}"),
        client.call("PUT", f"/fetch/segments/{id_}", body(VIP)),
        client.delete(f"/fetch/segments/{id_}"),
        client.get(f"/stats/segments/{id_}"),
        client.get("/stats/segment", query={"segment_id": id_}),
        client.get("/fetch/search", {"segment_id": id_}),
    ):
        response_assertions.error(response, 404)
        assert response.json["error"].startswith("Segment not found")


def test_a_segment_of_another_site_is_not_found(client, other_client, stored):
    id_ = save(client, VIP)["id"]
    response_assertions.error(other_client.get(f"/fetch/segments/{id_}"), 404)
    response_assertions.error(other_client.delete(f"/fetch/segments/{id_}"), 404)
    response_assertions.error(other_client.get("/fetch/search", {"segment_id": id_}), 404)
    assert response_assertions.answer(other_client.get("/fetch/segments"))["data"] == []
    assert preview(other_client, {"all": []})["user_count"] == 0


def test_a_segment_that_a_report_uses_is_not_deleted(client):
    id_ = save(client, VIP)["id"]
    report = {"name": "VIP", "report_type": "Reporting::Reports::VisitorCountReport", "segment_id": id_}
    report_id = response_assertions.answer(client.post("/fetch/reports", {"report": report}), 201)["data"][
        "id"
    ]
    response_assertions.error(client.delete(f"/fetch/segments/{id_}"), 422)
    client.delete(f"/fetch/reports/{report_id}")
    response_assertions.answer(client.delete(f"/fetch/segments/{id_}"))


def test_a_number_where_a_rule_takes_text_is_its_text(client):
    client.create("ann@example.com", tags="2023", fields={"7": "seven", "plan": "pro 5"})
    rules = {"all": [{"tag": 2023}, {"tag": {"in": [2023, True]}}, {"field": 7, "contains": "seven"},
                     {"field": "plan", "contains": 5}, {"not": {"event": 1}}]}  # fmt: skip
    saved = response_assertions.segment(save(client, rules))
    assert saved["rules"]["all"][:2] == [{"tag": "2023"}, {"tag": {"in": ["2023", "true"]}}]
    assert len(preview(client, rules)["data"]) == 1


def deep(levels):
    rules: dict[str, Any] = VIP
    for _ in range(levels - 1):
        rules = {"not": rules}
    return rules


BAD = "segment.rules"


@pytest.mark.parametrize(("key", "subject"), [("tags", "tag"), ("Tag", "tag"), ("email", "email")])
def test_a_field_that_is_none_names_the_condition_that_is_meant(client, key, subject):
    rules = {"all": [VIP, {"field": key, "is": "vip"}]}
    sent = {"segment": {"name": "VIP", "rules": rules}}
    known = save(client, VIP)["id"]
    for answer in (
        client.post("/fetch/segments", sent),
        client.post("/fetch/segments/preview", sent),
        client.call("PUT", f"/fetch/segments/{known}", sent),
    ):
        said = f"Use `{subject}` in place of `field`: no custom field is called {key}."
        assert response_assertions.error(answer, 422) == [(f"{BAD}.all[1].field", said)]
    client.create("dan@example.com", fields={key: "vip"})
    saved = client.post("/fetch/segments", sent).json["data"]["id"]
    client.delete(f"/fetch/fields/{client.get('/fetch/fields').json['data'][0]['id']}")
    renamed = {"segment": {"name": "Saved before", "rules": rules}}
    assert client.call("PUT", f"/fetch/segments/{saved}", renamed).status_code == 200
    assert client.post("/fetch/segments/preview", renamed).status_code == 200


@each_row(("rules", "fields"), [
    ({"all": [VIP, {"field": [5], "is": "x"}]}, [f"{BAD}.all[1].field"]),
    ({"all": [{"any": [VIP]}, {"any": [VIP, {"not": {"tag": ""}}]}]}, [f"{BAD}.all[1].any[1].not.tag"]),
    ({"tag": []}, [f"{BAD}.tag"]),
    ({"tag": {"in": []}}, [f"{BAD}.tag.in"]),
    ({"tag": {"in": ["x"] * 101}}, [f"{BAD}.tag.in"]),
    ({"tag": {"gt": 5}}, [f"{BAD}.tag"]),
    ({"nothing": 1}, [BAD]),
    ({}, [BAD]),
    ({"all": VIP}, [f"{BAD}.all"]),
    ({"all": [5, "x", None, []]}, [f"{BAD}.all[{index}]" for index in range(4)]),
    ({"all": [], "any": []}, [BAD]),
    ({"tag": "vip", "status": "subscribed"}, [BAD]),
    ({"tag": "vip", "more": 1}, [BAD]),
    ({"field": "plan"}, [BAD]),
    ({"field": "plan", "is": None}, [BAD]),
    ({"field": "plan", "is": ["x"]}, [f"{BAD}.is"]),
    ({"field": "plan", "like": "x", "is": "y"}, [BAD]),
    ({"field": "", "is": "x"}, [f"{BAD}.field"]),
    ({"field": "x" * 256, "is": "x"}, [f"{BAD}.field"]),
    ({"field": "age", "gt": "old", "lt": True}, [f"{BAD}.gt", f"{BAD}.lt"]),
    ({"field": "age", "exists": "yes"}, [f"{BAD}.exists"]),
    ({"field": "age", "contains": ""}, [f"{BAD}.contains"]),
    ({"created_at": "2026-01-01"}, [f"{BAD}.created_at"]),
    ({"created_at": {}}, [f"{BAD}.created_at"]),
    ({"created_at": {"gt": "2026-02-31"}}, [f"{BAD}.created_at.gt"]),
    ({"created_at": {"within_days": 0}}, [f"{BAD}.created_at.within_days"]),
    ({"created_at": {"within_days": 36_501}}, [f"{BAD}.created_at.within_days"]),
    ({"created_at": {"within_days": True}}, [f"{BAD}.created_at.within_days"]),
    ({"status": "gone"}, [f"{BAD}.status"]),
    ({"event": ["x"]}, [f"{BAD}.event"]),
    ({"event": "x", "at_least": 0}, [f"{BAD}.at_least"]),
    ({"event": "x", "since": 1}, [BAD]),
    (deep(17), [f"{BAD}" + ".not" * 16]),
    ({"all": [VIP] * 200}, [BAD]),
    ({"all": [VIP] * 50_000}, [BAD]),
    (None, [BAD]),
    ("x", [BAD]),
    ({"field": "age", "is": 2**64}, [BAD]),
    ({"tag": "a\0"}, [BAD]),
])  # fmt: skip
def test_bad_rules_are_refused_with_the_path_of_the_node(client, rules, fields):
    assert (
        response_assertions.error_fields(
            client.post("/fetch/segments/preview", {"segment": {"rules": rules}})
        )
        == fields
    )
    assert response_assertions.error_fields(client.post("/fetch/segments", body(rules))) == fields
    assert response_assertions.answer(client.get("/fetch/segments"))["data"] == []


@pytest.mark.parametrize(
    "rules", [deep(16), {"all": [VIP] * 199}, {"any": [], "all": None, "x": None}, {"not": VIP, "tag": None}]
)
def test_the_largest_rules_and_nulls_are_accepted(client, rules):
    saved = save(client, rules)["attributes"]["rules"]
    assert saved == {key: value for key, value in rules.items() if value is not None}


def test_a_bad_replacement_leaves_the_segment_unchanged(client):
    segment = save(client, VIP)
    path = f"/fetch/segments/{segment['id']}"
    assert response_assertions.error_fields(client.call("PUT", path, body({"tag": []}))) == [
        "segment.rules.tag"
    ]
    assert response_assertions.error_fields(client.call("PUT", path, {"segment": {"rules": VIP}})) == [
        "segment.name"
    ]
    assert response_assertions.answer(client.get(path))["data"] == segment


def test_the_query_of_a_stats_request_needs_an_id(client):
    assert response_assertions.error_fields(client.get("/stats/segment")) == ["segment_id"]


def test_fields_list_their_most_common_values_on_request(client):
    for number, plan in enumerate(["pro", "free", "pro", 5, True, "", ["x"], {"a": 1}]):
        client.create(f"p{number}@example.com", fields={"plan": plan, "a.b": "x"})
    plain, listed = (response_assertions.answer(client.get("/fetch/fields", query=query))["data"]
                     for query in ({}, {"values": "1"}))  # fmt: skip
    for each in plain:
        response_assertions.field(each)
    values = {each["attributes"]["key"]: each["attributes"].pop("values") for each in listed}
    assert listed == plain
    assert values["a.b"] == [{"value": "x", "count": 8}]
    assert values["plan"][0] == {"value": "pro", "count": 2}
    rest = [(each["value"], each["count"]) for each in values["plan"][1:]]
    assert sorted(rest, key=repr) == sorted([("free", 1), (5, 1), (True, 1), ("", 1)], key=repr)
    assert all(type(value) is not int or value == 5 for value, _ in rest)
    assert response_assertions.answer(client.get("/fetch/fields", query={"values": "0"}))["data"] == plain


@pytest.mark.parametrize("date", ["2026-08", "2026-233", "2026-08-21t24:00", "2026-08-21 02:08:30 02:00"])
def test_rules_and_searches_accept_the_same_dates(client, date):
    assert client.post("/fetch/search", {"created_at": {"gt": date}}).status_code == 200
    rules = {"all": [{"created_at": {"gt": date}}, {"field": "since", "gt": date}]}
    assert client.post("/fetch/segments/preview", {"segment": {"rules": rules}}).status_code == 200


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        ({"created_at": {"gte": "2024-11-20", "lt": "2024-11-21"}}, 1),
        ({"created_at": {"gte": "2024-11-20T00:00:00Z", "lt": "2024-11-21T00:00:00Z"}}, 0),
        ({"created_at": {"lte": "2024-11-20T23:30"}}, 1),
        ({"created_at": {"gt": "2024-11-21T04:29:59.999Z"}}, 1),
        ({"field": "born", "gte": "2000-01-01", "lte": "2000-01-01"}, 1),
        ({"created_at": {"gte": "0001-01-01", "lte": "9999-12-31T23:59:59"}}, 1),
    ],
)
def test_bounds_without_a_zone_are_of_the_site_s(client, rules, count):
    """Who came at 23:30 in New York came on that day; a date of a custom field has no zone."""
    sites.set_time_zone(client.site, "America/New_York")
    import_file(client, "email,created_at,born\nann@example.com,2024-11-20 23:30,2000-01-01\n")
    assert preview(client, rules)["user_count"] == count
    id_ = save(client, rules)["id"]
    assert client.get(f"/stats/segments/{id_}").json["user_count"] == count
    match = client.post(f"/fetch/segments/{id_}/match", {"email": "ann@example.com"}).json["data"]
    assert match["matches"] == bool(count)
