"""Undo and consent: nobody who left is subscribed again, whatever was taken back before."""

import pytest

from audience import clock
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.changes import retention as change_log_retention
from audience.changes.entries import unpack
from audience.clock import DAY_MS
from audience.erasures import erasures
from audience.imports import imports
from audience.operations import site_lane
from audience.sources import Source
from audience.subscribers import events, subscribers
from audience.undo import undos
from audience.undo.undos import bulk_action_source
from storage import database
from storage.imports import imports as stored_imports
from storage.pace import Pace
from tests.audience.undo.test_undos import ANN, BOB, CY, put, run, take_back
from tests.jobs import run_bulk_actions
from tests.stored_people import found

OPERATOR = Actor("operator", "")


def unsubscribe(site, folder, *emails):
    """A bulk action; its id."""
    ids = [found(site, email).id for email in emails]
    act = bulk_actions.NewAction(kind="unsubscribe", ids=ids, seen=bulk_actions.fingerprint(ids))
    action_id = bulk_actions.begin(site, act, OPERATOR).id
    run_bulk_actions(folder)
    return action_id


def repeated_words(site):
    """Whose word each row of the record keeps to put it back, of rows that keep any."""
    with database.session():
        found = database.rows("SELECT entries FROM change_log WHERE site_id = ? ORDER BY id", (site.id,))
    kept = [[id_ for id_, *_ in unpack(bytes(entries)).repeated] for (entries,) in found]
    return [ids for ids in kept if ids]


def indexed(site):
    with database.session():
        return database.row("SELECT count(*) FROM changed_subscribers WHERE site_id = ?", (site.id,))[0]


def undo_bulk_action(site, action_id):
    undos.undo_bulk_action(site, action_id, 30, OPERATOR)
    site_lane.drain(site.id, 30)
    return undos.get(site, bulk_action_source(action_id))


def test_an_act_taken_back_does_not_repeat_the_word_of_an_import_taken_back(site, folder):
    put(site, {"email": ANN}, {"email": BOB}, {"email": CY})
    erasures.erase(site, folder, BOB)
    run(site, command="unsubscribe", email=ANN)
    wrong = put(site, *({"email": each, "command": "subscribe"} for each in (ANN, BOB)))
    action_id = unsubscribe(site, folder, ANN, BOB, CY)
    take_back(site, wrong)
    undo = undo_bulk_action(site, action_id)
    assert (undo.restored, undo.kept, undo.unsubscribed_kept) == (1, 2, 2)
    assert found(site, ANN).unsubscribed_at
    assert found(site, BOB).unsubscribed_at
    assert found(site, CY).unsubscribed_at is None


def test_nor_that_of_one_whose_undo_waits(site, folder):
    put(site, {"email": ANN})
    run(site, command="unsubscribe", email=ANN)
    wrong = put(site, {"email": ANN, "command": "subscribe"})
    action_id = unsubscribe(site, folder, ANN)
    undos.undo_bulk_action(site, action_id, 30, OPERATOR)
    undos.undo_import(site, wrong, 30)
    assert undos.dry_run(site, bulk_action_source(action_id), 30).counts["unsubscribed_kept"] == 1
    site_lane.drain(site.id, 30)
    assert undos.get(site, Source("import", wrong)).status == "finished"
    assert found(site, ANN).unsubscribed_at


def test_the_word_of_an_import_that_stays_is_put_back(site, folder):
    put(site, {"email": ANN})
    run(site, command="unsubscribe", email=ANN)
    put(site, {"email": ANN, "command": "subscribe"})
    assert undo_bulk_action(site, unsubscribe(site, folder, ANN)).restored == 1
    assert found(site, ANN).unsubscribed_at is None


def test_an_address_that_was_left_since_stays_known_as_left_or_erased(site, folder):
    put(site, {"email": ANN}, {"email": BOB})
    erasures.erase(site, folder, BOB)
    run(site, command="unsubscribe", email=ANN)
    wrong = put(site, *({"email": each, "command": "subscribe"} for each in (ANN, BOB)))
    for email, name in (ANN, "ann"), (BOB, "bob"):
        run(site, command="change_email", email=email, query=f"{name}@b.example")
        run(site, command="change_email", email=f"{name}@b.example", query=f"{name}@c.example")
    assert take_back(site, wrong) == (0, 1, 1)
    put(site, *({"email": f"{name}@{domain}.example"} for name in ("ann", "bob") for domain in "ab"))
    assert subscribers.find(site, BOB) is None
    for email in (ANN, "ann@b.example", "bob@b.example", "ann@c.example", "bob@c.example"):
        assert found(site, email).unsubscribed_at


def test_so_does_that_of_who_left_again_meanwhile(site, folder):
    put(site, {"email": BOB})
    erasures.erase(site, folder, BOB)
    wrong = put(site, {"email": BOB, "command": "subscribe"})
    run(site, command="change_email", email=BOB, query=CY)
    run(site, command="unsubscribe", email=CY)
    take_back(site, wrong)
    put(site, {"email": BOB})
    assert subscribers.find(site, BOB) is None


def test_an_address_that_somebody_else_has_since_is_theirs(site):
    put(site, {"email": ANN})
    run(site, command="unsubscribe", email=ANN)
    wrong = put(site, {"email": ANN, "command": "subscribe"})
    run(site, command="change_email", email=ANN, query=CY)
    subscribers.create(site, {"email": ANN})
    take_back(site, wrong)
    assert found(site, ANN).unsubscribed_at is None
    assert found(site, CY).unsubscribed_at
    with database.session():
        assert database.row("SELECT count(*) FROM suppressions") == (0,)


@pytest.mark.parametrize("more", [{}, {"first_name": "?"}])
def test_who_leaves_by_an_older_word_leaves_though_an_import_taken_back_repeated_subscribe(site, more):
    put(site, {"email": ANN})
    left = clock.now_ms()
    waits = put(site, {"email": BOB, "command": "unsubscribe"}, wait=False)
    with database.write(site.id):
        stored_imports.fail(site.id, waits, left)
        database.execute("UPDATE jobs SET status = 'failed'")
    wrong = put(site, *({"email": each, "command": "subscribe", **more} for each in (ANN, BOB)))
    put(site, {"email": BOB, "command": "subscribe"})
    take_back(site, wrong)
    events.record(site, [(0, {"email": ANN, "type": "$unsubscribe", "date": left})], [])
    imports.retry(waits)
    site_lane.drain(site.id, 30)
    assert found(site, ANN).unsubscribed_at == left
    assert found(site, BOB).unsubscribed_at is None  # a later word says so


def test_also_where_repeating_that_is_all_that_the_import_did(site, later):
    subscribers.create(site, {"email": ANN})
    left = clock.now_ms()
    later(2)
    take_back(site, put(site, {"email": ANN, "command": "subscribe"}))
    events.record(site, [(0, {"email": ANN, "type": "$unsubscribe", "date": left})], [])
    assert found(site, ANN).unsubscribed_at == left


@pytest.mark.parametrize("more", [{}, {"first_name": "?"}])
def test_erasing_forgets_the_word_that_an_import_repeated(site, folder, later, more):
    for email in (ANN, BOB):
        put(site, {"email": email})
    put(site, *({"email": email, "command": "subscribe", **more} for email in (ANN, BOB)))
    [repeated] = repeated_words(site)
    erasures.erase(site, folder, ANN)
    assert repeated_words(site) == [repeated[1:]]
    later(31 * DAY_MS)
    change_log_retention.sweep(30)
    assert indexed(site) == 0


def test_a_word_is_kept_only_where_it_can_be_taken_back(site):
    for _ in range(2):
        run(site, command="subscribe", email=ANN)
    assert repeated_words(site) == []


def test_who_said_both_at_once_in_two_pieces_of_an_import_is_taken_back(site, monkeypatch):
    monkeypatch.setattr(imports, "_pace", Pace(1, 1, 1))
    monkeypatch.setattr(clock, "now_ms", lambda: 1_790_000_000_000)
    run(site, command="unsubscribe", email=ANN)
    wrong = put(
        site, *({"email": ANN, "command": word} for word in ("subscribe", "unsubscribe", "subscribe"))
    )
    assert take_back(site, wrong) == (0, 1, 0)
    assert found(site, ANN).unsubscribed_at


@pytest.mark.parametrize("rows", [1, 100])
def test_whoever_was_erased_and_leaves_and_subscribes_by_one_import_has_left_by_it(
    site, folder, later, monkeypatch, rows
):
    monkeypatch.setattr(imports, "_pace", Pace(rows, rows, rows))
    erasures.erase(site, folder, ANN)
    between = clock.now_ms() + 1
    later(2)
    wrong = put(site, *({"email": ANN, "command": word} for word in ("unsubscribe", "subscribe")))
    put(site, {"email": ANN})
    assert take_back(site, wrong) == (0, 0, 1)
    events.record(site, [(0, {"email": ANN, "type": "$subscribe", "date": between})], [])
    assert found(site, ANN).unsubscribed_at


def test_who_subscribes_as_before_after_two_pieces_of_an_import_has_the_word_of_before(site, monkeypatch):
    monkeypatch.setattr(imports, "_pace", Pace(1, 1, 1))
    put(site, {"email": ANN})
    left = clock.now_ms()
    wrong = put(site, *({"email": ANN, "command": word} for word in ("unsubscribe", "subscribe")))
    assert take_back(site, wrong) == (0, 1, 0)
    assert found(site, ANN).unsubscribed_at is None
    events.record(site, [(0, {"email": ANN, "type": "$unsubscribe", "date": left})], [])
    assert found(site, ANN).unsubscribed_at == left
