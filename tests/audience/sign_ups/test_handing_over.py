"""Sign-ups are handed over to the webhook of their form: signed, at least once, and never after they end."""

import json
import threading
from typing import Any

import pytest

from audience import jobs
from audience.access import operators
from audience.access.audit_log import COMMAND_LINE
from audience.clock import HOUR_MS, MINUTE_MS
from audience.config import Settings
from audience.errors import Refused
from audience.forms import choices, forms
from audience.mail.relay import Relay
from audience.sign_ups import alarms, confirming, sending, sign_ups
from audience.sign_ups.confirming import ConfirmOutcome
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import webhooks
from storage import database
from storage.sign_ups import proofs
from tests import webhook_steps
from tests.audience.undo.test_undos import put, run
from tests.receiver import breaks_off, status
from tests.service import PATIENCE_SECONDS, until
from tests.sign_up_steps import (
    BASE,
    ZOE,
    FakeRelay,
    ask,
    confirm,
    counted,
    make_form,
    make_sender,
    row,
    send,
    tell,
    token,
)
from tests.stored_people import found
from tests.webhook_steps import make
from workers.lanes import Lanes


class Killed(BaseException):
    """As a worker that is killed: nothing handles it."""


@pytest.fixture
def webhook(site, receiver):
    return make(site, receiver, sign_ups=True)


@pytest.fixture
def form(site, webhook):
    return make_form(site, delivery=str(webhook.id), origins=["https://harbour.example"])


def logged(site, webhook):
    rows, _ = webhook_deliveries.page(site, webhook.id, 1)
    return [(row.kind, row.status, row.answer, row.failure[:12]) for row in rows]


def test_one_signed_message_has_the_links_and_nothing_that_was_typed(site, form, webhook, receiver):
    sign_up = ask(site, form, first_name="Typed", fields={"city": "Typed"}, agent="Typed", language="de",
                  origin="https://harbour.example")  # fmt: skip
    send(site)
    [message] = receiver.received
    assert message.is_signed_with(webhooks.current_secrets(site.id, webhook)[0])
    [data] = message.data
    assert data["email"] == ZOE
    assert data["confirm_url"].endswith(f"/confirm/{token(site, sign_up)}")
    assert data["decline_url"] == f"{data['confirm_url']}/decline"
    assert (data["id"], data["form"], data["language"]) == (str(sign_up.id), str(form.id), "de")
    assert (data["page"], data["is_test"]) == ("https://harbour.example", False)
    assert data["requested_at"] < data["expires_at"]
    assert "Typed" not in message.body.decode()
    sent = row(site, sign_up)
    assert (sent.status, sent.said, sent.delivery, sent.tries) == (
        "sent",
        "The receiver answered 200.",
        "webhook",
        1,
    )
    assert confirm(site, sign_up) is ConfirmOutcome.CONFIRMED
    with database.session():
        [proof] = proofs.for_subscriber(site.id, found(site, ZOE).id)
    assert (proof.delivery, proof.asked_by) == ("webhook", "form")
    assert counted(site) == {"asked": 1, "sent": 1, "confirmed": 1}


def test_what_is_not_taken_goes_again_under_one_id(site, form, receiver, tick):
    sign_up = ask(site, form)
    receiver.script = [status(500, f"no {ZOE} Canary"), status(404), breaks_off, status(301)]
    waits = []
    while (now := row(site, sign_up)).status == "waiting":
        send(site)
        if (now := row(site, sign_up)).next_try_at:
            waits.append(now.said)
            tick(HOUR_MS)
    assert [said[:28] for said in waits] == [
        "The receiver answered 500: c", "The receiver answered 404: c", "The receiver cannot be reach",
        "The receiver answered 301: c",
    ]  # fmt: skip
    assert len(receiver.received) == 5
    assert len({(message.id, message.body) for message in receiver.received}) == 1
    assert counted(site) == {"asked": 1, "sent": 1}


def test_sending_again_is_another_message(site, form, receiver, tick):
    sign_up = ask(site, form)
    send(site)
    tick(11 * MINUTE_MS)
    sign_ups.send_again(site, sign_up.id, COMMAND_LINE)
    send(site)
    first, again = receiver.received
    assert first.id != again.id
    assert first.data[0]["confirm_url"] == again.data[0]["confirm_url"]


def test_after_three_days_it_has_failed_and_the_log_has_no_answer_of_the_receiver(
    site, form, webhook, receiver, tick
):
    receiver.always = status(500, f"Canary {ZOE}")
    sign_up = ask(site, form)
    while row(site, sign_up).status == "waiting":
        send(site)
        tick(HOUR_MS)
    assert (row(site, sign_up).status, row(site, sign_up).reason) == ("failed", "relay")
    assert set(logged(site, webhook)) == {("sign_ups", 500, "", "The receiver")}
    assert counted(site) == {"asked": 1, "failed": 1}


def test_a_worker_that_is_killed_after_it_was_taken_hands_it_over_once_more(
    site, form, receiver, tick, monkeypatch
):
    sign_up, note = ask(site, form), sending._note

    def killed(*_):
        raise Killed

    monkeypatch.setattr(sending, "_note", killed)
    with pytest.raises(Killed):
        send(site)
    monkeypatch.setattr(sending, "_note", note)
    tick()
    send(site)
    assert row(site, sign_up).status == "sent"
    assert len(receiver.received) == 2
    assert len({(message.id, message.body) for message in receiver.received}) == 1


def test_a_link_confirms_though_the_answer_of_the_receiver_was_lost(site, form, receiver):
    receiver.always = breaks_off
    sign_up = ask(site, form)
    send(site)
    assert confirm(site, sign_up) is ConfirmOutcome.CONFIRMED
    with database.session():
        assert proofs.for_subscriber(site.id, found(site, ZOE).id)[0].delivery == "webhook"


def test_receivers_that_do_not_answer_hold_up_no_email(site, form, receiver):
    """Of more webhooks and hand-overs than a worker tries at once, eight and two are under way."""
    is_released, stop, by_mail = threading.Event(), threading.Event(), make_form(site)
    relay: Any = FakeRelay()

    def answers_late(request):
        is_released.wait(PATIENCE_SECONDS)
        request.say(200)

    receiver.always = answers_late
    make_sender(site)
    for _ in range(9):
        make(site, receiver)
    put(site, {"email": ZOE})
    for number in range(9):
        ask(site, form, f"p{number}@example.com")
    ask(site, by_mail)
    settings = Settings(public_url=BASE, webhook_private_addresses=True)
    Lanes([webhook_steps.KIND, *sending.kinds(settings, relay)], stop).offer(site.id)
    until(lambda: len(relay.mails) == 1 and len(receiver.received) == 10)
    is_released.set()
    until(lambda: counted(site) == {"asked": 10, "sent": 10})
    until(lambda: len(receiver.received) == 10 + 9)


def test_its_links_do_not_go_unencrypted_through_the_internet(site, webhook, form):
    item = {"url": "http://8.8.8.8/hook", "sign_ups": True}
    with pytest.raises(Refused, match="only sent encrypted"):
        webhooks.check(item, private_addresses=True)
    webhooks.replace(site, webhook.id, item)
    sign_up = ask(site, form)
    send(site)
    assert row(site, sign_up).status == "waiting"
    assert "begins with https://" in row(site, sign_up).said


@pytest.mark.parametrize("leave", ["unsubscribe", "decline"])
def test_what_has_ended_is_not_handed_over(site, form, receiver, leave):
    put(site, {"email": ZOE})
    sign_up = ask(site, form)
    if leave == "decline":
        confirming.decline(token(site, sign_up))
    else:
        run(site, command=leave, email=ZOE)
    send(site)
    assert receiver.received == []


def test_a_mailbox_has_its_cap_whoever_sends(site, form, receiver, tick):
    by_mail, relay = make_form(site), FakeRelay()
    for each in (form, by_mail, form):
        ask(site, each)
        send(site, relay)
    assert (len(receiver.received), relay.mails) == (1, [])
    assert counted(site) == {"asked": 1, "sent": 1, "capped": 2}


def test_over_what_goes_out_in_an_hour_it_is_held(site, form, receiver):
    for number in range(3):
        ask(site, form, f"p{number}@gmail.com")
    send(site, per_hour=2)
    assert len(receiver.received) == 2
    [held] = sign_ups.list_page(site, "held")
    assert held.reason == "hour"


def test_a_paused_webhook_lets_sign_ups_wait_and_says_so(site, form, webhook, receiver, tick):
    webhooks.pause(site, webhook.id, True)
    sign_up = ask(site, form)
    for _ in range(3):
        send(site)
        tick(MINUTE_MS)
    waiting = row(site, sign_up)
    assert (waiting.status, waiting.tries, receiver.received) == ("waiting", 1, [])
    assert waiting.said.startswith("The form's webhook is paused")
    webhooks.pause(site, webhook.id, False)
    send(site)
    assert (row(site, sign_up).status, len(receiver.received)) == ("sent", 1)


def test_what_waits_goes_by_what_the_form_says_now(site, form, webhook, receiver):
    webhooks.pause(site, webhook.id, True)
    relay = FakeRelay()
    ask(site, form)
    forms.change(site, form.id, {"delivery": "smtp"})
    make_sender(site)
    send(site, relay)
    assert (len(relay.mails), receiver.received) == (1, [])


def test_a_webhook_that_a_form_delivers_by_stays(site, form, webhook, receiver):
    item = {"url": receiver.url, "sign_ups": False}
    for change in (
        lambda: webhooks.delete(site, webhook.id),
        lambda: webhooks.replace(site, webhook.id, item),
    ):
        with pytest.raises(Refused) as caught:
            change()
        assert caught.value.message.endswith("for the form Footer.")
        assert [error.field for error in caught.value.errors] == ["webhook.sign_ups"]
    forms.set_state(site, form.id, forms.ARCHIVED)
    sign_up = ask(site, form)
    webhooks.delete(site, webhook.id)
    send(site)
    assert row(site, sign_up).said.startswith("The form's webhook is paused, or takes no sign-ups")


def test_a_form_delivers_by_a_webhook_of_its_site_that_takes_sign_ups(site, receiver, form):
    plain = make(site, receiver)
    for delivery in (str(plain.id), "9", "x", ""):
        with pytest.raises(Refused) as caught:
            forms.change(site, form.id, {"delivery": delivery})
        assert [error.field for error in caught.value.errors] == ["form.delivery"]
    assert caught.value.message == choices.NO_WEBHOOK


def test_of_a_test_the_owners_addresses_are_handed_over(site, webhook, receiver):
    form = make_form(site, delivery=str(webhook.id), is_test=True)
    sign_up = ask(site, form)
    send(site)
    assert (row(site, sign_up).status, receiver.received) == ("failed", [])
    operators.add("mara@harbour.example", False, {site: "owner"}, COMMAND_LINE)
    sign_ups.send_again(site, sign_up.id, COMMAND_LINE)
    send(site)
    [data] = receiver.received[0].data
    assert (data["email"], data["is_test"]) == ("mara@harbour.example", True)


def test_webhooks_that_take_sign_ups_are_told_of_the_alarm_once(site, form, webhook, receiver, tick):
    make(site, receiver)
    receiver.script = [*[status(200)] * 50, status(503)]
    for number in range(50):
        ask(site, form, f"p{number}@gmail.com")
        send(site)
        tick(MINUTE_MS)
    tick(HOUR_MS)
    ask(site, form)
    for _ in range(4):
        send(site)
        tell(site, FakeRelay())
        tick()
    assert alarms.held_since(site)
    told = [json.loads(message.body) for message in receiver.received[50:]]
    assert [(message["type"], message["data"]) for message in told] == [("alarm", [])] * 2
    assert len({message.id for message in receiver.received[50:]}) == 1


def test_the_kinds_of_jobs_hand_over_as_the_settings_say(app, site, form, receiver):
    settings = Settings(
        instance=app.extensions["audience"].settings.instance, public_url="https://people.example"
    )
    ask(site, form)
    jobs.work(sending.kinds(settings, Relay(settings)), site.id, 5)
    assert receiver.received == []
    [waiting] = sign_ups.list_page(site, "waiting")
    assert waiting.said.startswith("Send a URL that begins with https://")
