"""Undo of an unsubscribe by a link puts the consent event of before back, and forgets no unsubscribe."""

import pytest

from audience import clock
from audience.changes.consents import ConsentEvent
from audience.clock import MINUTE_MS
from audience.links import links, undoing
from audience.links.links import UNSUBSCRIBE
from audience.operations import site_lane
from audience.subscribers import commands
from storage import database
from storage.changes import consent_changes
from storage.changes.consents import ConsentKind
from tests.audience.undo.test_undos import put, take_back
from tests.pages.visitor import ZOE, command, heading, text, ticket
from tests.stored_people import found

LEAVES = {"email": ZOE, "command": "unsubscribe"}


def drain(site):
    site_lane.drain(site.id, 30)


def undo(zoe, ticket):
    return zoe.post(f"/unsubscribe/{zoe.token()}/undo", {"ticket": ticket})


def event(site):
    person = found(site, ZOE)
    return person.unsubscribed_at, person.consent_at, person.consent_number, person.consent_kind


@pytest.mark.parametrize("command", ["", "subscribe"])
def test_the_event_of_before_counts_again(zoe, command):
    if command:
        commands.run(zoe.site, [{"email": ZOE, "command": command}])
    before = event(zoe.site)
    assert heading(undo(zoe, zoe.unsubscribe())) == "You’re back"
    assert event(zoe.site) == before
    with database.session():
        changed = consent_changes.for_subscriber(zoe.site.id, found(zoe.site, ZOE).id)[-1]
    assert (changed.subscribed, changed.source, changed.reason) == (True, "link", "undone")


def test_after_a_changed_address_it_is_too_late(zoe):
    token = zoe.token()
    ticket = zoe.unsubscribe(token)
    commands.run(zoe.site, [{"email": ZOE, "command": "change_email", "query": "new@example.com"}])
    assert zoe.post(f"/unsubscribe/{token}/undo", {"ticket": ticket}).status_code == 409
    assert not zoe.is_subscribed("new@example.com")


def test_an_unsubscribe_accepted_before_that_waits_counts_after_the_undo(zoe):
    put(zoe.site, LEAVES, wait=False)
    assert undo(zoe, zoe.unsubscribe()).status_code == 200
    drain(zoe.site)
    assert not zoe.is_subscribed()


def test_an_unsubscribe_accepted_before_and_applied_since_is_not_undone(zoe):
    put(zoe.site, LEAVES, wait=False)
    ticket = zoe.unsubscribe()
    drain(zoe.site)
    assert undo(zoe, ticket).status_code == 409
    assert not zoe.is_subscribed()


@pytest.mark.parametrize("drained", ["before the undo", "after the undo"])
def test_an_unsubscribe_accepted_between_counts(zoe, drained):
    ticket = zoe.unsubscribe()
    put(zoe.site, LEAVES, wait=drained == "before the undo")
    undo(zoe, ticket)
    drain(zoe.site)
    assert not zoe.is_subscribed()


def test_a_dated_unsubscribe_of_between_counts_after_the_undo(zoe):
    commands.run(zoe.site, [{"email": ZOE, "command": "subscribe"}])
    subscribed_at = found(zoe.site, ZOE).consent_at
    assert undo(zoe, zoe.unsubscribe()).status_code == 200
    put(zoe.site, {"email": ZOE, "unsubscribed_at": subscribed_at + 1})
    assert not zoe.is_subscribed()


def test_a_subscribe_of_an_import_that_is_undone_does_not_count_again(zoe):
    take_back(zoe.site, put(zoe.site, LEAVES | {"command": "subscribe"}))
    import_id = put(zoe.site, LEAVES | {"command": "subscribe"})
    ticket = zoe.unsubscribe()
    take_back(zoe.site, import_id)
    assert undo(zoe, ticket).status_code == 409
    assert not zoe.is_subscribed()


def test_undo_of_the_import_that_subscribed_them_goes_on_after_it(zoe):
    before = event(zoe.site)
    import_id = put(zoe.site, LEAVES | {"command": "subscribe"})
    assert event(zoe.site) != before
    assert undo(zoe, zoe.unsubscribe()).status_code == 200
    take_back(zoe.site, import_id)
    assert event(zoe.site) == before


def test_unsubscribing_is_undone_within_the_hour(zoe, later):
    token, undo = zoe.token(), f"/unsubscribe/{zoe.token()}/undo"
    sent = zoe.unsubscribe()
    assert not zoe.is_subscribed()
    later(59 * MINUTE_MS)
    page = zoe.post(undo, {"ticket": sent})
    assert (page.status_code, heading(page), zoe.is_subscribed()) == (200, "You’re back", True)
    assert heading(zoe.post(undo, {"ticket": sent})) == "You’re back"
    sent = zoe.unsubscribe(token)
    later(61 * MINUTE_MS)
    page = zoe.post(undo, {"ticket": sent})
    assert (page.status_code, heading(page), zoe.is_subscribed()) == (409, "That’s no longer possible", False)


def test_undo_says_until_when_in_the_sites_time_zone(zoe, monkeypatch):
    monkeypatch.setattr(clock, "now_ms", lambda: 1_795_620_240_000)  # 2026-11-25T15:24:00Z
    page = zoe.post(f"/unsubscribe/{zoe.token()}")
    assert "You can undo this until 17:24." in text(page)


@pytest.mark.parametrize("what", ["unsubscribe", "subscribe", "one-click"])
def test_undo_ends_with_the_next_consent_event(zoe, what):
    token, sent = zoe.token(), zoe.unsubscribe()
    if what == "one-click":
        zoe.post(f"/unsubscribe/{token}", b"List-Unsubscribe=One-Click")
    else:
        command(zoe.site, what)
        command(zoe.site, "unsubscribe")
    assert zoe.post(f"/unsubscribe/{token}/undo", {"ticket": sent}).status_code == 409
    assert not zoe.is_subscribed()


def test_undo_needs_the_ticket_of_that_very_page(zoe):
    put(zoe.site, {"email": "bob@example.com"})
    token, of_bob = zoe.token(), zoe.token(email="bob@example.com")
    others, sent = zoe.unsubscribe(of_bob), zoe.unsubscribe()
    link = links.read(UNSUBSCRIBE, of_bob)
    assert link is not None
    before = ConsentEvent(0, 0, ConsentKind.NONE)
    of_same_number, _ = undoing.new_ticket(link, found(zoe.site, ZOE).consent_number, before)
    undo = f"/unsubscribe/{token}/undo"
    for wrong in ("", "x", others, of_same_number, sent[:-1], sent + "x", "é", "x" * 999):
        assert zoe.post(undo, {"ticket": wrong}).status_code == 409
    assert zoe.post(undo).status_code == 409
    assert not zoe.is_subscribed()
    assert [zoe.get(f"/unsubscribe/{token}/{part}").status_code for part in ("undo", "reason")] == [405, 405]


def test_a_repeat_and_one_click_and_looking_give_no_ticket(zoe):
    path = f"/unsubscribe/{zoe.token()}"
    assert ticket(zoe.get(path)) == ""
    assert ticket(zoe.post(path, b"List-Unsubscribe=One-Click")) == ""
    assert zoe.unsubscribe() == ""
    assert heading(zoe.post(path)) == "You’re unsubscribed"
