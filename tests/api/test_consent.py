"""Consent in waiting items, in commands and in events (docs/contract.md, Commands)."""

import pytest

from audience import clock
from audience.operations import site_lane
from schemas.values import write_date
from storage import database
from storage.changes import consent_changes
from storage.subscribers import subscribers
from tests import response_assertions

ADA = "ada@example.com"
MINUTE = 60_000


@pytest.fixture
def tick(monkeypatch):
    """Advances the clock by a minute."""
    now = clock.now_ms()

    def move():
        nonlocal now
        now += MINUTE
        monkeypatch.setattr(clock, "now_ms", lambda: now)

    move()
    return move


def consent(client):
    return response_assertions.subscriber(client.find(ADA))["unsubscribed_at"]


def command(client, name):
    response_assertions.answer(client.post("/fetch/commands", {"command": {"command": name, "email": ADA}}))


def queue(client, **values):
    """Queues an import."""
    rows = [{"email": ADA, **values}, {"email": "other@example.com"}]
    response_assertions.answer(client.post("/batch/subscribers", {"subscribers": rows}))


def event(client, type_, date=None):
    item = {"email": ADA, "type": type_, "date": date}
    assert response_assertions.answer(client.post("/batch/events", {"events": [item]}))["results"] == 1


def import_one(client, **values):
    client.post("/batch/subscribers", {"subscribers": [{"email": ADA, **values}]})


@pytest.mark.parametrize("bring_back", [
    lambda client: command(client, "subscribe"),
    lambda client: event(client, "$subscribe"),
    lambda client: import_one(client, command="subscribe"),
], ids=["command", "event", "import"])  # fmt: skip
def test_only_subscribe_brings_back(client, tick, bring_back):
    command(client, "unsubscribe")
    left = consent(client)
    tick()
    client.create(ADA, first_name="Ada", unsubscribed_at=None)
    client.post("/batch/subscribers", {"subscribers": [{"email": ADA, "unsubscribed_at": None}]})
    event(client, "visit")
    event(client, "$update_fields")
    assert consent(client) == left
    bring_back(client)
    assert consent(client) is None
    assert client.counts() == (1, 1, 0)


@pytest.mark.parametrize("leave", [
    lambda client: command(client, "unsubscribe"),
    lambda client: event(client, "$unsubscribe"),
    lambda client: import_one(client, command="unsubscribe"),
], ids=["command", "event", "import"])  # fmt: skip
def test_a_second_unsubscribe_keeps_the_first_date(client, tick, leave):
    leave(client)
    first = consent(client)
    response_assertions.date(first)
    tick()
    leave(client)
    assert consent(client) == first
    assert client.counts() == (1, 0, 1)


@pytest.mark.parametrize(("before", "queued", "meanwhile", "subscribed"), [
    (None, "subscribe", "unsubscribe", False),
    ("subscribe", "unsubscribe", None, False),
    ("unsubscribe", "unsubscribe", "subscribe", True),
    ("unsubscribe", "subscribe", None, True),
    ("unsubscribe", None, None, False),
    (None, None, "unsubscribe", False),
])  # fmt: skip
def test_consent_in_a_queued_item_counts_as_of_its_acceptance(
    client, tick, before, queued, meanwhile, subscribed
):
    for name in filter(None, [before]):
        command(client, name)
    tick()
    queue(client, command=queued)
    accepted = response_assertions.import_(client.get("/batch/imports").json["data"][0])["created_at"]
    tick()
    for name in filter(None, [meanwhile]):
        command(client, name)
    tick()
    site_lane.drain(client.site.id, 30)
    assert (consent(client) is None) == subscribed
    if (before, queued) == ("subscribe", "unsubscribe"):
        assert consent(client) == accepted


@pytest.mark.parametrize("late", [
    lambda client, other, at: event(client, f"${other}", write_date(at)),
    lambda client, *_: site_lane.drain(client.site.id, 30),
], ids=["event", "import"])  # fmt: skip
@pytest.mark.parametrize(("choice", "other"), [("unsubscribe", "subscribe"), ("subscribe", "unsubscribe")])
def test_a_repeated_choice_outweighs_an_earlier_opposite_request(client, tick, choice, other, late):
    command(client, choice)
    tick()
    queue(client, command=other)
    at = clock.now_ms()
    tick()
    before = client.find(ADA)
    command(client, choice)
    assert client.find(ADA) == before
    tick()
    late(client, other, at)
    assert consent(client) == before["attributes"]["unsubscribed_at"]


def test_an_event_older_than_the_last_change_of_consent_does_not_change_it(client, tick):
    old = "2020-01-01T00:00:00Z"
    command(client, "unsubscribe")
    left = consent(client)
    event(client, "$subscribe", old)
    assert consent(client) == left
    event(client, "$subscribe")
    event(client, "$unsubscribe", old)
    assert consent(client) is None


def test_an_event_of_the_past_counts_as_of_its_date(client):
    event(client, "$unsubscribe", "2020-01-01")
    assert consent(client) == "2020-01-01T00:00:00.000Z"
    event(client, "$subscribe", "2019-01-01")
    assert consent(client) == "2020-01-01T00:00:00.000Z"
    event(client, "$subscribe", "2021-01-01")
    assert consent(client) is None


def test_an_event_before_1970_is_an_event(client):
    event(client, "visit", "1969-07-20T20:17:40Z")
    assert response_assertions.subscriber(client.find(ADA))["last_event_at"] == "1969-07-20T20:17:40.000Z"
    event(client, "$unsubscribe", "1969-07-21")
    assert consent(client) == "1969-07-21T00:00:00.000Z"


def move(client, address, new):
    command = {"command": "change_email", "email": address, "query": new}
    assert response_assertions.answer(client.post("/fetch/commands", {"command": command}))["results"] == 1


def test_moving_to_an_address_replaces_the_consent_known_for_it(client, tick):
    command(client, "unsubscribe")
    move(client, ADA, "there@example.com")
    move(client, "there@example.com", ADA)
    tick()
    command(client, "subscribe")
    move(client, ADA, "elsewhere@example.com")
    client.create(ADA)
    assert consent(client) is None


def test_a_subscriber_who_moves_to_a_known_address_keeps_their_consent(client, tick):
    command(client, "unsubscribe")
    move(client, ADA, "gone@example.com")
    client.create("bob@example.com")
    move(client, "bob@example.com", ADA)
    assert consent(client) is None
    move(client, ADA, "bob@example.com")
    client.create(ADA)
    assert consent(client) is None
    assert client.counts() == (3, 2, 1)


def test_the_old_address_keeps_the_date_of_the_last_choice(client, tick):
    command(client, "unsubscribe")
    tick()
    queue(client, command="subscribe")
    tick()
    command(client, "unsubscribe")
    move(client, ADA, "gone@example.com")
    site_lane.drain(client.site.id, 30)
    assert client.find(ADA) is None
    client.create(ADA)
    assert consent(client) is not None


def test_every_change_of_consent_is_kept_with_what_it_came_from(client):
    client.create(ADA)
    queue(client, command="unsubscribe")
    queue(client, first_name="Ada")
    site_lane.drain(client.site.id, 30)
    command(client, "subscribe")
    command(client, "subscribe")
    event(client, "$unsubscribe")
    with database.session():
        ada = subscribers.get_by_key(client.site.id, ADA)
        assert ada
        said = consent_changes.for_subscriber(client.site.id, ada.id)
        [(created_by,)] = database.rows("SELECT created_by FROM subscribers WHERE id = ?", (ada.id,))
    assert [(each.subscribed, each.source) for each in said] == [
        (False, "import"), (True, "command"), (False, "event"),
    ]  # fmt: skip
    assert created_by.startswith("api ")
    assert len({each.source_id for each in said[1:]}) == 1
    assert said[2].at == ada.unsubscribed_at
