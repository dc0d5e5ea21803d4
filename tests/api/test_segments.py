"""Segments: save, replace, delete, preview, count, and search by them (contract sections 3 and 4)."""

import pytest

from tests import shapes

VIP = {"tag": "vip"}
PEOPLE = [
    ("ann@example.com", {"tags": "vip", "fields": {"plan": "Pro", "age": 41}}),
    ("bob@example.com", {"fields": {"plan": "free", "age": "29"}}),
    ("cyd@example.org", {"tags": "VIP", "first_name": "Cyd"}),
]


@pytest.fixture
def people(door):
    for email, values in PEOPLE:
        door.create(email, **values)
    door.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "cyd@example.org"}})


def body(rules, **more):
    return {"segment": {"name": "Some", "rules": rules, **more}}


def save(door, rules, **more):
    return shapes.answer(door.post("/fetch/segments", body(rules, **more)), 201)["data"]


def preview(door, rules):
    return shapes.answer(door.post("/fetch/segments/preview", {"segment": {"rules": rules}}))


def emails(answer):
    return [each["attributes"]["email"] for each in answer["data"]]


def test_a_segment_is_saved_listed_replaced_and_deleted(door):
    first = save(door, VIP, description="The best")
    attributes = shapes.segment(first)
    assert (attributes["name"], attributes["description"]) == ("Some", "The best")
    assert attributes["rules"] == VIP
    second = save(door, {"all": []})
    assert shapes.answer(door.get("/fetch/segments"))["data"] == [second, first]
    path = f"/fetch/segments/{first['id']}"
    assert shapes.answer(door.get(path))["data"] == first
    replaced = shapes.answer(door.call("PUT", path, body({"not": VIP}, name="Others")))["data"]
    assert shapes.segment(replaced) | {"updated_at": 0} == attributes | {
        "name": "Others", "description": "", "rules": {"not": VIP}, "updated_at": 0,
    }  # fmt: skip
    assert shapes.answer(door.get(path))["data"] == replaced
    assert shapes.answer(door.delete(path))["data"] == replaced
    shapes.error(door.get(path), 404)
    assert shapes.answer(door.get("/fetch/segments"))["data"] == [second]


@pytest.mark.parametrize(("rules", "counts"), [
    (VIP, (2, 1, 1)),
    ({"all": []}, (3, 2, 1)),
    ({"any": []}, (0, 0, 0)),
    ({"tag": "nobody has it"}, (0, 0, 0)),
    ({"status": "unsubscribed"}, (1, 0, 1)),
    ({"field": "plan", "is": "PRO"}, (1, 1, 0)),
    ({"field": "age", "gte": 29, "lt": 41}, (1, 1, 0)),
    ({"field": "first_name", "starts_with": "c"}, (1, 0, 1)),
    ({"email_domain": "Example.com"}, (2, 2, 0)),
    ({"created_at": {"within_days": 1}}, (3, 2, 1)),
    ({"last_event_at": {"not_within_days": 30}}, (3, 2, 1)),
])  # fmt: skip
def test_a_segment_counts_its_people_named_in_the_query_or_the_path(door, people, rules, counts):
    id_ = save(door, rules)["id"]
    stats = dict(zip(("user_count", "subscriber_count", "unsubscriber_count"), counts, strict=True))
    assert shapes.answer(door.get("/stats/segment", query={"segment_id": id_})) == stats
    assert shapes.answer(door.get("/stats/segment", {"segment_id": int(id_)})) == stats
    assert shapes.answer(door.get(f"/stats/segments/{id_}")) == stats
    previewed = preview(door, rules)
    assert len(previewed.pop("data")) == counts[0]
    assert previewed == stats


def test_a_count_follows_at_once(door, people):
    id_ = save(door, VIP)["id"]
    door.post(
        "/fetch/commands", {"command": {"command": "add_tag", "email": "bob@example.com", "query": "vip"}}
    )
    assert shapes.answer(door.get(f"/stats/segments/{id_}"))["user_count"] == 3


def test_a_preview_shows_the_newest_ten_and_saves_nothing(door):
    for number in range(12):
        door.create(f"p{number}@example.com")
    previewed = preview(door, {"all": []})
    assert previewed["user_count"] == 12
    assert emails(previewed) == [f"p{number}@example.com" for number in range(11, 1, -1)]
    for each in previewed["data"]:
        shapes.subscriber(each)
    assert shapes.answer(door.get("/fetch/segments"))["data"] == []


def test_a_search_keeps_to_a_segment(door, people):
    id_ = save(door, VIP)["id"]
    assert emails(door.get("/fetch/search", {"segment_id": id_}).json) == [
        "cyd@example.org",
        "ann@example.com",
    ]
    found = shapes.answer(door.get("/fetch/search", query={"segment_id": id_, "email": "ann@example.com"}))
    assert emails(found) == ["ann@example.com"]
    assert found["meta"]["query"] == {"segment_id": id_, "email": "ann@example.com"}
    assert emails(door.get("/fetch/search", {"segment_id": id_, "tags": "none"}).json) == []


def test_events_count(door):
    events = [{"email": f"{name}@example.com", "type": "$purchase"} for name in ("ann", "ann", "bob")]
    door.post("/batch/events", {"events": [*events, {"email": "bob@example.com", "type": "visit"}]})
    twice = preview(door, {"event": "$purchase", "within_days": 90, "at_least": 2})
    assert emails(twice) == ["ann@example.com"]
    assert preview(door, {"not": {"event": "visit"}})["user_count"] == 1


@pytest.mark.parametrize("id_", ["0", "9", "x", "1.0", "-1", "9" * 30, "%20", "١"])
def test_a_segment_that_is_not_there_is_a_404_everywhere(door, stranger, id_):
    save(stranger, VIP)
    for response in (
        door.get(f"/fetch/segments/{id_}"),
        door.call("PUT", f"/fetch/segments/{id_}", body(VIP)),
        door.delete(f"/fetch/segments/{id_}"),
        door.get(f"/stats/segments/{id_}"),
        door.get("/stats/segment", query={"segment_id": id_}),
        door.get("/fetch/search", {"segment_id": id_}),
    ):
        shapes.error(response, 404)
        assert response.json["error"].startswith("Segment not found")


def test_a_stranger_reaches_no_segment_of_another_site(door, stranger, people):
    id_ = save(door, VIP)["id"]
    shapes.error(stranger.get(f"/fetch/segments/{id_}"), 404)
    shapes.error(stranger.delete(f"/fetch/segments/{id_}"), 404)
    shapes.error(stranger.get("/fetch/search", {"segment_id": id_}), 404)
    assert shapes.answer(stranger.get("/fetch/segments"))["data"] == []
    assert preview(stranger, {"all": []})["user_count"] == 0


def test_a_segment_that_a_report_uses_is_not_deleted(door):
    id_ = save(door, VIP)["id"]
    report = {"name": "VIP", "report_type": "Reporting::Reports::VisitorCountReport", "segment_id": id_}
    report_id = shapes.answer(door.post("/fetch/reports", {"report": report}), 201)["data"]["id"]
    shapes.error(door.delete(f"/fetch/segments/{id_}"), 422)
    door.delete(f"/fetch/reports/{report_id}")
    shapes.answer(door.delete(f"/fetch/segments/{id_}"))


def deep(levels):
    rules = VIP
    for _ in range(levels - 1):
        rules = {"not": rules}
    return rules


BAD = "segment.rules"


@pytest.mark.parametrize(("rules", "fields"), [
    ({"all": [VIP, {"field": 5, "is": "x"}]}, [f"{BAD}.all[1].field"]),
    ({"all": [{"any": [VIP]}, {"any": [VIP, {"not": {"tag": ""}}]}]}, [f"{BAD}.all[1].any[1].not.tag"]),
    ({"tag": 5}, [f"{BAD}.tag"]),
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
    ({"field": "x" * 101, "is": "x"}, [f"{BAD}.field"]),
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
    ({"all": [VIP] * 100_000}, [BAD]),
    (None, [BAD]),
    ("x", [BAD]),
    ({"field": "age", "is": 2**64}, [BAD]),
    ({"tag": "a\0"}, [BAD]),
])  # fmt: skip
def test_bad_rules_are_refused_with_the_path_of_the_node(door, rules, fields):
    assert shapes.error_fields(door.post("/fetch/segments/preview", {"segment": {"rules": rules}})) == fields
    assert shapes.error_fields(door.post("/fetch/segments", body(rules))) == fields
    assert shapes.answer(door.get("/fetch/segments"))["data"] == []


@pytest.mark.parametrize(
    "rules", [deep(16), {"all": [VIP] * 199}, {"any": [], "all": None, "x": None}, {"not": VIP, "tag": None}]
)
def test_the_largest_rules_and_nulls_are_accepted(door, rules):
    save(door, rules)


def test_a_bad_replacement_leaves_the_segment_as_it_was(door):
    segment = save(door, VIP)
    path = f"/fetch/segments/{segment['id']}"
    assert shapes.error_fields(door.call("PUT", path, body({"tag": 1}))) == ["segment.rules.tag"]
    assert shapes.error_fields(door.call("PUT", path, {"segment": {"rules": VIP}})) == ["segment.name"]
    assert shapes.answer(door.get(path))["data"] == segment


def test_the_query_of_a_stats_request_needs_an_id(door):
    assert shapes.error_fields(door.get("/stats/segment")) == ["segment_id"]


def test_fields_list_their_commonest_values_when_asked(door):
    for number, plan in enumerate(["pro", "free", "pro", 5, True, "", ["x"], {"a": 1}]):
        door.create(f"p{number}@example.com", fields={"plan": plan, "a.b": "x"})
    plain, listed = (shapes.answer(door.get("/fetch/fields", query=query))["data"]
                     for query in ({}, {"values": "1"}))  # fmt: skip
    for each in plain:
        shapes.field(each)
    values = {each["attributes"]["key"]: each["attributes"].pop("values") for each in listed}
    assert listed == plain
    assert values["a.b"] == [{"value": "x", "count": 8}]
    assert values["plan"][0] == {"value": "pro", "count": 2}
    rest = [(each["value"], each["count"]) for each in values["plan"][1:]]
    assert sorted(rest, key=repr) == sorted([("free", 1), (5, 1), (True, 1), ("", 1)], key=repr)
    assert all(type(value) is not int or value == 5 for value, _ in rest)
    assert shapes.answer(door.get("/fetch/fields", query={"values": "0"}))["data"] == plain
