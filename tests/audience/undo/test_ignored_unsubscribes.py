"""An unsubscribe that a later subscribe outweighed counts once that subscribe is undone."""

import pytest

from audience import clock
from audience.changes import retention
from audience.clock import DAY_MS
from audience.erasures import erasures
from audience.imports import imports
from audience.subscribers import events, subscribers
from audience.undo import undos
from storage import database
from storage.imports import imports as stored_imports
from storage.pace import Pace
from tests.audience.undo.test_undone_consent import indexed, undo_bulk_action, unsubscribe
from tests.audience.undo.test_undos import ANN, BOB, put, run, take_back
from tests.stored_people import found


@pytest.fixture
def wrong(site, later):
    """Imports a file that subscribes, two milliseconds after the instant between; (between, id)."""

    def put_wrong(*items):
        later(2)
        between = clock.now_ms()
        later(2)
        items = items or ({"email": ANN, "command": "subscribe"},)
        import_id = put(site, *items)
        later(2)
        return between, import_id

    return put_wrong


def leave(site, at, email=ANN):
    assert not events.record(site, [(0, {"email": email, "type": "$unsubscribe", "date": at})], []).errors


@pytest.mark.parametrize("more", [{}, {"first_name": "W"}])
def test_it_counts_with_its_date(site, wrong, more):
    put(site, {"email": ANN})
    between, import_id = wrong({"email": ANN, "command": "subscribe", **more})
    leave(site, between)
    assert found(site, ANN).unsubscribed_at is None
    counts = undos.dry_run(site, undos.import_source(import_id), 30).counts
    assert counts["unsubscribed_again"] == 1
    assert take_back(site, import_id) == (0, 1, 0)
    assert found(site, ANN).unsubscribed_at == between
    assert found(site, ANN).first_name == ""
    run(site, command="subscribe", email=ANN)
    assert found(site, ANN).unsubscribed_at is None


def test_a_date_in_a_file_counts_too_and_one_from_before_the_word_of_before_does_not(site, later, wrong):
    early = clock.now_ms()
    later(2)
    for email in ANN, BOB:
        run(site, command="subscribe", email=email)
    between, import_id = wrong(*({"email": each, "command": "subscribe"} for each in (ANN, BOB)))
    put(site, {"email": ANN, "unsubscribed_at": between}, {"email": BOB, "unsubscribed_at": early})
    take_back(site, import_id)
    assert found(site, ANN).unsubscribed_at == between
    assert found(site, BOB).unsubscribed_at is None


def test_who_had_left_before_and_between_is_not_subscribed_by_a_date_before_that(site, later, wrong):
    put(site, {"email": ANN})
    run(site, command="unsubscribe", email=ANN)
    left = found(site, ANN).unsubscribed_at
    later(2)
    early = clock.now_ms()
    between, import_id = wrong()
    leave(site, between)
    take_back(site, import_id)
    events.record(site, [(0, {"email": ANN, "type": "$subscribe", "date": early})], [])
    assert found(site, ANN).unsubscribed_at == left


def test_whom_the_import_created_stays_and_has_left(site, wrong):
    between, import_id = wrong()
    leave(site, between)
    assert take_back(site, import_id) == (0, 0, 1)
    assert found(site, ANN).unsubscribed_at == between


def test_so_it_does_by_the_date_of_an_import_that_is_undone_itself(site, wrong):
    between, import_id = wrong()
    dated = put(site, {"email": ANN, "unsubscribed_at": between})
    assert take_back(site, dated)[0] == 0
    assert take_back(site, import_id) == (0, 0, 1)
    assert found(site, ANN).unsubscribed_at == between


def test_its_own_date_does_not_count(site, wrong, monkeypatch):
    monkeypatch.setattr(imports, "_pace", Pace(1, 1, 1))
    put(site, {"email": ANN})
    early = clock.now_ms()
    dated = {"email": ANN, "unsubscribed_at": early}
    _, import_id = wrong({"email": ANN, "command": "subscribe"}, dated)
    take_back(site, import_id)
    assert found(site, ANN).unsubscribed_at is None


def test_it_counts_of_an_import_that_subscribed_in_a_later_chunk(site, wrong, monkeypatch):
    monkeypatch.setattr(imports, "_pace", Pace(1, 1, 1))
    put(site, {"email": ANN})
    between, import_id = wrong({"email": ANN, "first_name": "W"}, {"email": ANN, "command": "subscribe"})
    leave(site, between)
    assert take_back(site, import_id) == (0, 1, 0)
    assert found(site, ANN).unsubscribed_at == between


def test_it_counts_of_an_import_that_is_tried_again_late(site, later):
    put(site, {"email": ANN})
    late = put(site, {"email": ANN, "command": "unsubscribe"}, wait=False)
    with database.write(site.id):
        stored_imports.fail(site.id, late, clock.now_ms())
        database.execute("UPDATE jobs SET status = 'failed'")
    later(2)
    import_id = put(site, {"email": ANN, "command": "subscribe"})
    imports.retry(late, site)
    put(site, {"email": BOB})
    assert found(site, ANN).unsubscribed_at is None
    take_back(site, import_id)
    assert found(site, ANN).unsubscribed_at


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)])
@pytest.mark.parametrize("leaves", ["before", "between"])
def test_three_wrong_files_undone_in_any_order_subscribe_nobody(site, wrong, order, leaves):
    put(site, {"email": ANN})
    if leaves == "before":
        run(site, command="unsubscribe", email=ANN)
    between, first = wrong()
    ids = [first, wrong()[1], wrong()[1]]
    if leaves == "between":
        leave(site, between)
    for n in order:
        take_back(site, ids[n])
    assert found(site, ANN).unsubscribed_at


def test_a_bulk_action_and_the_import_before_it_undone_in_any_order(site, folder, wrong):
    put(site, {"email": ANN})
    between, import_id = wrong()
    leave(site, between)
    action_id = unsubscribe(site, folder, ANN)
    undo_bulk_action(site, action_id)
    assert found(site, ANN).unsubscribed_at is None
    take_back(site, import_id)
    assert found(site, ANN).unsubscribed_at == between


def test_a_later_word_stays(site, wrong):
    put(site, {"email": ANN})
    between, import_id = wrong()
    leave(site, between)
    run(site, command="subscribe", email=ANN)
    take_back(site, import_id)
    assert found(site, ANN).unsubscribed_at is None


def test_erasing_forgets_it_and_the_index_ends_with_the_record(site, folder, wrong, later):
    put(site, {"email": ANN})
    between, import_id = wrong()
    leave(site, between)
    erasures.erase(site, folder, ANN)
    take_back(site, import_id)
    assert subscribers.find(site, ANN) is None
    later(31 * DAY_MS)
    retention.sweep(30)
    assert indexed(site) == 0
