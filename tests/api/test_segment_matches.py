"""Why somebody is in a segment (docs/contract.md, Segments)."""

import pytest

from tests import response_assertions
from tests.storage import segment_oracle
from tests.storage.segment_oracle import PlainSubscriber

ANN = "ann@example.com"
PRO = {"field": "plan", "is": "pro"}


def save(client, rules):
    body = {"segment": {"name": "Some", "rules": rules}}
    return response_assertions.answer(client.post("/fetch/segments", body), 201)["data"]["id"]


def match(client, rules, **target):
    path = f"/fetch/segments/{save(client, rules)}/match"
    return response_assertions.answer(client.post(path, target or {"email": ANN}))["data"]


@pytest.fixture
def ann(client):
    client.create(ANN, first_name="Ann", tags="vip", fields={"plan": "Pro", "seats": 3})


def test_each_rule_tells_whether_it_holds_and_each_condition_what_it_met(client, ann):
    rules = {"all": [PRO, {"any": [{"tag": "gone"}, {"not": {"field": "seats", "gt": 5}}]}]}
    assert match(client, rules) == {
        "matches": True,
        "rules": {
            "all": [
                {**PRO, "matches": True, "value": "Pro"},
                {
                    "any": [
                        {"tag": "gone", "matches": False, "value": ["vip"]},
                        {
                            "not": {"field": "seats", "gt": 5, "matches": False, "value": 3},
                            "matches": True,
                        },
                    ],
                    "matches": True,
                },
            ],
            "matches": True,
        },
    }


@pytest.mark.parametrize(("rule", "value", "matches"), [
    ({"tag": {"is_not": "vip"}}, ["vip"], False),
    ({"field": "town", "missing": True}, None, True),
    ({"field": "first_name", "starts_with": "a"}, "Ann", True),
    ({"field": "last_name", "is": "x"}, None, False),
    ({"status": "subscribed"}, "subscribed", True),
    ({"email": {"contains": "ann"}}, ANN, True),
    ({"email_domain": "example.org"}, "example.com", False),
    ({"unsubscribed_at": {"exists": True}}, None, False),
    ({"event": "visit"}, [], False),
    ({"field": "seats", "gte": 3, "lt": 3}, 3, False),
])  # fmt: skip
def test_every_subject_shows_what_it_met(client, ann, rule, value, matches):
    assert match(client, rule)["rules"] == {**rule, "matches": matches, "value": value}


def test_of_many_values_there_are_twenty(client):
    client.create(ANN, tags=[f"t{number}" for number in range(30)], fields={"seen": list(range(30))})
    visits = [
        {"email": ANN, "type": "visit", "date": f"2026-01-{day:02}T00:00:00.000Z"} for day in range(1, 31)
    ]
    client.post("/batch/events", {"events": visits})
    rules = {"all": [{"tag": "t29"}, {"field": "seen", "exists": True}, {"event": "visit", "at_least": 30}]}
    met = match(client, rules)
    assert met["matches"]
    tags, seen, dates = (part["value"] for part in met["rules"]["all"])
    assert (len(tags), seen, len(dates)) == (20, list(range(20)), 20)
    assert dates[0] == "2026-01-30T00:00:00.000Z"


def test_nobody_is_null_and_the_uuid_wins(client, other_client, ann):
    uuid = client.get("/fetch/subscribers", query={"email": ANN}).json["data"]["attributes"]["uuid"]
    assert match(client, PRO, email="nobody@example.com", uuid=uuid)["matches"] is True
    assert match(client, PRO, email="nobody@example.com") is None
    assert match(client, PRO, email="no address") is None
    assert match(other_client, PRO, uuid=uuid) is None
    path = f"/fetch/segments/{save(client, PRO)}/match"
    assert response_assertions.answer(client.post(path, {})) == {"data": None}
    response_assertions.error(other_client.post(path, {"uuid": uuid}), 404)
    assert client.post(path, query={"email": ANN}).json["data"]["matches"] is True


def test_the_empty_groups_hold_for_everybody_and_nobody(client, ann):
    assert match(client, {"all": []}) == {"matches": True, "rules": {"all": [], "matches": True}}
    assert match(client, {"not": {"any": []}})["matches"] is True


RULES = [
    PRO, {"tag": "vip"}, {"field": "plan", "is_not": "pro"}, {"field": "seats", "gt": 2},
    {"field": "seats", "contains": "3"}, {"status": "unsubscribed"}, {"email_domain": "example.com"},
    {"created_at": {"within_days": 1}}, {"unsubscribed_at": {"gt": "2026-01-01"}}, {"event": "visit"},
]  # fmt: skip


@pytest.mark.parametrize("number", range(24))
def test_it_agrees_with_the_count_and_with_plain_python(client, number):
    plan, tag = ["pro", "free", 5][number % 3], ["vip", "other"][number % 2]
    client.create(ANN, tags=tag, fields={"plan": plan, "seats": number})
    if number % 4 == 3:
        client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": ANN}})
    left, right = RULES[number % 10], RULES[(3 * number + 1) % 10]
    rules = {"any": [{"all": [left, {"not": right}]}, {"not": {"any": [left, {"all": [right]}]}}]}
    attributes = client.get("/fetch/subscribers", query={"email": ANN}).json["data"]["attributes"]
    path = f"/stats/segments/{save(client, rules)}"
    met = match(client, rules)
    assert met["matches"] is (client.get(path).json["user_count"] == 1)
    now = 1_790_000_000_000  # later than every date that the rules name
    gone = now if attributes["unsubscribed_at"] else None
    fields = {"plan": plan, "seats": number}
    ann = PlainSubscriber(ANN, fields, tags={tag}, created_at=now, unsubscribed_at=gone)
    assert met["matches"] is segment_oracle.holds(rules, ann, now)
