"""An operator asks one unconfirmed subscriber; nobody who has answered gets an email."""

import pytest

from audience.access import address_lists, audit_log
from audience.access.audit_log import Actor
from audience.changes.changes import Consent, change_from_item
from audience.config import Settings
from audience.errors import NotFound, Refused, TooMany
from audience.forms import forms
from audience.sign_ups import confirming, requests, sign_ups
from audience.sign_ups.confirming import ConfirmOutcome
from audience.sign_ups.sign_ups import ALL
from audience.subscribers import commands, subscribers
from storage import database
from storage.sign_ups import proofs
from tests.sign_up_steps import BASE, ZOE, ask, confirm, counted, make_form, make_sender, row, send

MARA = Actor("mara@example.com")


@pytest.fixture
def settings():
    return Settings(public_url=BASE, smtp_url="smtp+plain://127.0.0.1:25")


@pytest.fixture
def zoe(site):
    make_sender(site)
    return come_in(site)


def come_in(site, email=ZOE, **values):
    with database.write(site.id):
        change = change_from_item({"email": email, "unconfirmed": True} | values, 1)
        subscribers.write(site.id, [change], subscribers.accept_now(site.id))
    return found(site, email)


def found(site, email=ZOE):
    subscriber = subscribers.find(site, email)
    assert subscriber
    return subscriber


def unsubscribe(site):
    commands.run(site, [{"email": ZOE, "command": "unsubscribe"}])


def unsubscribe_earlier(site):
    """By a date before they came in: they stay unconfirmed, and yet have unsubscribed."""
    with database.write(site.id):
        change = change_from_item({"email": ZOE, "unsubscribed_at": 5}, 1)
        subscribers.write(site.id, [change], subscribers.accept_now(site.id))


def test_who_confirms_is_subscribed_with_a_proof_of_who_asked(site, zoe, settings, relay):
    asked = requests.ask_to_confirm(site, zoe.uuid, MARA, settings)
    assert (asked.form_id, asked.asked_by, asked.status) == (0, "operator", "waiting")
    send(site, relay)
    [mail] = relay.mails
    assert mail.recipient == ZOE
    assert "Asked on" in mail.text
    assert "signed up" not in mail.text.lower()
    shown = confirming.read(mail.text.partition("/confirm/")[2].split()[0])
    assert shown
    assert (shown.is_by_operator, shown.needs_click) == (True, True)
    assert confirm(site, asked) is ConfirmOutcome.CONFIRMED
    assert found(site).unsubscribed_at is None
    [proof] = proofs_of(site, found(site))
    assert (proof.form_id, proof.asked_by, proof.confirmed_by) == (0, "operator", "click")
    [entry] = audit_log.of_subject(site, zoe.uuid)
    assert (entry.actor, entry.act) == (MARA.name, "asked to confirm")


@database.session()
def proofs_of(site, subscriber):
    return proofs.for_subscriber(site.id, subscriber.id)


@pytest.mark.parametrize("language", ["de", "xx", 7])
def test_the_email_is_in_the_language_of_the_subscriber(site, settings, relay, language):
    make_sender(site)
    zoe = come_in(site, fields={"language": language})
    requests.ask_to_confirm(site, zoe.uuid, MARA, settings)
    send(site, relay)
    assert ("Guten Tag" in relay.mails[0].text) == (language == "de")


def test_nobody_else_is_asked(site, zoe, settings):
    ann = subscribers.create(site, {"email": "ann@example.com"})
    unsubscribe(site)
    for uuid in (ann.uuid, zoe.uuid):
        with pytest.raises(Refused, match="who are unconfirmed, and have not unsubscribed"):
            requests.ask_to_confirm(site, uuid, MARA, settings)
    with pytest.raises(NotFound):
        requests.ask_to_confirm(site, "00000000-0000-7000-8000-000000000000", MARA, settings)
    assert sign_ups.list_page(site) == []


def test_who_has_unsubscribed_before_they_came_in_is_not_asked(site, zoe, settings):
    unsubscribe_earlier(site)
    with pytest.raises(Refused, match="who are unconfirmed, and have not unsubscribed"):
        requests.ask_to_confirm(site, zoe.uuid, MARA, settings)


def test_it_needs_a_way_to_send_and_somebody_who_may_get_emails(site, settings):
    zoe = come_in(site)
    with pytest.raises(Refused, match="From address"):
        requests.ask_to_confirm(site, zoe.uuid, MARA, settings)
    make_sender(site)
    address_lists.add(site, "deny", "example.com")
    with pytest.raises(Refused, match="deny list"):
        requests.ask_to_confirm(site, zoe.uuid, MARA, settings)
    assert sign_ups.list_page(site) == []


def test_it_is_asked_once_at_a_time_and_within_the_limits_of_the_mailbox(site, zoe, settings, relay, later):
    asked = requests.ask_to_confirm(site, zoe.uuid, MARA, settings)
    with pytest.raises(Refused, match="already an open sign-up"):
        requests.ask_to_confirm(site, zoe.uuid, MARA, settings)
    send(site, relay)
    sign_ups.delete(site, asked.id, MARA)
    with pytest.raises(TooMany) as refused:
        requests.ask_to_confirm(site, zoe.uuid, MARA, settings)
    assert 0 < refused.value.retry_after <= 600
    later(600_000)
    again = requests.ask_to_confirm(site, zoe.uuid, MARA, settings)
    send(site, relay)
    assert confirming.decline(_token(relay.mails[-1]))
    assert row(site, again).status == "declined"
    later(600_000)
    with pytest.raises(Refused, match="declined"):
        requests.ask_to_confirm(site, zoe.uuid, MARA, settings)


def _token(mail):
    return mail.text.partition("/confirm/")[2].split()[0]


@pytest.mark.parametrize("since", ["unsubscribed", "unsubscribed earlier", "confirmed", "moved", "undone"])
def test_who_has_answered_or_gone_since_is_sent_nothing_and_it_says_so(site, zoe, settings, relay, since):
    asked = requests.ask_to_confirm(site, zoe.uuid, MARA, settings)
    if since == "unsubscribed":
        unsubscribe(site)
    elif since == "unsubscribed earlier":
        unsubscribe_earlier(site)
    elif since == "confirmed":
        commands.run(site, [{"email": ZOE, "command": Consent.SUBSCRIBE}])
    elif since == "moved":
        commands.run(site, [{"email": ZOE, "command": "change_email", "query": "zoe@elsewhere.example"}])
    else:
        with database.write(site.id):
            database.execute("DELETE FROM subscribers WHERE site_id = ? AND uuid = ?", (site.id, zoe.uuid))
    send(site, relay)
    assert relay.mails == []
    over = row(site, asked)
    assert (over.status, over.email) == ("ended", "")
    assert over.reason == ("" if since == "unsubscribed" else "answered")


def test_the_limits_of_the_job_end_it_where_it_is_seen(site, zoe, settings, relay):
    asked = requests.ask_to_confirm(site, zoe.uuid, MARA, settings)
    address_lists.add(site, "deny", "example.com")
    send(site, relay)
    assert relay.mails == []
    assert (row(site, asked).status, row(site, asked).reason) == ("ended", "denied")


def test_it_counts_as_a_sign_up_but_for_no_form(site, zoe, settings, relay):
    form = make_form(site)
    ask(site, form, "other@example.com")
    requests.ask_to_confirm(site, zoe.uuid, MARA, settings)
    send(site, relay)
    assert counted(site) == {"asked": 2, "sent": 2}
    figures = sign_ups.figures_by_form(site)
    assert figures.keys() == {ALL, form.id}
    assert figures[ALL].now.asked == figures[form.id].now.asked == 1
    assert [one.id for one in forms.list_all(site)] == [form.id]
