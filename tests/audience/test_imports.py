"""Imports are applied once, in order, whoever dies when (contract section 2)."""

import threading

import pytest

from audience import clock, imports, sites, stats, subscribers
from storage import database
from storage import imports as stored
from storage.errors import Unavailable
from tests.door import Rung


@pytest.fixture
def site(app):
    return sites.create("Example")


@pytest.fixture
def tick(monkeypatch):
    """Moves the clock on, by ten minutes unless told."""
    now = clock.now()

    def move(milliseconds=600_000):
        nonlocal now
        now += milliseconds
        monkeypatch.setattr(clock, "now", lambda: now)

    move(0)
    return move


def accept(site, count=600, prefix="p", **values):
    rows = [(index, {"email": f"{prefix}{index}@example.com", **values}) for index in range(count)]
    return imports.accept(site, rows, [], Rung(), 1).id


def payload(import_id):
    with database.session():
        return database.rows("SELECT payload FROM import_batches WHERE import_id = ?", (import_id,))


def state(site, import_id):
    found = imports.progress(site, import_id)
    return found.status, found.applied, found.created, found.updated, found.unchanged


def steal(site, import_id, lease=10_000):
    """Another worker takes the import."""
    with database.write():
        at = clock.now()
        return stored.claim(site.id, import_id, "thief", at, at + lease)


class Killed(BaseException):
    """Nothing of ours runs after it."""


def test_a_finished_import_drops_its_payload_and_is_never_taken_again(site):
    import_id = accept(site)
    assert payload(import_id)
    imports.drain(site.id, 30)
    assert state(site, import_id) == ("finished", 600, 600, 0, 0)
    assert payload(import_id) == []
    assert steal(site, import_id) is None
    assert imports.drain(site.id, 30) is False
    assert state(site, import_id) == ("finished", 600, 600, 0, 0)


def test_an_import_that_somebody_holds_is_left_alone_until_the_lease_is_over(site, tick):
    import_id = accept(site)
    assert imports.waiting_sites() == [site.id]
    assert steal(site, import_id)
    assert imports.waiting_sites() == []
    assert imports.drain(site.id, 30) is False
    assert stats.site(site).users == 0
    tick()
    assert imports.waiting_sites() == [site.id]
    imports.drain(site.id, 30)
    assert state(site, import_id) == ("finished", 600, 600, 0, 0)


def test_whoever_dies_in_the_middle_is_followed_where_it_was(site, tick, monkeypatch):
    import_id = accept(site, 1000)
    write, calls = subscribers.write, []

    def dies(*arguments):
        calls.append(1)
        outcomes = write(*arguments)
        if len(calls) == 2:
            raise Killed
        return outcomes

    monkeypatch.setattr(subscribers, "write", dies)
    with pytest.raises(Killed):
        imports.drain(site.id, 30)
    assert state(site, import_id) == ("running", 500, 500, 0, 0)
    assert stats.site(site) == stats.recount(site) == stats.Counts(500, 0)
    tick()
    imports.drain(site.id, 30)
    assert state(site, import_id) == ("finished", 1000, 1000, 0, 0)
    assert stats.site(site) == stats.recount(site) == stats.Counts(1000, 0)


def test_who_has_lost_the_claim_writes_nothing(site, tick, monkeypatch):
    import_id = accept(site, 1000)

    def stolen(_):
        tick()
        assert steal(site, import_id)

    monkeypatch.setattr(imports.time, "sleep", stolen)
    assert imports.drain(site.id, 30) is False
    assert state(site, import_id) == ("running", 500, 500, 0, 0)
    assert stats.site(site) == stats.recount(site) == stats.Counts(500, 0)
    with database.session():
        assert database.row("SELECT claim FROM imports")[0] == "thief"


def test_what_fails_five_times_is_kept_and_holds_nothing_up(site, tick, monkeypatch, caplog):
    write = subscribers.write

    def faulty(site_id, changes):
        if any(change.key.startswith("bad") for change in changes):
            raise RuntimeError(changes[0].email)
        return write(site_id, changes)

    monkeypatch.setattr(subscribers, "write", faulty)
    bad, good = accept(site, prefix="bad"), accept(site, prefix="good")
    for _ in range(5):
        assert imports.drain(site.id, 30) is False
        assert state(site, bad)[0] == "queued"
        assert state(site, good)[1] == 0
        tick()
    imports.drain(site.id, 30)
    assert state(site, bad) == ("failed", 0, 0, 0, 0)
    assert payload(bad)
    assert state(site, good) == ("finished", 600, 600, 0, 0)
    assert len(caplog.records) == 5
    assert "example.com" not in caplog.text


def test_a_database_that_is_away_is_no_failure_of_the_import(site, tick, monkeypatch):
    def away(*_):
        raise Unavailable("database is locked")

    import_id = accept(site)
    with monkeypatch.context() as patch:
        patch.setattr(subscribers, "write", away)
        for _ in range(10):
            with pytest.raises(Unavailable):
                imports.drain(site.id, 30)
            tick()
    imports.drain(site.id, 30)
    assert state(site, import_id) == ("finished", 600, 600, 0, 0)


def test_imports_are_applied_in_the_order_of_acceptance(site):
    ids = [accept(site, 600, fields={"plan": plan}) for plan in ("a", "b", "c")]
    imports.drain(site.id, 30)
    assert [state(site, each)[2:] for each in ids] == [(600, 0, 0), (0, 600, 0), (0, 600, 0)]
    assert subscribers.find(site, "p599@example.com").fields == {"plan": "c"}


def test_several_that_drain_at_once_apply_every_row_once(site):
    ids = [accept(site, 700, prefix=f"p{number}-") for number in range(4)]

    def work():
        while any(state(site, each)[0] != "finished" for each in ids):
            imports.drain(site.id, 30)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [state(site, each) for each in ids] == [("finished", 700, 700, 0, 0)] * 4
    assert stats.site(site) == stats.recount(site) == stats.Counts(2800, 0)


def test_drain_stops_when_its_time_is_over(site):
    accept(site)
    assert imports.drain(site.id, 0) is True
    assert stats.site(site).users == 0


def test_a_chunk_holds_so_many_values(site, monkeypatch):
    write, sizes = subscribers.write, []

    def count(site_id, changes):
        sizes.append(len(changes))
        return write(site_id, changes)

    monkeypatch.setattr(subscribers, "write", count)
    monkeypatch.setattr(imports, "MOST_VALUES", 25)
    many = [str(number) for number in range(40)]
    rows = [{"tags": many[:10]}, {"fields": dict.fromkeys(many[:10], 1)}, {}, {},
            {"tags": many[:3], "remove_tags": many[3:6]}, {"tags": many}]  # fmt: skip
    rows = [(index, {"email": f"p{index}@example.com", **row}) for index, row in enumerate(rows)]
    import_id = imports.accept(site, rows, [], Rung(), 1).id
    imports.drain(site.id, 30)
    assert sizes == [4, 1, 1]
    assert state(site, import_id) == ("finished", 6, 6, 0, 0)
