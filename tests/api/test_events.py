"""Record events of subscribers (docs/contract.md, Events)."""

import pytest

from audience import clock
from storage import database
from tests import response_assertions
from tests.api.endpoints import ADDRESSES
from tests.api.test_subscribers import BAD_ADDRESSES, HOSTILE, erase
from tests.rows import each_row

ADA = "ada@example.com"


def event(type_="visit", **values):
    return {"email": ADA, "type": type_, **values}


def send(client, *events):
    return client.post("/batch/events", {"events": list(events)})


def recorded(client, *events):
    """Sends events, all of which are accepted; returns the subscriber."""
    answer = response_assertions.answer(send(client, *events))
    assert response_assertions.tally(answer) == []
    assert (answer["results"], answer["failed"]) == (len(events), 0)
    subscriber = client.find(ADA)
    return subscriber and response_assertions.subscriber(subscriber)


def stored():
    with database.session():
        return database.rows("SELECT type, unique_key FROM events ORDER BY id")


def tag_names(client, subscriber):
    names = {each["id"]: each["attributes"]["name"] for each in client.get("/fetch/tags").json["data"]}
    return [names[tag_id] for tag_id in subscriber["cached_tag_ids"]]


def test_an_event_creates_the_subscriber_merges_fields_and_sets_last_event_at(client):
    subscriber = recorded(client, event(fields={"plan": "pro", "first_name": "Ada"}, details={"page": "/"}))
    assert subscriber["email"] == ADA
    assert subscriber["fields"] == {"plan": "pro", "first_name": "Ada"}
    response_assertions.date(subscriber["last_event_at"])
    assert client.counts() == (1, 1, 0)
    assert recorded(client, event(fields={"age": 36}))["fields"] == {
        "plan": "pro",
        "first_name": "Ada",
        "age": 36,
    }
    assert {response_assertions.field(each)["key"] for each in client.get("/fetch/fields").json["data"]} == {
        "plan",
        "age",
    }


@pytest.mark.parametrize("body", [
    {"events": {"email": ADA, "type": "visit"}}, {"events": [{"email": ADA, "type": "visit"}]},
    {"email": ADA, "type": "visit"},
])  # fmt: skip
def test_a_single_event_needs_no_list(client, body):
    answer = response_assertions.answer(client.post("/batch/events", body))
    assert response_assertions.tally(answer) == []
    assert answer["results"] == 1
    assert client.counts() == (1, 1, 0)


@pytest.mark.parametrize(("dates", "expected"), [
    (["2020-01-01"], "2020-01-01T00:00:00.000Z"), (["2020-01-01", "2021-01-01"], "2021-01-01T00:00:00.000Z"),
    (["2021-01-01", "2020-01-01"], "2021-01-01T00:00:00.000Z"), (["2020-01-01T02:00+02:00"],
    "2020-01-01T00:00:00.000Z"),
    ([2020], "2020-01-01T00:00:00.000Z"),
])  # fmt: skip
def test_last_event_at_is_the_latest_date(client, dates, expected):
    assert recorded(client, *(event(date=date) for date in dates))["last_event_at"] == expected


@pytest.mark.parametrize("date", ["2999-01-01", None])
def test_a_future_or_missing_date_becomes_now(client, monkeypatch, date):
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    subscriber = recorded(client, event(date=date))
    assert subscriber["last_event_at"] == subscriber["created_at"]


@pytest.mark.parametrize(("item", "field"), [
    *(({"email": address, "type": "visit"}, ".email") for address in BAD_ADDRESSES),
    ({"type": "visit"}, ".email"), ({"email": ADA}, ".type"), (event(type_=""), ".type"), (event(type_=" "),
    ".type"),
    (event(type_=None), ".type"), (event(type_={}), ".type"), (event(type_="a\0"), ".type"), (None, ""),
    ("x", ""),
    (5, ""), ([1], ""), (event(date="yesterday"), ".date"), (event(date={}), ".date"), (event(fields="x"),
    ".fields"),
    (event(fields={"first_name": {}}), ".fields.first_name"), (event(details="x"), ".details"),
    (event(details=[1]), ".details"), (event("$tag"), ".details"), (event("$tag", details={"tag": " "}),
    ".details"),
    (event("$remove_tag", details={}), ".details"), (event("$tag", details={"tag": {}}), ".details"),
    (event(details={"unique": {"key": {}}}), ".details"),
    (event("$subscribe", details={"": 1}), ".details[0]"),
])  # fmt: skip
def test_only_the_bad_item_counts_as_failed(client, item, field):
    answer = response_assertions.answer(send(client, {"email": "b@example.com", "type": "visit"}, item))
    assert [each for each, _ in response_assertions.tally(answer)] == [f"events[1]{field}"]
    assert (answer["results"], answer["failed"]) == (1, 1)
    assert client.counts() == (1, 1, 0)


@each_row("value", HOSTILE.values())
@pytest.mark.parametrize("key", ["fields", "details"])
def test_a_value_that_cannot_be_stored_fails_only_its_item(client, key, value):
    data = f'{{"events": [{{"email": "{ADA}", "type": "visit", "{key}": {{"a": {value}}}}}]}}'
    answer = response_assertions.answer(client.call("POST", "/batch/events", data=data.encode()))
    assert (answer["results"], answer["failed"]) == (0, 1)
    assert response_assertions.tally(answer)[0][0].startswith(f"events[0].{key}")
    assert stored() == []


@pytest.mark.parametrize("events", [
    None, [], "x", 5, True, [{"email": ADA, "type": "visit"}] * 1001,
], ids=lambda value: repr(value)[:20])  # fmt: skip
def test_a_missing_or_too_long_list_is_a_422(client, events):
    assert response_assertions.error_fields(client.post("/batch/events", {"events": events})) == ["events"]
    assert stored() == []


def test_a_thousand_events_are_stored_before_the_response(client):
    answer = response_assertions.answer(
        send(client, *({"email": email, "type": "visit"} for email in ADDRESSES[:1000]))
    )
    assert answer["results"] == 1000
    assert client.counts() == (1000, 1000, 0)
    assert len(stored()) == 1000


def test_tagging_events_act_like_the_commands(client):
    assert tag_names(client, recorded(client, event("$tag", details={"tag": " VIP "}))) == ["VIP"]
    assert tag_names(client, recorded(client, event("$tag", details={"tag": 0}))) == ["VIP", "0"]
    subscriber = recorded(
        client, event("$remove_tag", details={"tag": "vip"}), event("$remove_tag", details={"tag": "none"})
    )
    assert tag_names(client, subscriber) == ["0"]
    assert [type_ for type_, _ in stored()] == ["$tag", "$tag", "$remove_tag", "$remove_tag"]


def test_consent_events_act_like_the_commands(client):
    assert recorded(client, event("$unsubscribe"))["unsubscribed_at"] is not None
    assert client.counts() == (1, 0, 1)
    assert recorded(client, event("$subscribe"))["unsubscribed_at"] is None
    assert client.counts() == (1, 1, 0)


@pytest.mark.parametrize("type_", ["$subscribe", "$update_fields"])
def test_values_in_details_are_fields_for_some_types(client, type_):
    details = {"plan": "a", "age": 1, "first_name": "Ada", "none": None, "unique": {"key": "x"}}
    subscriber = recorded(client, event(type_, details=details, fields={"plan": "b"}))
    assert subscriber["fields"] == {"plan": "b", "age": 1, "first_name": "Ada"}


@pytest.mark.parametrize("type_", ["visit", "$tag", "$unsubscribe", "$custom"])
def test_values_in_details_are_not_fields_for_other_types(client, type_):
    assert recorded(client, event(type_, details={"plan": "a", "tag": "x"}))["fields"] == {}


def test_if_unset_writes_only_values_that_are_not_set(client):
    client.create(ADA, first_name="Ada", plan="pro", city="", seats=0)
    values = {"plan": "free", "city": "Oslo", "seats": 7, "last_name": "Byron", "first_name": "A."}
    subscriber = recorded(client, event(fields=values, details={"if_unset": True, "page": "/"}))
    assert subscriber["fields"] == {
        "plan": "pro", "city": "Oslo", "seats": 0, "first_name": "Ada", "last_name": "Byron",
    }  # fmt: skip
    assert (
        recorded(client, event(fields={"plan": "free"}, details={"if_unset": False}))["fields"]["plan"]
        == "free"
    )


def test_if_unset_counts_what_an_earlier_event_has_set(client):
    backfill = [event(fields={"plan": plan}, details={"if_unset": True}) for plan in ("free", "pro")]
    assert recorded(client, *backfill)["fields"] == {"plan": "free"}


def test_if_unset_is_no_value_itself_and_changes_consent_and_tags_as_ever(client):
    client.create(ADA, tags="old", command="unsubscribe")
    details = {"if_unset": True, "plan": "pro"}
    subscriber = recorded(
        client, event("$subscribe", details=details), event("$tag", details=details | {"tag": "new"})
    )
    assert (subscriber["fields"], subscriber["unsubscribed_at"]) == ({"plan": "pro"}, None)
    assert tag_names(client, subscriber) == ["old", "new"]
    assert recorded(client, event("$update_fields", details={"if_unset": "x"}))["fields"]["if_unset"] == "x"


def test_a_unique_event_is_stored_and_applied_once(client, other_client):
    once = {"details": {"unique": {"key": "order-1"}}}
    recorded(client, event("buy", fields={"plan": "a"}, **once), event("buy", fields={"plan": "b"}, **once))
    subscriber = recorded(client, event("buy", fields={"plan": "c"}, **once))
    assert subscriber["fields"] == {"plan": "a"}
    assert stored() == [("buy", "order-1")]
    recorded(client, event("refund", **once), event("buy", details={"unique": {"key": "order-2"}}))
    recorded(client, event("buy", details={"unique": {"key": None}}), event("buy", details={"unique": {}}))
    assert len(stored()) == 5
    recorded(other_client, event("buy", **once))
    assert len(stored()) == 6


def test_unique_keys_are_compared_as_text(client):
    recorded(client, event(details={"unique": {"key": 5}}), event(details={"unique": {"key": "5"}}))
    assert stored() == [("visit", "5")]


def test_only_subscribe_events_work_on_suppressed_addresses(client):
    erase(client, ADA)
    answer = response_assertions.answer(
        send(client, event(), event("$tag", details={"tag": "x"}), event("$subscribe", date="2020-01-01"))
    )
    assert [field for field, _ in response_assertions.tally(answer)] == [
        f"events[{index}].email" for index in range(3)
    ]
    assert (answer["results"], client.counts(), stored()) == (0, (0, 0, 0), [])
    assert recorded(client, event("$subscribe"), event())["email"] == ADA


def test_events_belong_to_one_site(client, other_client):
    client.create(ADA)
    recorded(other_client, event("$unsubscribe"))
    assert client.counts() == (1, 1, 0)
    assert response_assertions.subscriber(client.find(ADA))["last_event_at"] is None


def test_a_unique_event_of_an_erased_subscriber_can_be_stored_again(client):
    once = {"details": {"unique": {"key": "order-1"}}}
    gone = {"email": "gone@example.com", "type": "buy", **once}
    erase(client, "gone@example.com")
    answer = response_assertions.answer(
        send(client, gone, gone, event("buy", **once), event("buy", **once), gone)
    )
    assert [field for field, _ in response_assertions.tally(answer)] == ["events[0].email", "events[1].email"]
    assert (answer["results"], answer["failed"]) == (3, 2)
    assert stored() == [("buy", "order-1")]
    assert client.find(ADA) is not None


def test_a_unique_event_of_an_erased_subscriber_who_subscribes_again_is_stored(client):
    once = {"details": {"unique": {"key": "order-1"}}}
    erase(client, ADA)
    recorded(client, event("$subscribe", **once), event("buy", **once), event("buy", **once))
    assert stored() == [("$subscribe", "order-1"), ("buy", "order-1")]
