"""Who left since a backup stays away when it is restored."""

import time

import pytest

from audience import clock
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.bulk.actions import UNSUBSCRIBE, NewAction, fingerprint
from audience.imports import imports
from audience.operations import backups, site_lane
from audience.subscribers import subscribers
from audience.undo import undos
from storage import database
from storage.bulk import actions as stored_actions
from storage.imports import imports as stored_imports
from tests.cli.test_consent_log import ANN, BOB, begun, left_at, lose, restore, say
from tests.client import FakeQueue
from tests.jobs import run_bulk_actions

__all__ = ["begun"]
YEAR_2020 = 1_577_836_800_000


def import_(client, *emails):
    imports.accept(client.site, [(n, {"email": each}) for n, each in enumerate(emails)], [], FakeQueue(), 0)
    site_lane.drain(client.site.id, 5)


def test_who_left_since_the_backup_stays_unsubscribed(backup, settings, client):
    say(client, "unsubscribe")
    before = left_at(client)
    assert restore(settings, backup)["left"] == 1
    assert left_at(client) == before
    assert client.counts() == (2, 1, 1)
    import_(client, ANN)
    assert left_at(client) == before


@pytest.mark.parametrize("is_known", [True, False])
def test_an_unsubscribe_that_was_dated_counts_over_a_subscribe_of_the_same_instant(
    backup, settings, client, monkeypatch, is_known
):
    email = ANN if is_known else "new@example.com"
    now = clock.now_ms() + 1_000
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    event = {"email": email, "type": "$unsubscribe", "date": "2999-01-01T00:00:00Z"}
    assert client.post("/batch/events", {"events": [event]}).json["failed"] == 0
    restore(settings, backup)
    item = {"email": email, "command": "subscribe"}
    assert client.post("/batch/subscribers", {"subscribers": [item]}).status_code == 200
    site_lane.drain(client.site.id, 5)
    assert left_at(client, email)


@pytest.mark.parametrize("email", [ANN, "erased@example.com", "new@example.com"])
def test_the_person_s_subscribe_after_the_restore_counts_though_the_clock_went_back(
    settings, client, tmp_path, monkeypatch, email
):
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    client.create(ANN)
    client.delete("/fetch/subscribers", query={"email": "erased@example.com"})
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    items = [{"email": "other@example.com"}, {"email": email, "command": "unsubscribe"}]
    imports.accept(client.site, list(enumerate(items)), [], FakeQueue(), 0)
    restore(settings, tmp_path / "b.tar")
    monkeypatch.setattr(clock, "now_ms", lambda: now - clock.DAY_MS)
    say(client, "subscribe", email)
    site_lane.drain(client.site.id, 5)
    assert left_at(client, email) is None


def test_who_came_and_left_since_the_backup_is_not_brought_in_subscribed(backup, settings, client):
    client.create("new@example.com")
    say(client, "unsubscribe", "new@example.com")
    assert restore(settings, backup)["left"] == 0
    assert client.find("new@example.com") is None
    import_(client, "new@example.com")
    assert left_at(client, "new@example.com")


def test_who_moved_and_left_since_the_backup_stays_away_under_both_addresses(backup, settings, client):
    say(client, "change_email", query="moved@example.com")
    say(client, "unsubscribe", "moved@example.com")
    assert restore(settings, backup)["left"] == 1
    assert left_at(client)
    import_(client, "moved@example.com")
    assert left_at(client, "moved@example.com")


def test_a_word_that_waited_in_the_backup_does_not_bring_back_who_left_since(settings, client, tmp_path):
    client.create(ANN)
    item = {"email": ANN, "command": "subscribe"}
    imports.accept(client.site, [(0, item)], [], FakeQueue(), 0)
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    site_lane.drain(client.site.id, 5)
    say(client, "unsubscribe")
    restore(settings, tmp_path / "b.tar")
    site_lane.drain(client.site.id, 5)
    assert left_at(client)


@pytest.mark.parametrize("word", ["subscribe", "unsubscribe"])
def test_what_was_said_before_the_backup_is_as_it_was(settings, client, tmp_path, word):
    client.create(ANN)
    say(client, "unsubscribe")
    say(client, word)
    before = client.find(ANN)
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    assert restore(settings, tmp_path / "b.tar")["left"] == 0
    assert client.find(ANN) == before


def test_the_history_says_that_it_was_the_restore(backup, settings, client):
    say(client, "unsubscribe")
    restore(settings, backup)
    uuid = client.find(ANN)["attributes"]["uuid"]
    history = client.get(f"/fetch/subscribers/{uuid}/events", query={"history": "1"}).json["history"]
    newest = history["changes"][0]["attributes"]
    assert (newest["kind"], newest["source"]["type"]) == ("unsubscribed", "restore")


@pytest.mark.parametrize("is_moved", [False, True])
def test_whom_an_undo_since_the_backup_took_out_again_stays_away(settings, client, tmp_path, is_moved):
    people = {name: f"{name}@example.com" for name in ("left", "moved", "erased")}
    for email in people.values():
        client.create(email)
    say(client, "unsubscribe", people["left"])
    say(client, "unsubscribe", people["moved"])
    say(client, "change_email", people["moved"], query="new@example.com")
    client.delete("/fetch/subscribers", query={"email": people["erased"]})
    items = [(n, {"email": email, "command": "subscribe"}) for n, email in enumerate(people.values())]
    wrong = imports.accept(client.site, items, [], FakeQueue(), 0).id
    site_lane.drain(client.site.id, 5)
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    if is_moved:
        for name, email in people.items():
            say(client, "change_email", email, query=f"{name}@new.example")
    undos.undo_import(client.site, wrong, 30)
    site_lane.drain(client.site.id, 5)
    restore(settings, tmp_path / "b.tar")
    import_(client, *people.values())
    assert left_at(client, people["left"])
    assert left_at(client, people["moved"])
    assert client.find(people["erased"]) is None
    assert client.counts()[1] == 0


@pytest.mark.parametrize("by", ["batch", "bulk action"])
def test_an_unsubscribe_that_waits_when_a_backup_is_restored_counts(backup, settings, client, by):
    if by == "batch":
        items = [(0, {"email": ANN, "command": "unsubscribe"}), (1, {"email": "new@example.com"})]
        imports.accept(client.site, items, [], FakeQueue(), 0)
    else:
        person = subscribers.find(client.site, ANN)
        assert person is not None
        new = NewAction(kind=UNSUBSCRIBE, ids=[person.id], seen=fingerprint([person.id]))
        bulk_actions.begin(client.site, new, Actor("operator"))
    assert restore(settings, backup)["left"] == 1
    assert left_at(client)


def test_what_waits_and_is_dated_before_a_subscribe_unsubscribes_nobody(backup, settings, client):
    say(client, "subscribe")
    imports.accept(client.site, [(0, {"email": ANN, "unsubscribed_at": YEAR_2020})], [], FakeQueue(), 0)
    assert restore(settings, backup)["left"] == 0
    assert left_at(client) is None


def test_who_subscribed_after_what_waits_is_not_unsubscribed_by_a_restore(backup, settings, client):
    items = [(0, {"email": ANN, "command": "unsubscribe"}), (1, {"email": "new@example.com"})]
    imports.accept(client.site, items, [], FakeQueue(), 0)
    time.sleep(0.01)
    say(client, "subscribe")
    assert restore(settings, backup)["left"] == 0
    assert left_at(client) is None


def test_the_latest_unsubscribe_of_who_is_unknown_to_the_backup_counts(settings, client, tmp_path):
    leave, back = ({"email": "new@example.com", "command": each} for each in ("unsubscribe", "subscribe"))
    for item in (leave, back):
        imports.accept(client.site, [(0, item)], [], FakeQueue(), 0)
        time.sleep(0.01)
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    say(client, "unsubscribe", "new@example.com")
    restore(settings, tmp_path / "b.tar")
    site_lane.drain(client.site.id, 5)
    assert left_at(client, "new@example.com")


def waiting_import(client, command="unsubscribe"):
    return imports.accept(client.site, [(0, {"email": ANN, "command": command})], [], FakeQueue(), 0).id


def fail(client, import_id):
    with database.write(client.site.id):
        stored_imports.fail(client.site.id, import_id, clock.now_ms())
        database.execute("DELETE FROM jobs WHERE site_id = ? AND subject = ?", (client.site.id, import_id))


@pytest.mark.parametrize("is_lost", [False, True])
@pytest.mark.parametrize("email", [ANN, "new@example.com"])
def test_an_import_that_had_failed_in_the_backup_and_was_applied_since_counts(
    begun, client, tmp_path, is_lost, email
):
    item = {"email": email, "command": "unsubscribe"}
    id_ = imports.accept(client.site, [(0, item)], [], FakeQueue(), 0).id
    fail(client, id_)
    backups.create(begun, tmp_path / "b.tar", lambda *_: None)
    imports.retry(id_)
    site_lane.drain(client.site.id, 5)
    before = left_at(client, email)
    assert before
    if is_lost:
        lose(begun)
    assert restore(begun, tmp_path / "b.tar")["left"] == (email == ANN)
    import_(client, email)
    assert left_at(client, email) == before


def test_a_subscribe_that_came_after_it_and_waits_counts_over_it(begun, client, tmp_path):
    left = waiting_import(client)
    time.sleep(0.01)
    back = waiting_import(client, "subscribe")
    for id_ in (left, back):
        fail(client, id_)
    backups.create(begun, tmp_path / "b.tar", lambda *_: None)
    imports.retry(left)
    site_lane.drain(client.site.id, 5)
    lose(begun)
    assert restore(begun, tmp_path / "b.tar")["left"] == 1
    imports.retry(back)
    site_lane.drain(client.site.id, 5)
    assert left_at(client) is None


@pytest.mark.parametrize("is_lost", [False, True])
@pytest.mark.parametrize("has_failed", [False, True])
def test_a_bulk_action_that_had_not_ended_in_the_backup_counts(begun, client, tmp_path, is_lost, has_failed):
    person = subscribers.find(client.site, BOB)
    assert person is not None
    new = NewAction(kind=UNSUBSCRIBE, ids=[person.id], seen=fingerprint([person.id]))
    act = bulk_actions.begin(client.site, new, Actor("operator"))
    if has_failed:
        with database.write(client.site.id):
            stored_actions.end(client.site.id, act.id, stored_actions.FAILED, clock.now_ms())
    backups.create(begun, tmp_path / "b.tar", lambda *_: None)
    if has_failed:
        bulk_actions.retry(client.site, act.id)
    run_bulk_actions(begun.instance)
    before = left_at(client, BOB)
    if is_lost:
        lose(begun)
    restore(begun, tmp_path / "b.tar")
    run_bulk_actions(begun.instance)
    assert left_at(client, BOB) == before


@pytest.mark.parametrize("is_undone", [False, True])
def test_whom_an_import_that_waits_in_the_backup_unsubscribed_stays_so(begun, client, tmp_path, is_undone):
    id_ = waiting_import(client)
    backups.create(begun, tmp_path / "b.tar", lambda *_: None)
    site_lane.drain(client.site.id, 5)
    before = left_at(client)
    lose(begun)
    assert restore(begun, tmp_path / "b.tar")["left"] == 1
    if is_undone:
        undos.undo_import(client.site, id_, 30)
    site_lane.drain(client.site.id, 5)
    assert left_at(client) == before


WORDS = {"event": {}, "dated event": {"date": "2020-01-01T00:00:00Z"}}


@pytest.mark.parametrize("is_lost", [False, True])
@pytest.mark.parametrize("by", WORDS)
def test_who_left_by_themselves_stays_away_though_what_waited_said_so_after_them(
    begun, client, tmp_path, is_lost, by
):
    """The import that was accepted before the backup and applied after them has an old number in the log."""
    wrong = [waiting_import(client)]
    site_lane.drain(client.site.id, 5)
    wrong.append(waiting_import(client))
    backups.create(begun, tmp_path / "b.tar", lambda *_: None)
    event = {"email": ANN, "type": "$unsubscribe", **WORDS[by]}
    assert client.post("/batch/events", {"events": [event]}).json["failed"] == 0
    site_lane.drain(client.site.id, 5)
    if is_lost:
        lose(begun)
    restore(begun, tmp_path / "b.tar")
    for id_ in reversed(wrong):
        undos.undo_import(client.site, id_, 30, resubscribe=True)
    site_lane.drain(client.site.id, 5)
    assert left_at(client)


@pytest.mark.parametrize("is_lost", [False, True])
def test_an_unsubscribe_of_what_had_failed_counts_over_one_of_before_that_is_undone(
    begun, client, tmp_path, is_lost
):
    wrong, right = waiting_import(client), waiting_import(client)
    fail(client, right)
    site_lane.drain(client.site.id, 5)
    backups.create(begun, tmp_path / "b.tar", lambda *_: None)
    imports.retry(right)
    site_lane.drain(client.site.id, 5)
    if is_lost:
        lose(begun)
    restore(begun, tmp_path / "b.tar")
    undos.undo_import(client.site, wrong, 30, resubscribe=True)
    site_lane.drain(client.site.id, 5)
    assert left_at(client)


def test_an_unsubscribe_of_the_same_instant_as_what_waits_counts_by_its_own_number(
    begun, client, tmp_path, monkeypatch
):
    """As of a clock that was set back: the order of acceptance decides."""
    now = clock.now_ms() + 1_000
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    left, back = waiting_import(client), waiting_import(client, "subscribe")
    for id_ in (left, back):
        fail(client, id_)
    backups.create(begun, tmp_path / "b.tar", lambda *_: None)
    say(client, "unsubscribe")
    imports.retry(left)
    site_lane.drain(client.site.id, 5)
    lose(begun)
    restore(begun, tmp_path / "b.tar")
    imports.retry(back)
    site_lane.drain(client.site.id, 5)
    assert left_at(client)
