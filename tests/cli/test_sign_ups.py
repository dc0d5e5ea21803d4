"""`audience sign-up`: what waits for a confirmation."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from app import instance
from audience.access import audit_log
from audience.changes.changes import change_from_item
from audience.cli.main import audience
from audience.subscribers import subscribers
from storage import database
from tests.console.conftest import later
from tests.sign_up_steps import ZOE, FakeRelay, ask, make_form, make_sender, send

__all__ = ["later"]


@pytest.fixture
def command(run, client):
    """Runs `audience sign-up` on the site of `client`; returns its output, or its JSON."""
    return lambda *words, **options: run("sign-up", *words, "--site", client.site.uuid, **options)


@pytest.fixture
def form(client):
    make_sender(client.site)
    return make_form(client.site)


def test_they_are_listed_with_what_the_mail_server_said(command, client, form):
    ask(client.site, form)
    ask(client.site, form, "other@example.com")
    relay = FakeRelay()
    relay.script = [("sent", "250 OK"), ("refused", "550 5.1.1 no such user")]
    send(client.site, relay)
    sent, failed = command("list").splitlines()
    assert f"sent       {ZOE}  250 OK" in sent
    assert "failed     other@example.com  550 5.1.1 no such user" in failed
    [listed] = command("list", "--status", "failed", "--json")
    assert (listed["id"], listed["attributes"]["email"]) == ("2", "other@example.com")
    told = command("list", "--address", " ZOE@example.com")
    assert told.splitlines()[0] == sent
    assert "may go to this address in" in told
    assert "may go" not in command("list")


def test_what_failed_is_sent_again_once_its_mailbox_may_have_another(command, client, form, later):
    for number in range(3):
        ask(client.site, form, f"p{number}@example.com")
    relay = FakeRelay()
    relay.script = [("refused", "550 5.1.1 no"), ("refused", "550 5.1.1 no")]
    send(client.site, relay)
    assert command("release", "--all") == "Released: 0 sign-ups.\n"
    assert command("release", "--failed", "--all") == "Released: 0 sign-ups.\n"
    later(600_001)
    assert command("release", "--failed", "--id", "2", "--json") == {"released": 1}
    assert command("release", "--failed", "--all") == "Released: 1 sign-up.\n"
    assert [one["attributes"]["status"] for one in command("list", "--json")] == [
        "waiting",
        "waiting",
        "sent",
    ]
    send(client.site, relay)
    assert len(relay.mails) == 5


def test_who_came_in_unconfirmed_is_asked(command, type_, client, settings):
    make_sender(client.site)
    with database.write(client.site.id):
        change = change_from_item({"email": ZOE, "unconfirmed": True}, 1)
        subscribers.write(client.site.id, [change], subscribers.accept_now(client.site.id))
    unset = type_("sign-up", "ask", ZOE, "--site", client.site.uuid, "--json")
    assert "AUDIENCE_SMTP_URL" in unset.exception.message
    assert json.loads(unset.stdout)["code"] == "mail_not_ready"
    opened = instance(replace(settings, smtp_url="smtp+plain://127.0.0.1:25"))
    words = ["sign-up", "ask", ZOE, "--json"]
    assert json.loads(CliRunner().invoke(audience, words, obj=opened).stdout)["id"] == "1"
    again = CliRunner().invoke(audience, words, obj=opened)
    assert "already an open sign-up" in str(again.exception)
    assert json.loads(again.stdout)["code"] == "sign_up_open"
    nobody = type_("sign-up", "ask", "nobody@example.com", "--site", client.site.uuid)
    assert "Subscriber not found" in nobody.exception.message


def test_what_is_held_is_sent_or_discarded(command, type_, client, form):
    for number in range(4):
        ask(client.site, form, f"p{number}@example.com", is_held=True, reason="trapped")
    assert command("send", 1) == "Sign-up 1 waits to be sent.\n"
    assert command("release", "--id", "2", "--json") == {"released": 1}
    assert command("release", "--before", "2020-01-01") == "Released: 0 sign-ups.\n"
    assert "give --id, --before, or --all" in command("discard", exit_code=2)
    assert "before" in command("discard", "--before", "soon", exit_code=1)
    assert command("discard", "--all") == "Discarded: 2 sign-ups.\n"
    assert [one["attributes"]["status"] for one in command("list", "--json")] == ["waiting"] * 2
    missing = type_("sign-up", "send", 99, "--site", client.site.uuid).exception
    assert "`audience sign-up list`" in missing.message
    acts = {entry.act for entry in audit_log.page(client.site)}
    assert {"sign-up sent again", "held sign-ups released", "held sign-ups discarded"} <= acts
