"""Who may be written to: consent in items that wait, in commands and in events (contract section 2)."""

import pytest

from audience import clock, imports
from schemas.wire import date
from tests import shapes

ADA = "ada@example.com"
MINUTE = 60_000


@pytest.fixture
def tick(monkeypatch):
    """Moves the clock on by a minute."""
    now = clock.now()

    def move():
        nonlocal now
        now += MINUTE
        monkeypatch.setattr(clock, "now", lambda: now)

    move()
    return move


def consent(door):
    return shapes.subscriber(door.find(ADA))["unsubscribed_at"]


def command(door, name):
    shapes.answer(door.post("/fetch/commands", {"command": {"command": name, "email": ADA}}))


def queue(door, **values):
    """An import that waits."""
    rows = [{"email": ADA, **values}, {"email": "other@example.com"}]
    shapes.answer(door.post("/batch/subscribers", {"subscribers": rows}))


def event(door, type_, date=None):
    given = {"email": ADA, "type": type_, "date": date}
    assert shapes.answer(door.post("/batch/events", {"events": [given]}))["results"] == 1


@pytest.mark.parametrize("bring_back", [
    lambda door: command(door, "subscribe"),
    lambda door: event(door, "$subscribe"),
    lambda door: door.post("/batch/subscribers", {"subscribers": [{"email": ADA, "command": "subscribe"}]}),
], ids=["command", "event", "import"])  # fmt: skip
def test_only_subscribe_brings_back(door, tick, bring_back):
    command(door, "unsubscribe")
    left = consent(door)
    tick()
    door.create(ADA, first_name="Ada", unsubscribed_at=None)
    door.post("/batch/subscribers", {"subscribers": [{"email": ADA, "unsubscribed_at": None}]})
    event(door, "visit")
    event(door, "$update_fields")
    assert consent(door) == left
    bring_back(door)
    assert consent(door) is None
    assert door.counts() == (1, 1, 0)


@pytest.mark.parametrize("leave", [
    lambda door: command(door, "unsubscribe"),
    lambda door: event(door, "$unsubscribe"),
    lambda door: door.post("/batch/subscribers", {"subscribers": [{"email": ADA, "command": "unsubscribe"}]}),
], ids=["command", "event", "import"])  # fmt: skip
def test_a_second_unsubscribe_keeps_the_first_date(door, tick, leave):
    leave(door)
    first = consent(door)
    shapes.date(first)
    tick()
    leave(door)
    assert consent(door) == first
    assert door.counts() == (1, 0, 1)


@pytest.mark.parametrize(("before", "queued", "meanwhile", "subscribed"), [
    (None, "subscribe", "unsubscribe", False),
    ("subscribe", "unsubscribe", None, False),
    ("unsubscribe", "unsubscribe", "subscribe", True),
    ("unsubscribe", "subscribe", None, True),
    ("unsubscribe", None, None, False),
    (None, None, "unsubscribe", False),
])  # fmt: skip
def test_consent_in_a_queued_item_counts_as_of_its_acceptance(
    door, tick, before, queued, meanwhile, subscribed
):
    for name in filter(None, [before]):
        command(door, name)
    tick()
    queue(door, command=queued)
    accepted = shapes.import_(door.get("/batch/imports").json["data"][0])["created_at"]
    tick()
    for name in filter(None, [meanwhile]):
        command(door, name)
    tick()
    imports.drain(door.site.id, 30)
    assert (consent(door) is None) == subscribed
    if (before, queued) == ("subscribe", "unsubscribe"):
        assert consent(door) == accepted


@pytest.mark.parametrize("late", [
    lambda door, other, at: event(door, f"${other}", date(at)),
    lambda door, *_: imports.drain(door.site.id, 30),
], ids=["event", "import"])  # fmt: skip
@pytest.mark.parametrize(("said", "other"), [("unsubscribe", "subscribe"), ("subscribe", "unsubscribe")])
def test_what_is_said_again_outweighs_what_was_asked_for_before(door, tick, said, other, late):
    command(door, said)
    tick()
    queue(door, command=other)
    at = clock.now()
    tick()
    before = door.find(ADA)
    command(door, said)
    assert door.find(ADA) == before
    tick()
    late(door, other, at)
    assert consent(door) == before["attributes"]["unsubscribed_at"]


def test_an_event_older_than_the_last_change_of_consent_changes_none(door, tick):
    old = "2020-01-01T00:00:00Z"
    command(door, "unsubscribe")
    left = consent(door)
    event(door, "$subscribe", old)
    assert consent(door) == left
    event(door, "$subscribe")
    event(door, "$unsubscribe", old)
    assert consent(door) is None


def test_an_event_of_the_past_counts_as_of_its_date(door):
    event(door, "$unsubscribe", "2020-01-01")
    assert consent(door) == "2020-01-01T00:00:00.000Z"
    event(door, "$subscribe", "2019-01-01")
    assert consent(door) == "2020-01-01T00:00:00.000Z"
    event(door, "$subscribe", "2021-01-01")
    assert consent(door) is None


def test_an_event_before_1970_is_an_event(door):
    event(door, "visit", "1969-07-20T20:17:40Z")
    assert shapes.subscriber(door.find(ADA))["last_event_at"] == "1969-07-20T20:17:40.000Z"
    event(door, "$unsubscribe", "1969-07-21")
    assert consent(door) == "1969-07-21T00:00:00.000Z"


def move(door, address, new):
    command = {"command": "change_email", "email": address, "query": new}
    assert shapes.answer(door.post("/fetch/commands", {"command": command}))["results"] == 1


def test_moving_to_an_address_ends_what_was_known_of_it(door, tick):
    command(door, "unsubscribe")
    move(door, ADA, "there@example.com")
    move(door, "there@example.com", ADA)
    tick()
    command(door, "subscribe")
    move(door, ADA, "elsewhere@example.com")
    door.create(ADA)
    assert consent(door) is None


def test_whoever_moves_to_a_known_address_keeps_their_own_consent(door, tick):
    command(door, "unsubscribe")
    move(door, ADA, "gone@example.com")
    door.create("bob@example.com")
    move(door, "bob@example.com", ADA)
    assert consent(door) is None
    move(door, ADA, "bob@example.com")
    door.create(ADA)
    assert consent(door) is None
    assert door.counts() == (3, 2, 1)


def test_the_old_address_is_known_as_of_the_last_word(door, tick):
    command(door, "unsubscribe")
    tick()
    queue(door, command="subscribe")
    tick()
    command(door, "unsubscribe")
    move(door, ADA, "gone@example.com")
    imports.drain(door.site.id, 30)
    assert consent(door) is not None
