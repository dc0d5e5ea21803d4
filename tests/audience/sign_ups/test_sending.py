"""A confirmation is sent once while all goes well, again where it does not, and never to whom it must not."""

import pytest

from audience import clock
from audience.access import address_lists
from audience.access.audit_log import COMMAND_LINE
from audience.clock import DAY_MS, HOUR_MS, MINUTE_MS
from audience.config import Settings
from audience.errors import Refused, TooMany
from audience.mail.relay import Relay
from audience.mail.results import LATER, PAUSED, REFUSED, UNSURE
from audience.sign_ups import confirming, holds, mailboxes, sending, sign_ups
from audience.sign_ups.confirming import ConfirmOutcome
from storage import database
from storage.instance import state as instance_state
from storage.sign_ups import alarms
from storage.sign_ups.alarms import Alarm
from tests.audience.undo.test_undos import put, run
from tests.mail_server import DROPS, MailServer, serving
from tests.sign_up_steps import (
    ZOE,
    ask,
    confirm,
    counted,
    job_left,
    make_form,
    read,
    row,
    send,
    token,
)


class Killed(BaseException):
    """As a worker that is killed: nothing handles it."""


def killed(*_, **__):
    raise Killed


def test_a_mail_goes_out_and_its_link_confirms(site, form, relay):
    sign_up = ask(site, form)
    send(site, relay)
    [mail] = relay.mails
    assert (mail.recipient, mail.sender) == (ZOE, "letters@harbour.example")
    assert token(site, sign_up) in mail.text.replace("=\n", "")
    sent = row(site, sign_up)
    assert (sent.status, sent.said, sent.tries) == ("sent", "250 OK", 1)
    assert sent.expires_at == sent.sent_at + 7 * DAY_MS
    assert job_left(site) is None
    send(site, relay)
    assert len(relay.mails) == 1
    assert confirm(site, sign_up) is ConfirmOutcome.CONFIRMED
    assert counted(site) == {"asked": 1, "sent": 1, "confirmed": 1}


def test_the_mail_goes_to_the_normal_form_and_has_nothing_that_was_typed(site, form, relay):
    ask(site, form, first_name="Mallory", last_name="Typed", agent="Typed")
    send(site, relay)
    assert "Mallory" not in relay.mails[0].text
    assert "Typed" not in relay.mails[0].text


def test_what_the_server_does_not_take_now_goes_later_under_one_id(site, form, relay, tick):
    """After 1, 5 and 15 minutes, then hourly; after 72 hours it has failed."""
    sign_up = ask(site, form)
    relay.script = [(LATER, "451 later")] * 100
    waits = []
    while (now := row(site, sign_up)).status == "waiting":
        send(site, relay)
        if (now := row(site, sign_up)).next_try_at:
            waits.append((now.next_try_at - clock.now_ms()) // MINUTE_MS)
            tick(now.next_try_at - clock.now_ms() - 1)
            send(site, relay)
            assert row(site, sign_up).tries == now.tries
            tick(1)
    assert waits == [1, 5, 15, *[60] * 72]
    assert (now.status, now.said, now.reason) == ("failed", "451 later", "relay")
    assert len({mail.message_id for mail in relay.mails}) == 1
    assert len(relay.mails) == 76
    assert counted(site) == {"asked": 1, "failed": 1}


def test_a_refused_recipient_has_failed_and_is_sent_again_by_hand(site, form, relay, tick):
    sign_up = ask(site, form)
    relay.script = [(REFUSED, "550 5.1.1 no such user")]
    send(site, relay)
    failed = row(site, sign_up)
    assert (failed.status, failed.said, failed.sent_at) == ("failed", "550 5.1.1 no such user", None)
    with pytest.raises(TooMany) as too_many:
        sign_ups.send_again(site, sign_up.id, COMMAND_LINE)
    assert 590 < too_many.value.retry_after <= 600
    tick(10 * MINUTE_MS)
    sign_ups.send_again(site, sign_up.id, COMMAND_LINE)
    send(site, relay)
    assert row(site, sign_up).status == "sent"
    confirm(site, sign_up)
    with pytest.raises(Refused):
        sign_ups.send_again(site, sign_up.id, COMMAND_LINE)


@pytest.mark.parametrize("command", ["mail", "rcpt", "data"])
def test_a_server_that_refuses_everybody_by_policy_fails_nobody(site, form, tick, command):
    sign_ups_asked = [ask(site, form, f"p{number}@gmail.com") for number in range(3)]
    with serving(MailServer()) as server:
        setattr(server, command, "550 5.7.1 Relay access denied")
        relay = Relay(Settings(smtp_url=server.url))
        send(site, relay)
        assert {(row(site, one).status, row(site, one).said) for one in sign_ups_asked} == {
            ("waiting", "550 5.7.1 Relay access denied")
        }
        setattr(server, command, "250 OK")
        tick(MINUTE_MS)
        send(site, relay)
        assert {row(site, one).status for one in sign_ups_asked} == {"sent"}


def test_a_server_that_takes_none_now_costs_no_try(site, form, relay, tick):
    sign_up = ask(site, form)
    relay.script = [(PAUSED, "421 busy")] * 3
    for _ in range(3):
        send(site, relay)
        tick(MINUTE_MS)
    assert row(site, sign_up).tries == 1
    send(site, relay)
    assert row(site, sign_up).status == "sent"


def test_a_server_that_takes_none_for_three_days_ends_it(site, form, relay, tick):
    sign_up, began = ask(site, form), clock.now_ms()
    relay.script = [(PAUSED, "421 busy")] * 1_000
    while row(site, sign_up).status == "waiting":
        send(site, relay)
        tick(20 * MINUTE_MS)
    assert (row(site, sign_up).status, row(site, sign_up).reason) == ("failed", "relay")
    assert 72 * HOUR_MS < clock.now_ms() - began < 74 * HOUR_MS


def test_what_a_server_may_have_taken_goes_once_more_and_no_more(site, form, tick):
    """Also where the alarm is on meanwhile."""
    sign_up = ask(site, form)
    with serving(MailServer(data=DROPS)) as server:
        for _ in range(5):
            send(site, Relay(Settings(smtp_url=server.url)))
            with database.write(site.id):
                alarms.put(site.id, Alarm(held_at=clock.now_ms()))
            tick(2 * HOUR_MS)
        ids = [taken.message["Message-ID"] for taken in server.taken]
    assert (len(ids), len(set(ids))) == (2, 1)
    assert (row(site, sign_up).status, row(site, sign_up).reason) == ("failed", "relay")
    assert confirm(site, sign_up) is ConfirmOutcome.CONFIRMED


def test_one_that_was_tried_and_held_is_not_lost_to_its_own_try(site, form, relay, tick):
    sign_up = ask(site, form)
    relay.script = [(LATER, "451 later")]
    send(site, relay)
    with database.write(site.id):
        alarms.put(site.id, Alarm(held_at=clock.now_ms()))
    tick(MINUTE_MS)
    send(site, relay)
    assert (row(site, sign_up).status, row(site, sign_up).reason) == ("held", "alarm")
    holds.release(site, COMMAND_LINE)
    send(site, relay)
    assert row(site, sign_up).status == "sent"


def test_whoever_leaves_while_it_goes_is_not_sent_it(site, form, relay):
    put(site, {"email": ZOE})
    sign_up = ask(site, form)
    relay.meanwhile = lambda: run(site, command="unsubscribe", email=ZOE)
    send(site, relay)
    assert relay.mails == []
    assert row(site, sign_up).status == "ended"
    assert job_left(site) is None


@pytest.mark.parametrize("place", ["begun", "sent"])
def test_a_worker_that_is_killed_sends_it_at_most_twice_under_one_id(
    site, form, relay, tick, monkeypatch, place
):
    sign_up, began = ask(site, form), clock.now_ms()
    with monkeypatch.context() as patched:
        patched.setattr(*((relay, "send") if place == "begun" else (sending, "_note")), killed)
        with pytest.raises(Killed):
            send(site, relay)
    send(site, relay)
    assert row(site, sign_up).status == "waiting"  # the lease still runs
    tick(91_000)
    send(site, relay)
    assert row(site, sign_up).status == "sent"
    assert len({mail.message_id for mail in relay.mails}) == 1
    assert len(relay.mails) == (1 if place == "begun" else 2)
    assert mailboxes.next_possible(site, ZOE) == began + 10 * MINUTE_MS
    assert counted(site)["sent"] == 1


def test_workers_that_are_killed_twice_once_it_was_taken_send_no_third(site, form, relay, tick, monkeypatch):
    sign_up = ask(site, form)
    with monkeypatch.context() as patched:
        patched.setattr(sending, "_note", killed)
        for _ in range(2):
            with pytest.raises(Killed):
                send(site, relay)
            tick(91_000)
    send(site, relay)
    failed = row(site, sign_up)
    assert (len(relay.mails), failed.status, failed.said) == (2, "failed", sending.STOPPED_TWICE)
    assert job_left(site) is None
    tick(10 * MINUTE_MS)
    sign_ups.send_again(site, sign_up.id, COMMAND_LINE)
    send(site, relay)
    assert (len(relay.mails), row(site, sign_up).status) == (3, "sent")
    assert len({mail.message_id for mail in relay.mails}) == 2


def test_one_that_was_tried_and_released_was_not_stopped(site, form, relay, tick):
    sign_up = ask(site, form)
    relay.script = [(LATER, "451 later"), (UNSURE, "it broke off")]
    send(site, relay)
    with database.write(site.id):
        alarms.put(site.id, Alarm(held_at=clock.now_ms()))
    tick(MINUTE_MS)
    send(site, relay)
    holds.release(site, COMMAND_LINE)
    send(site, relay)
    assert (row(site, sign_up).status, row(site, sign_up).reason) == ("waiting", "maybe sent")


def test_one_whose_link_came_though_it_was_not_noted_confirms(site, form, relay, monkeypatch):
    sign_up = ask(site, form)
    monkeypatch.setattr(sending, "_note", killed)
    with pytest.raises(Killed):
        send(site, relay)
    assert confirm(site, sign_up) is ConfirmOutcome.CONFIRMED


@pytest.mark.parametrize("spelling", ["zoe@example.com", "zoe+again@example.com"])
def test_who_declined_is_not_asked_again(site, form, relay, tick, spelling):
    confirming.decline(token(site, ask(site, form)))
    sign_up = ask(site, form, spelling)
    send(site, relay)
    assert (relay.mails, row(site, sign_up)) == ([], None)
    tick(30 * DAY_MS)
    ask(site, form, spelling)
    send(site, relay)
    assert len(relay.mails) == 1


def test_a_denied_address_gets_none(site, form, relay):
    address_lists.add(site, "deny", "example.com")
    sign_up = ask(site, form)
    send(site, relay)
    assert (relay.mails, row(site, sign_up)) == ([], None)
    assert counted(site) == {"asked": 1, "denied": 1}


def test_what_was_asked_for_under_another_name_of_the_service_is_held(site, form, relay):
    sign_up = ask(site, form)
    send(site, relay, base_url="https://staging.example")
    assert relay.mails == []
    assert (row(site, sign_up).status, row(site, sign_up).reason) == ("held", "moved")


def test_in_a_copy_nothing_is_sent(site, form, relay, monkeypatch):
    """Those that wait are held, with other links; those that were sent have ended."""
    sent = ask(site, form)
    send(site, relay)
    waiting = ask(site, form, "other@example.com")
    before = token(site, waiting)
    home = instance_state.home
    monkeypatch.setattr(instance_state, "home", lambda: (home()[0] or "the first", "the copy"))
    send(site, relay)
    assert len(relay.mails) == 1
    assert (row(site, waiting).status, row(site, waiting).reason) == ("held", "restored")
    assert confirm(site, sent) is ConfirmOutcome.ENDED
    assert read(before).status == "gone"
    monkeypatch.setattr(instance_state, "home", lambda: ("the copy", "the copy"))
    assert holds.release(site, COMMAND_LINE) == 1
    send(site, relay)
    assert len(relay.mails) == 2


def test_during_a_move_nothing_is_sent(site, form, relay, monkeypatch):
    ask(site, form)
    monkeypatch.setattr(instance_state, "is_here", lambda: False)
    send(site, relay)
    assert relay.mails == []


def test_without_an_address_to_send_from_it_waits(site, relay):
    sign_up = ask(site, make_form(site))
    send(site, relay)
    waiting = row(site, sign_up)
    assert (waiting.status, waiting.tries) == ("waiting", 1)
    assert "From address" in waiting.said


def test_sending_again_by_hand_is_another_message(site, form, relay, tick):
    sign_up = ask(site, form)
    for _ in range(3):
        relay.script = [(LATER, "451 later")]
        send(site, relay)
        tick(DAY_MS)
        send(site, relay)
        tick(HOUR_MS)
        sign_ups.send_again(site, sign_up.id, COMMAND_LINE)
    ids = [mail.message_id for mail in relay.mails]
    assert len(ids) == 6
    assert ids[::2] == ids[1::2]
    assert len(set(ids)) == 3
