"""Undo of an unsubscribe by a link puts the consent event of before back, and forgets no unsubscribe."""

import pytest

from audience.operations import site_lane
from audience.subscribers import commands
from storage import database
from storage.changes import consent_changes
from tests.audience.undo.test_undos import put, take_back
from tests.pages.visitor import ZOE, heading
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
        changed = consent_changes.of_subscriber(zoe.site.id, found(zoe.site, ZOE).id)[-1]
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
