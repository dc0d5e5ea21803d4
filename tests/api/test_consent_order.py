"""Consent is ordered by acceptance, whatever the clock does (docs/contract.md, Commands)."""

import pytest

from audience import clock
from audience.operations import site_lane
from schemas.values import write_date
from tests.api.test_consent import ADA, command, consent, event, import_one, move, queue

HOUR, DAY = 3_600_000, 86_400_000
STEPS = [-DAY, -HOUR, 0, HOUR, DAY]


@pytest.fixture
def step(monkeypatch):
    """Stops the clock, and sets it forward or back."""
    now = clock.now_ms()

    def move_to(milliseconds):
        nonlocal now
        now += milliseconds
        monkeypatch.setattr(clock, "now_ms", lambda: now)

    move_to(0)
    return move_to


def drain(client):
    site_lane.drain(client.site.id, 30)


@pytest.mark.parametrize("by", STEPS)
@pytest.mark.parametrize("leave", [
    lambda client: command(client, "unsubscribe"),
    lambda client: event(client, "$unsubscribe"),
    lambda client: import_one(client, command="unsubscribe"),
], ids=["command", "event", "import"])  # fmt: skip
def test_who_leaves_after_the_clock_was_set_has_left(client, step, by, leave):
    command(client, "subscribe")
    step(by)
    leave(client)
    assert consent(client)
    command(client, "subscribe")
    assert consent(client) is None


@pytest.mark.parametrize("by", STEPS)
@pytest.mark.parametrize(("queued", "meanwhile"), [
    ("subscribe", "unsubscribe"), ("unsubscribe", "subscribe"),
])  # fmt: skip
def test_a_queued_item_loses_to_a_command_accepted_after_it(client, step, by, queued, meanwhile):
    queue(client, command=queued)
    step(by)
    command(client, meanwhile)
    step(-by)
    drain(client)
    assert (consent(client) is None) == (meanwhile == "subscribe")


@pytest.mark.parametrize("by", STEPS)
def test_a_queued_item_counts_after_what_was_accepted_before_it(client, step, by):
    command(client, "unsubscribe")
    step(by)
    queue(client, command="subscribe")
    drain(client)
    assert consent(client) is None


@pytest.mark.parametrize("by", STEPS)
def test_a_subscribe_that_waited_while_its_address_was_erased_is_dropped(client, step, by):
    client.create(ADA)
    queue(client, command="subscribe")
    step(by)
    client.delete("/fetch/subscribers", query={"email": ADA})
    step(-by)
    drain(client)
    assert client.find(ADA) is None
    step(by)
    command(client, "subscribe")
    assert consent(client) is None


def test_a_dated_event_counts_where_it_is_later_than_the_last_change(client, step):
    at = clock.now_ms()
    command(client, "unsubscribe")
    event(client, "$subscribe", write_date(at))
    assert consent(client)
    step(1)
    event(client, "$subscribe", write_date(at + DAY))
    assert consent(client) is None


def test_a_dated_event_from_before_an_erasure_does_not_lift_it(client, step):
    client.create(ADA)
    before = write_date(clock.now_ms())
    step(-HOUR)
    client.delete("/fetch/subscribers", query={"email": ADA})
    step(HOUR)
    body = {"events": [{"email": ADA, "type": "$subscribe", "date": before}]}
    assert client.post("/batch/events", body).json["failed"] == 1
    assert client.find(ADA) is None


@pytest.mark.parametrize("by", STEPS)
def test_a_late_event_never_undoes_what_was_done_with_the_clock_set_back(client, step, by):
    command(client, "subscribe")
    step(by)
    command(client, "unsubscribe")
    step(-by)
    event(client, "$subscribe", write_date(clock.now_ms()))
    assert consent(client)


@pytest.mark.parametrize("by", STEPS)
def test_the_old_address_of_who_left_stays_known(client, step, by):
    queue(client, command="subscribe")
    command(client, "unsubscribe")
    step(by)
    move(client, ADA, "new@example.com")
    drain(client)
    assert client.find(ADA) is None
    client.create(ADA)
    assert consent(client)


@pytest.mark.parametrize("by", STEPS)
def test_a_person_keeps_their_consent_on_an_address_that_someone_left(client, step, by):
    command(client, "unsubscribe")
    move(client, ADA, "new@example.com")
    client.create("other@example.com")
    step(by)
    move(client, "other@example.com", ADA)
    assert consent(client) is None


def test_a_subscribe_dated_before_who_unsubscribed_moved_to_the_address_is_not_theirs(client, step):
    command(client, "unsubscribe")
    move(client, ADA, "new@example.com")
    step(HOUR)
    between = write_date(clock.now_ms())
    step(HOUR)
    move(client, "new@example.com", ADA)
    event(client, "$subscribe", between)
    assert consent(client)
