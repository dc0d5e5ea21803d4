"""Record what people did (contract section 3)."""

import pytest

from audience import clock
from storage import database
from tests import shapes
from tests.api.endpoints import ADDRESSES
from tests.api.test_subscribers import BAD_ADDRESSES, HOSTILE, erase

ADA = "ada@example.com"


def event(type_="visit", **values):
    return {"email": ADA, "type": type_, **values}


def send(door, *events):
    return door.post("/batch/events", {"events": list(events)})


def recorded(door, *events):
    """An answer whose events were all accepted; the person."""
    answer = shapes.answer(send(door, *events))
    assert shapes.tally(answer) == []
    assert (answer["results"], answer["failed"]) == (len(events), 0)
    person = door.find(ADA)
    return person and shapes.subscriber(person)


def stored():
    with database.session():
        return database.rows("SELECT type, unique_key FROM events ORDER BY id")


def tag_names(door, person):
    names = {each["id"]: each["attributes"]["name"] for each in door.get("/fetch/tags").json["data"]}
    return [names[tag_id] for tag_id in person["cached_tag_ids"]]


def test_creates_the_person_merges_fields_and_dates_the_last_event(door):
    person = recorded(door, event(fields={"plan": "pro", "first_name": "Ada"}, details={"page": "/"}))
    assert person["email"] == ADA
    assert person["fields"] == {"plan": "pro", "first_name": "Ada"}
    shapes.date(person["last_event_at"])
    assert door.counts() == (1, 1, 0)
    assert recorded(door, event(fields={"age": 36}))["fields"] == {
        "plan": "pro",
        "first_name": "Ada",
        "age": 36,
    }
    assert {shapes.field(each)["key"] for each in door.get("/fetch/fields").json["data"]} == {"plan", "age"}


@pytest.mark.parametrize("body", [
    {"events": {"email": ADA, "type": "visit"}}, {"events": [{"email": ADA, "type": "visit"}]},
    {"email": ADA, "type": "visit"},
])  # fmt: skip
def test_one_event_may_stand_alone(door, body):
    answer = shapes.answer(door.post("/batch/events", body))
    assert shapes.tally(answer) == []
    assert answer["results"] == 1
    assert door.counts() == (1, 1, 0)


@pytest.mark.parametrize(("dates", "expected"), [
    (["2020-01-01"], "2020-01-01T00:00:00.000Z"), (["2020-01-01", "2021-01-01"], "2021-01-01T00:00:00.000Z"),
    (["2021-01-01", "2020-01-01"], "2021-01-01T00:00:00.000Z"), (["2020-01-01T02:00+02:00"],
    "2020-01-01T00:00:00.000Z"),
    ([2020], "2020-01-01T00:00:00.000Z"),
])  # fmt: skip
def test_last_event_at_is_the_latest_date(door, dates, expected):
    assert recorded(door, *(event(date=date) for date in dates))["last_event_at"] == expected


@pytest.mark.parametrize("date", ["2999-01-01", None])
def test_a_future_date_and_none_are_now(door, monkeypatch, date):
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    person = recorded(door, event(date=date))
    assert person["last_event_at"] == person["created_at"]


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
    (event(details={"unique": {"key": {}}}), ".details"), (event("$subscribe", details={"": 1}), ".details"),
])  # fmt: skip
def test_a_bad_item_counts_as_failed_alone(door, item, field):
    answer = shapes.answer(send(door, {"email": "b@example.com", "type": "visit"}, item))
    assert [each for each, _ in shapes.tally(answer)] == [f"events[1]{field}"]
    assert (answer["results"], answer["failed"]) == (1, 1)
    assert door.counts() == (1, 1, 0)


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("key", ["fields", "details"])
def test_a_value_that_cannot_be_kept_fails_its_item(door, key, value):
    data = f'{{"events": [{{"email": "{ADA}", "type": "visit", "{key}": {{"a": {value}}}}}]}}'
    answer = shapes.answer(door.call("POST", "/batch/events", data=data.encode()))
    assert (answer["results"], answer["failed"]) == (0, 1)
    assert shapes.tally(answer)[0][0].startswith(f"events[0].{key}")
    assert stored() == []


@pytest.mark.parametrize("events", [
    None, [], "x", 5, True, [{"email": ADA, "type": "visit"}] * 1001,
], ids=lambda value: repr(value)[:20])  # fmt: skip
def test_no_list_or_one_too_long_is_a_422(door, events):
    assert shapes.error_fields(door.post("/batch/events", {"events": events})) == ["events"]
    assert stored() == []


def test_a_thousand_are_written_before_the_answer(door):
    answer = shapes.answer(send(door, *({"email": email, "type": "visit"} for email in ADDRESSES[:1000])))
    assert answer["results"] == 1000
    assert door.counts() == (1000, 1000, 0)
    assert len(stored()) == 1000


def test_tagging_events_act_as_the_commands(door):
    assert tag_names(door, recorded(door, event("$tag", details={"tag": " VIP "}))) == ["VIP"]
    assert tag_names(door, recorded(door, event("$tag", details={"tag": 0}))) == ["VIP", "0"]
    person = recorded(
        door, event("$remove_tag", details={"tag": "vip"}), event("$remove_tag", details={"tag": "none"})
    )
    assert tag_names(door, person) == ["0"]
    assert [type_ for type_, _ in stored()] == ["$tag", "$tag", "$remove_tag", "$remove_tag"]


def test_consent_events_act_as_the_commands(door):
    assert recorded(door, event("$unsubscribe"))["unsubscribed_at"] is not None
    assert door.counts() == (1, 0, 1)
    assert recorded(door, event("$subscribe"))["unsubscribed_at"] is None
    assert door.counts() == (1, 1, 0)


@pytest.mark.parametrize("type_", ["$subscribe", "$update_fields"])
def test_values_in_details_count_as_fields_of_these(door, type_):
    details = {"plan": "a", "age": 1, "first_name": "Ada", "none": None, "unique": {"key": "x"}}
    person = recorded(door, event(type_, details=details, fields={"plan": "b"}))
    assert person["fields"] == {"plan": "b", "age": 1, "first_name": "Ada"}


@pytest.mark.parametrize("type_", ["visit", "$tag", "$unsubscribe", "$custom"])
def test_values_in_details_are_no_fields_of_others(door, type_):
    assert recorded(door, event(type_, details={"plan": "a", "tag": "x"}))["fields"] == {}


def test_a_unique_event_is_stored_and_applied_once(door, stranger):
    once = {"details": {"unique": {"key": "order-1"}}}
    recorded(door, event("buy", fields={"plan": "a"}, **once), event("buy", fields={"plan": "b"}, **once))
    person = recorded(door, event("buy", fields={"plan": "c"}, **once))
    assert person["fields"] == {"plan": "a"}
    assert stored() == [("buy", "order-1")]
    recorded(door, event("refund", **once), event("buy", details={"unique": {"key": "order-2"}}))
    recorded(door, event("buy", details={"unique": {"key": None}}), event("buy", details={"unique": {}}))
    assert len(stored()) == 5
    recorded(stranger, event("buy", **once))
    assert len(stored()) == 6


def test_unique_keys_are_compared_as_text(door):
    recorded(door, event(details={"unique": {"key": 5}}), event(details={"unique": {"key": "5"}}))
    assert stored() == [("visit", "5")]


def test_events_on_suppressed_addresses_fail_but_for_subscribe(door):
    erase(door, ADA)
    answer = shapes.answer(
        send(door, event(), event("$tag", details={"tag": "x"}), event("$subscribe", date="2020-01-01"))
    )
    assert [field for field, _ in shapes.tally(answer)] == [f"events[{index}].email" for index in range(3)]
    assert (answer["results"], door.counts(), stored()) == (0, (0, 0, 0), [])
    assert recorded(door, event("$subscribe"), event())["email"] == ADA


def test_a_person_is_the_sites_own(door, stranger):
    door.create(ADA)
    recorded(stranger, event("$unsubscribe"))
    assert door.counts() == (1, 1, 0)
    assert shapes.subscriber(door.find(ADA))["last_event_at"] is None


def test_a_unique_event_of_an_erased_person_leaves_the_next_one_to_be_stored(door):
    once = {"details": {"unique": {"key": "order-1"}}}
    gone = {"email": "gone@example.com", "type": "buy", **once}
    erase(door, "gone@example.com")
    answer = shapes.answer(send(door, gone, gone, event("buy", **once), event("buy", **once), gone))
    assert [field for field, _ in shapes.tally(answer)] == ["events[0].email", "events[1].email"]
    assert (answer["results"], answer["failed"]) == (3, 2)
    assert stored() == [("buy", "order-1")]
    assert door.find(ADA) is not None


def test_a_unique_event_of_an_erased_person_who_subscribes_before_it_is_stored(door):
    once = {"details": {"unique": {"key": "order-1"}}}
    erase(door, ADA)
    recorded(door, event("$subscribe", **once), event("buy", **once), event("buy", **once))
    assert stored() == [("$subscribe", "order-1"), ("buy", "order-1")]
