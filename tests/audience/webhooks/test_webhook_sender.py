"""Webhooks are sent what changed: in order, once each while all goes well, again where it does not."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from audience.deliveries.client import DeliveryResult
from audience.jobs import NET
from audience.operations import site_lane
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import sender as webhook_sender
from audience.webhooks import webhooks
from storage import database
from storage.errors import Unavailable
from tests.receiver import OK, breaks_off, lies, status
from tests.service import until
from tests.webhook_steps import (
    SECOND_MS,
    due,
    lease_clock,
    make,
    numbers,
    people,
    place,
    send,
    send_all,
    write,
)


@pytest.fixture
def clock(monkeypatch):
    return lease_clock(monkeypatch)


@pytest.fixture
def site(client):
    return client.site


@database.session()
def retries(site):
    query = "SELECT not_before FROM jobs WHERE site_id = ? AND kind = 'webhook'"
    return [at for (at,) in database.rows(query, (site.id,))]


def test_a_delivery_has_what_the_record_answers(client, site, receiver):
    make(site, receiver)
    client.create("ann@example.com", tags="vip", first_name="Ann")
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "ann@example.com"}})
    assert due() == 1
    assert send_all() == 1
    assert due() == 0
    [request] = receiver.received
    answered = client.get("/fetch/changes", query={"after": 0}).json["data"]
    assert request.data == answered
    assert request.headers["content-type"] == "application/json"
    [logged], _ = webhook_deliveries.page(site, 1, 1)
    assert (logged.first, logged.last, logged.changes, logged.status) == (1, 2, 2, 200)
    assert logged.message_id == request.id
    assert place(site) == 2


def test_a_range_is_kept_until_it_succeeds_and_nothing_is_skipped(site, receiver, clock, monkeypatch):
    """Whatever the receiver does: it fails, breaks off, lies, redirects, hangs."""
    monkeypatch.setattr(webhook_sender, "SECONDS", 0.3)
    make(site, receiver)
    write(site, *people(3))
    bad = [status(500), breaks_off, lies, status(307, Location="/other"), receiver.hangs, status(502)]
    receiver.script = list(bad)
    for failures, wait in enumerate([5, 30, 120, 600, 3_600, 3_600]):
        assert send_all() == 1, failures
        write(site, f"later{failures}@example.com")
        clock.now_ms += wait * SECOND_MS - 1
        assert due() == 0
        clock.now_ms += 1
    send_all()
    assert numbers(receiver) == [*[[1, 2, 3]] * 7, [4, 5, 6, 7, 8, 9]]
    assert len({request.id for request in receiver.received}) == 2
    log, _ = webhook_deliveries.page(site, 1, 1)
    assert [each.status for each in reversed(log)] == [500, None, None, 307, None, 502, 200, 200]
    assert [bool(each.failure) for each in reversed(log)] == [*[True] * 6, False, False]
    assert webhooks.list_all(site)[0].failures == 0


def test_after_three_days_of_failures_it_is_paused(site, receiver, clock, monkeypatch):
    make(site, receiver)
    write(site, "ann@example.com")
    monkeypatch.setattr(webhook_deliveries, "post", lambda *_, **__: DeliveryResult(503, 1, "", None))
    waits = []
    while True:
        assert send_all() == 1
        if webhooks.list_all(site)[0].paused:
            break
        [wait] = [retry_at - clock.now_ms for retry_at in retries(site)]
        clock.now_ms += wait - 1
        assert due() == 0
        clock.now_ms += 1
        waits.append(wait // SECOND_MS)
    assert waits == [5, 30, 120, 600, *[3_600] * 73]
    assert retries(site) == []
    assert webhooks.list_all(site)[0].paused == "failing"
    assert webhooks.count_paused() == {"the receiver has failed for three days": 1}
    webhooks.replace(site, 1, {"url": receiver.url, "paused": False})
    monkeypatch.undo()
    send_all()
    assert numbers(receiver) == [[1]]


def test_an_answer_of_2xx_whose_body_drips_has_succeeded(site, receiver, monkeypatch):
    monkeypatch.setattr(webhook_sender, "SECONDS", 0.3)
    make(site, receiver)
    receiver.script = [receiver.drips]
    write(site, "ann@example.com")
    send_all()
    write(site, "bob@example.com")
    send_all()
    assert numbers(receiver) == [[1], [2]]
    assert place(site) == 2
    assert [each.failure for each in webhook_deliveries.page(site, 1, 1)[0]] == ["", ""]


@pytest.mark.parametrize(
    ("code", "said", "seconds"),
    [
        (429, "60", 60),
        (503, "3600", 3600),
        (503, "99999", 3600),
        (429, "1", 5),
        (500, "60", 5),
        (429, "x", 5),
    ],
)
def test_a_receiver_that_is_busy_is_left_alone_as_long_as_it_says(site, receiver, clock, code, said, seconds):
    make(site, receiver)
    receiver.script = [status(code, **{"Retry-After": said})]
    write(site, "ann@example.com")
    send_all()
    clock.now_ms += seconds * SECOND_MS - 1
    assert due() == 0
    clock.now_ms += 1
    send_all()
    assert numbers(receiver) == [[1], [1]]
    assert place(site) == 1


def test_410_pauses_at_once(site, receiver):
    make(site, receiver)
    receiver.always = status(410)
    write(site, "ann@example.com")
    assert send_all() == 1
    assert webhooks.list_all(site)[0].paused == "gone"
    write(site, "bob@example.com")
    assert due() == 0
    assert len(receiver.received) == 1


def test_a_paused_one_goes_on_where_it_was(site, receiver):
    make(site, receiver, paused=True)
    write(site, "ann@example.com")
    assert send_all() == 0
    webhooks.replace(site, 1, {"url": receiver.url, "paused": False})
    send_all()
    assert numbers(receiver) == [[1]]


def test_a_webhook_that_is_changed_under_way_is_tried_again_at_once(site, receiver):
    make(site, receiver)
    write(site, "ann@example.com")

    def changes(request):
        webhooks.replace(site, 1, {"url": receiver.url})
        status(500)(request)

    receiver.script = [changes]
    assert send_all() == 2
    assert numbers(receiver) == [[1], [1]]


def test_a_change_under_way_waits_for_the_try(site, receiver):
    """One message at a time, whatever is done meanwhile."""
    with being_sent(site, receiver):
        webhooks.replace(site, 1, {"url": receiver.url})
        webhooks.pause(site, 1, True)
        webhooks.pause(site, 1, False)
        webhooks.replay(site, 1, 0)
        assert not send()
    send_all()
    assert numbers(receiver) == [[1], [1]]
    assert place(site) == 1


def test_what_is_changed_after_a_try_is_tried_at_once(site, receiver, clock):
    make(site, receiver)
    receiver.always = status(500)
    write(site, "ann@example.com")
    for again in (
        lambda: webhooks.replace(site, 1, {"url": receiver.url}),
        lambda: webhooks.replay(site, 1, 0),
        lambda: [webhooks.pause(site, 1, is_paused) for is_paused in (True, False)],
    ):
        assert send_all() == 1
        write(site, f"{len(receiver.received)}@example.com")
        assert due() == 0
        again()
        assert due() == 1


def test_a_deleted_one_is_sent_nothing_more(site, receiver):
    make(site, receiver)
    write(site, "ann@example.com")

    def deletes(request):
        webhooks.delete(site, 1)
        status(500)(request)

    receiver.script = [deletes]
    assert send_all() == 1
    write(site, "bob@example.com")
    assert send_all() == 0


def test_no_connection_is_held_while_a_request_is_under_way(site, receiver, monkeypatch):
    make(site, receiver)
    write(site, "ann@example.com")
    held = []

    def post(*_, **__):
        held.append(not database.database.is_closed())
        write(site, "bob@example.com")
        return DeliveryResult(200, 1, "", None)

    monkeypatch.setattr(webhook_deliveries, "post", post)
    send()
    assert held == [False]
    assert place(site) == 1


def log(site, webhook_id):
    deliveries, _ = webhook_deliveries.page(site, webhook_id, 1)
    return deliveries


def test_many_senders_send_each_range_of_a_webhook_once_and_one_at_a_time(site, receiver):
    for _ in range(3):
        make(site, receiver)
    for start in range(0, 2_000, 500):
        write(site, *people(500, start))
    under_way: list[str] = []
    at_once = []

    def counts(request):
        webhook = request.headers["webhook-id"].split("-")[1]
        under_way.append(webhook)
        at_once.append(under_way.count(webhook))
        under_way.remove(webhook)
        OK(request)

    receiver.always = counts
    with ThreadPoolExecutor(8) as pool:
        for sender in [pool.submit(send_all) for _ in range(8)]:
            sender.result()
    send_all()
    assert [each.failure for webhook in (1, 2, 3) for each in log(site, webhook) if each.failure] == []
    assert set(at_once) == {1}
    for webhook in (1, 2, 3):
        sent = [request.numbers for request in receiver.received if f"webhook-{webhook}-" in request.id]
        assert [number for some in sent for number in some] == list(range(1, 2_001))


@contextmanager
def being_sent(site, receiver):
    """One webhook with one change, whose receiver hangs until the end."""
    make(site, receiver)
    write(site, "ann@example.com")
    receiver.script = [receiver.hangs]
    first = threading.Thread(target=send)
    first.start()
    until(lambda: receiver.received)
    yield
    receiver.released.set()
    first.join()


def test_nobody_takes_a_webhook_that_is_being_sent_until_its_lease_ends(site, receiver, clock):
    with being_sent(site, receiver):
        assert due() == 0
        assert not send()
        clock.now_ms += NET.lease_ms
        assert send()
        assert place(site) == 1
    assert numbers(receiver) == [[1], [1]]
    assert send_all() == 0


def test_nothing_is_sent_from_either_end_of_a_move(site, receiver, clock):
    make(site, receiver)
    write(site, "ann@example.com")
    for phase, sent in (("leaving", 0), ("left", 0), ("arriving", 0), ("", 1)):
        with database.session():
            database.execute("UPDATE instance_state SET phase = ?", (phase,))
        clock.now_ms += webhook_sender.MOVE_MS
        with suppress(Unavailable):  # a server refuses the claim, too
            send_all()
        assert len(receiver.received) == sent


def test_each_path_that_writes_is_sent(site, receiver, client):
    make(site, receiver)
    rows = [{"email": key} for key in people(5)]
    client.post("/batch/subscribers", {"subscribers": rows})
    site_lane.drain(site.id, 30)
    send_all()
    assert [each["attributes"]["source"]["type"] for each in receiver.received[0].data] == ["import"] * 5
