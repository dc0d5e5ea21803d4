"""Asking one subscriber who came in unconfirmed to confirm, on their page."""

import html
import re
from dataclasses import replace

import pytest

from audience.access.audit_log import page
from audience.changes.changes import change_from_item
from audience.sign_ups import sign_ups
from audience.subscribers import commands, subscribers
from storage import database
from tests.console.browser import signed_in
from tests.sign_up_steps import ZOE, FakeRelay, confirm, make_sender, send

BUTTON = "Send a confirmation"


@pytest.fixture
def path(site):
    make_sender(site)
    with database.write(site.id):
        change = change_from_item({"email": ZOE, "unconfirmed": True}, 1)
        subscribers.write(site.id, [change], subscribers.accept_now(site.id))
    found = subscribers.find(site, ZOE)
    assert found
    return f"/sites/{site.uuid}/subscribers/{found.uuid}"


@pytest.fixture
def settings(settings):
    """With a mail server, which no test calls."""
    return replace(settings, smtp_url="smtp+plain://127.0.0.1:25")


def card(answer, heading):
    inner = answer.text.partition(f"<h2>{heading}</h2>")[2].partition("</section>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", inner)).split())


def test_it_is_asked_seen_and_confirmed(site, manager, path, settings):
    before = manager.get(path)
    assert "not yet subscribed" in before.text
    assert BUTTON in card(before, "Confirmation")
    answer = manager.post(f"{path}/confirmation")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/console{path}?done=asked")
    waiting = manager.get(f"{path}?done=asked")
    assert "The email waits for the mail server." in waiting.text
    assert BUTTON not in waiting.text
    assert "waiting requested today" in card(waiting, "Confirmation")
    relay = FakeRelay()
    send(site, relay, settings.base_url)
    assert "sent" in card(manager.get(path), "Confirmation")
    listed = manager.get(f"/sites/{site.uuid}/sign-ups?status=sent").text
    assert "asked by an operator" in listed
    [sign_up] = sign_ups.list_page(site)
    confirm(site, sign_up)
    after = manager.get(path)
    assert BUTTON not in after.text
    assert "by confirming a sign-up" in after.text
    assert ("meg@example.com", "asked to confirm") in [(entry.actor, entry.act) for entry in page(site)]
    assert "Asked to confirm" in after.text
    printed = manager.get(f"{path}/consent")
    assert "by an operator, because they had not confirmed" in card(printed, "Proof of the sign-up")


def test_it_is_not_offered_to_who_has_unsubscribed_and_refused_if_sent(site, manager, path):
    commands.run(site, [{"email": ZOE, "command": "unsubscribe"}])
    assert BUTTON not in manager.get(path).text
    refused = manager.post(f"{path}/confirmation")
    assert refused.status_code == 422
    assert "Only subscribers who are unconfirmed" in refused.text
    assert sign_ups.list_page(site) == []


def test_that_nothing_was_sent_is_said_where_it_was_asked(site, manager, path, settings):
    manager.post(f"{path}/confirmation")
    commands.run(site, [{"email": ZOE, "command": "subscribe"}])
    send(site, FakeRelay(), settings.base_url)
    assert "ended requested today" in card(manager.get(path), "Confirmation")
    assert "nothing was sent: they have confirmed, unsubscribed" in card(manager.get(path), "Confirmation")


def test_it_is_within_the_limits_of_the_mailbox(site, manager, path, settings):
    manager.post(f"{path}/confirmation")
    send(site, FakeRelay(), settings.base_url)
    [sign_up] = sign_ups.list_page(site)
    manager.post(f"/sites/{site.uuid}/sign-ups/{sign_up.id}/delete")
    again = manager.post(f"{path}/confirmation")
    assert again.status_code == 429
    assert "Try again in 10 minutes." in " ".join(again.text.split())


def test_viewers_do_not_ask(app, site, path):
    viewer = signed_in(app, "viewer@example.com", {site: "viewer"})
    assert BUTTON not in viewer.get(path).text
    assert viewer.post(f"{path}/confirmation").status_code == 404
