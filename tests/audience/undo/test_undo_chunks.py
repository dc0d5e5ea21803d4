"""An undo goes on after a crash, beside erasures and other workers."""

import time

import pytest

from audience import clock, jobs
from audience.access import audit_log, sites
from audience.access.audit_log import Actor
from audience.erasures import erasures
from audience.imports import imports
from audience.operations import site_lane
from audience.subscribers import subscribers
from audience.undo import mentions, undos
from audience.undo import work as undo_work
from audience.undo import writes as undo_writes
from audience.undo.undos import import_source
from storage import database, leases
from storage.changes import source_rows
from storage.pace import Pace
from tests.audience.undo.test_undos import put
from tests.change_mirror import state
from tests.stored_people import found

PEOPLE = [f"p{number}@a.example" for number in range(9)]


class Crash(BaseException):
    """As a kill: no code of ours catches it."""


@pytest.fixture
def site(app, monkeypatch):
    monkeypatch.setattr(undo_work, "_pace", Pace(2, 2, 2))
    return sites.create("Example")


@pytest.fixture
def begun(site):
    """The id of an import of nine people, of whom four were there before; its undo waits."""
    put(site, *({"email": email, "first_name": "Before"} for email in PEOPLE[:4]))
    import_id = put(site, *({"email": email, "first_name": "Wrong"} for email in PEOPLE))
    undos.undo_import(site, import_id, 30)
    return import_id


@pytest.fixture
def after_piece(monkeypatch):
    """Calls a function in the transaction of the piece of a number, at its end."""

    def call(number, function):
        real, pieces = undo_writes.write, []

        def write(*arguments):
            done = real(*arguments)
            pieces.append(done)
            if len(pieces) == number:
                function()
            return done

        monkeypatch.setattr(undo_writes, "write", write)

    return call


def crash():
    raise Crash


@pytest.mark.parametrize("piece", [1, 3, 5])
def test_after_a_crash_another_worker_goes_on(site, begun, after_piece, monkeypatch, piece):
    after_piece(piece, crash)
    with pytest.raises(Crash):
        site_lane.drain(site.id, 30)
    assert undos.get(site, import_source(begun)).applied == 2 * (piece - 1)
    later = clock.uptime_ms() + jobs.SITE.lease_ms + 1
    monkeypatch.setattr(clock, "uptime_ms", lambda: later)
    monkeypatch.setattr(leases, "now", lambda uptime: uptime)
    assert jobs.due_sites() == [site.id]
    site_lane.drain(site.id, 30)
    undo = undos.get(site, import_source(begun))
    assert (undo.status, undo.removed, undo.restored, undo.kept) == ("finished", 5, 4, 0)
    assert {person["first_name"] for person in state(site).values()} == {"Before"}


def test_whoever_lost_the_claim_writes_nothing_more(site, begun, after_piece):
    def steal():
        database.execute("UPDATE jobs SET claim = 'thief'")

    after_piece(2, steal)
    site_lane.drain(site.id, 30)
    undo = undos.get(site, import_source(begun))
    assert (undo.status, undo.applied) == ("running", 4)
    assert len(state(site)) in (5, 7, 9)


def test_between_two_pieces_somebody_is_erased_and_somebody_says_something(site, begun, monkeypatch, app):
    folder = app.extensions["audience"].settings.instance
    real, pieces = undo_work._do_chunk, []

    def piece(*arguments):
        done = real(*arguments)
        pieces.append(done)
        if len(pieces) == 1:
            erasures.erase(site, folder, PEOPLE[8])
            subscribers.create(site, {"email": PEOPLE[7], "first_name": "Later"})
            subscribers.create(site, {"email": PEOPLE[3], "first_name": "Wrong"})
        return done

    monkeypatch.setattr(undo_work, "_do_chunk", piece)
    site_lane.drain(site.id, 30)
    undo = undos.get(site, import_source(begun))
    assert (undo.status, undo.removed + undo.restored, undo.kept) == ("finished", 7, 2)
    assert subscribers.find(site, PEOPLE[8]) is None
    assert found(site, PEOPLE[7]).first_name == "Later"
    assert found(site, PEOPLE[3]).first_name == "Before"


def test_an_undo_that_failed_does_not_stop_the_imports_behind_it(site, begun, monkeypatch):
    monkeypatch.setattr(undo_work, "_do_chunk", lambda *_: 1 / 0)
    monkeypatch.setattr(jobs, "RETRY_AFTER_MS", -1)
    put(site, {"email": "zoe@a.example"}, wait=False)
    for _ in range(6):
        site_lane.drain(site.id, 30)
    assert undos.get(site, import_source(begun)).status == "failed"
    assert subscribers.find(site, "zoe@a.example")


def test_what_mentions_people_is_read_once_over_many_turns(site, monkeypatch):
    import_id, now, read = put(site, {"email": PEOPLE[0]}), [0.0], list[int]()
    for email in PEOPLE[:5]:
        put(site, {"email": email})
    undos.undo_import(site, import_id, 30)
    real = source_rows.rows_after

    def one_a_turn(site_id, row_id, limit):
        now[0] += 1
        found = real(site_id, row_id, limit)
        read.extend(row.id for row in found)
        return found

    monkeypatch.setattr(mentions, "ROWS_AT_ONCE", 1)
    monkeypatch.setattr(source_rows, "rows_after", one_a_turn)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    turns = 0
    while undos.get(site, import_source(import_id)).finished_at is None:
        turns += 1
        site_lane.drain(site.id, 0.5)
    assert turns > 5
    assert len(read) == len(set(read)) > 4
    assert found(site, PEOPLE[0])


def test_what_operators_typed_of_whom_it_removes_is_forgotten(site, begun):
    """It may be the name, as where somebody is erased; addresses are never kept."""
    audit_log.record(Actor("operator"), "many subscribers exported, started", site, typed={"q": "Wrong"})
    site_lane.drain(site.id, 30)
    assert undos.get(site, import_source(begun)).removed == 5
    assert "Wrong" not in f"{audit_log.page(site)}"


def test_what_operators_typed_is_forgotten_where_it_fails_after_it_has_removed_some(site, begun, monkeypatch):
    audit_log.record(Actor("operator"), "many subscribers exported, started", site, typed={"q": "Wrong"})
    real = undo_work._do_chunk

    def until_one_is_removed(*arguments):
        if undos.get(site, import_source(begun)).removed:
            raise ZeroDivisionError
        return real(*arguments)

    monkeypatch.setattr(undo_work, "_do_chunk", until_one_is_removed)
    monkeypatch.setattr(jobs, "RETRY_AFTER_MS", -1)
    for _ in range(6):
        site_lane.drain(site.id, 30)
    undo = undos.get(site, import_source(begun))
    assert undo.status == "failed"
    assert undo.removed
    assert "Wrong" not in f"{audit_log.page(site)}"


def test_a_piece_reads_few_rows_that_changed_nobody(site, monkeypatch):
    people = [{"email": f"p{number}@a.example"} for number in range(120)]
    put(site, *people)
    monkeypatch.setattr(imports, "_pace", Pace(1, 1, 1))
    import_id = put(site, *people)
    undos.undo_import(site, import_id, 30)
    read, real = [], undo_work._read_rows

    def decided(*arguments):
        readers, decisions = real(*arguments)
        read.append(len(readers))
        return readers, decisions

    monkeypatch.setattr(undo_work, "_read_rows", decided)
    site_lane.drain(site.id, 30)
    assert undos.get(site, import_source(import_id)).status == "finished"
    assert sum(read) >= 120
    assert max(read) <= undo_work.MOST_ROWS
