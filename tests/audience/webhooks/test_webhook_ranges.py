"""What a webhook is sent: ranges of the record, of those whom it asks for, from the place where it is."""

import pytest

from audience.changes import log as change_log
from audience.segments import segments
from audience.sources import RESTORE
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import webhooks
from storage import database
from storage.changes import log as stored
from tests.receiver import OK, breaks_off, status
from tests.webhook_steps import (
    SECOND_MS,
    all_numbers,
    due,
    lease_clock,
    make,
    numbers,
    people,
    place,
    send_all,
    write,
)


@pytest.fixture
def clock(monkeypatch):
    return lease_clock(monkeypatch)


@pytest.fixture
def site(client):
    return client.site


def test_only_the_kinds_asked_for_are_sent_and_erasures(site, receiver, client, settings):
    make(site, receiver, kinds=["unsubscribed"])
    write(site, "ann@example.com", "bob@example.com")
    write(site, "bob@example.com", consent="unsubscribe")
    client.delete("/fetch/subscribers", query={"email": "ann@example.com"})
    write(site, "eve@example.com")
    assert due() == 1
    send_all()
    [request] = receiver.received
    kinds = [change["attributes"]["kind"] for change in request.data]
    assert kinds == ["erased", "unsubscribed", "erased"]
    assert place(site) == 5
    assert "ann@" not in request.body.decode()


def test_a_range_without_anything_to_send_is_passed_in_silence(site, receiver):
    make(site, receiver, kinds=["unsubscribed"])
    write(site, *people(600))
    send_all()
    assert receiver.received == []
    assert place(site) == 600
    assert webhook_deliveries.page(site, 1, 1) == ([], False)


def test_a_segment_lets_through_who_is_in_it_now_and_whoever_leaves(site, receiver, client):
    rules = {"all": [{"tag": "vip"}, {"field": "plan", "is": "pro"}]}
    segment = segments.create(site, {"name": "VIP", "rules": rules})
    make(site, receiver, segment_id=str(segment.id))
    write(site, "in@example.com", tags=["vip"], fields={"plan": "pro"})
    write(site, "half@example.com", tags=["vip"])
    write(site, "left@example.com")
    write(site, "left@example.com", consent="unsubscribe")
    write(site, "soon@example.com")
    write(site, "soon@example.com", tags=["vip"], fields={"plan": "pro"})
    write(site, "gone@example.com")
    client.delete("/fetch/subscribers", query={"email": "gone@example.com"})
    send_all()
    [request] = receiver.received
    sent = [
        (each["attributes"]["kind"], (each["attributes"]["email"] or "").partition("@")[0])
        for each in request.data
    ]
    assert sent == [
        ("created", "in"), ("unsubscribed", "left"), ("created", "soon"), ("updated", "soon"), ("erased", ""),
        ("erased", ""),
    ]  # fmt: skip


def test_an_import_comes_in_messages_of_500(site, receiver):
    make(site, receiver)
    for start in (0, 1_000):
        write(site, *people(1_000, start))
    write(site, "last@example.com")
    send_all()
    assert [len(each) for each in numbers(receiver)] == [500, 500, 500, 500, 1]
    assert all_numbers(receiver) == list(range(1, 2_002))
    assert len({request.id for request in receiver.received}) == 5


def test_a_message_has_a_mebibyte_or_one_change(site, receiver):
    make(site, receiver)
    for number, size in enumerate([300_000, 300_000, 300_000, 300_000, 1_200_000, 10, 10]):
        write(
            site,
            f"p{number}@example.com",
            fields={f"k{part}": "é" * 30_000 for part in range(size // 60_000)},
        )
    send_all()
    assert all_numbers(receiver) == list(range(1, 8))
    assert [len(each) for each in numbers(receiver)] == [3, 1, 1, 2]
    assert all(len(request.body) <= 2**20 or len(request.data) == 1 for request in receiver.received)


def outgrow(site, receiver, clock, *answers):
    """A message fails; after the first time those whom it is about grow, and all is sent."""
    make(site, receiver)
    write(site, *people(4))
    receiver.script = list(answers)
    send_all()
    fields = {f"k{part}": "x" * 60_000 for part in range(10)}
    for key in people(4):
        write(site, key, fields=fields)
    for seconds in (5, 30):
        clock.now_ms += seconds * SECOND_MS
        send_all()


def test_a_message_that_was_refused_has_a_mebibyte_or_one_change_when_it_is_repeated(site, receiver, clock):
    outgrow(site, receiver, clock, status(500))
    assert numbers(receiver)[:5] == [[1, 2, 3, 4], [1], [2], [3], [4]]
    assert all_numbers(receiver)[4:] == list(range(1, 9))
    assert all(len(request.body) <= 2**20 for request in receiver.received)
    assert len({request.id for request in receiver.received}) == len(receiver.received)


def test_who_else_is_in_the_segment_at_the_next_try_comes_under_another_id(site, receiver, clock, client):
    segment = segments.create(site, {"name": "VIP", "rules": {"tag": "vip"}})
    make(site, receiver, segment_id=str(segment.id))
    write(site, "ann@example.com", tags=["vip"])
    write(site, "bob@example.com")
    receiver.always = breaks_off
    send_all()
    rules = {"any": [{"tag": "vip"}, {"email": "bob@example.com"}]}
    client.call("PUT", f"/fetch/segments/{segment.id}", {"segment": {"name": "VIP", "rules": rules}})
    for seconds in (5, 30):
        clock.now_ms += seconds * SECOND_MS
        send_all()
    assert numbers(receiver) == [[1], [1, 2], [1, 2]]
    first, second, third = (request.id for request in receiver.received)
    assert first != second == third


def test_what_is_asked_for_anew_has_a_mebibyte_or_one_change(site, receiver):
    make(site, receiver, kinds=["unsubscribed"])
    for key in people(3):
        write(site, key, fields={f"k{part}": "x" * 60_000 for part in range(10)})
    write(site, "left@example.com", consent="unsubscribe")
    receiver.script = [breaks_off]
    send_all()
    webhooks.replace(site, 1, {"url": receiver.url})
    send_all()
    assert numbers(receiver) == [[4], [1], [2], [3, 4]]


def test_a_reset_comes_under_another_id_than_the_last_change_before_it(site, receiver, clock):
    make(site, receiver)
    write(site, "ann@example.com")
    receiver.script = [breaks_off]
    send_all()
    with database.write(site.id):
        stored.drop(site.id, stored.oldest(site.id, 1))
    clock.now_ms += 5 * SECOND_MS
    send_all()
    assert numbers(receiver) == [[1], [1]]
    assert [request.data[0]["attributes"]["kind"] for request in receiver.received] == ["created", "reset"]
    assert len({request.id for request in receiver.received}) == 2


@pytest.mark.parametrize("answer", [breaks_off, status(502), status(504)])
def test_a_message_that_may_have_been_taken_is_repeated_whole(site, receiver, clock, answer):
    outgrow(site, receiver, clock, answer, status(413))
    assert numbers(receiver)[:6] == [[1, 2, 3, 4], [1, 2, 3, 4], [1], [2], [3], [4]]
    assert receiver.received[0].id == receiver.received[1].id


def test_a_place_that_is_no_longer_kept_begins_with_a_reset(site, receiver, clock):
    make(site, receiver)
    write(site, *people(3))
    receiver.script = [status(500)]
    send_all()
    with database.write(site.id):
        change_log.record_reset(site.id, RESTORE, 100)
        assert database.execute("UPDATE site_counters SET oldest_change = 102 WHERE site_id = ?", (site.id,))
    write(site, "new@example.com")
    clock.now_ms += 5 * SECOND_MS
    receiver.script = [status(500)]
    send_all()
    clock.now_ms += 30 * SECOND_MS
    write(site, "newer@example.com")
    send_all()
    assert numbers(receiver) == [[1, 2, 3], [101], [101], [102]]
    [reset] = receiver.received[1].data
    assert reset["attributes"]["kind"] == "reset"
    assert (reset["attributes"]["uuid"], reset["attributes"]["changed"]) == (None, {})
    assert reset["attributes"]["source"] == {"type": "webhook", "id": "1"}
    assert receiver.received[1].id == receiver.received[2].id


def test_a_replay_is_a_run_of_its_own(site, receiver):
    make(site, receiver)
    write(site, *people(3))
    send_all()
    webhooks.replay(site, 1, 1)
    send_all()
    assert numbers(receiver) == [[1, 2, 3], [2, 3]]
    webhooks.replay(site, 1, 0)
    send_all()
    assert numbers(receiver)[2] == [1, 2, 3]
    assert len({request.id for request in receiver.received}) == 3


def test_what_was_under_way_at_a_replay_does_not_move_its_place(site, receiver):
    make(site, receiver)
    write(site, *people(3))

    def replays(request):
        webhooks.replay(site, 1, 0)
        OK(request)

    receiver.script = [replays]
    send_all()
    assert numbers(receiver) == [[1, 2, 3], [1, 2, 3]]
    assert place(site) == 3


def test_how_far_one_is_behind_is_what_it_will_be_sent(site, receiver, clock):
    """Of changes that are no longer kept, and of numbers that nothing had, it is sent one reset."""
    make(site, receiver)
    counts = [webhooks.largest_backlog()]
    write(site, *people(3))
    counts.append(webhooks.largest_backlog())
    with database.write(site.id):
        change_log.record_reset(site.id, RESTORE, 10**15)
    write(site, *people(2, 3))
    counts.append(webhooks.largest_backlog())
    receiver.script = [status(500)]
    send_all()
    write(site, *people(4, 5))
    counts.append(webhooks.largest_backlog())
    clock.now_ms += 5 * SECOND_MS
    send_all()
    counts.append(webhooks.largest_backlog())
    assert counts == [0, 3, 1, 1 + 4, 0]
