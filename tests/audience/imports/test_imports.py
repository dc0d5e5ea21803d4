"""Imports are applied once, in order, even if a worker dies."""

import threading
from typing import Any

import pytest

from audience import clock, jobs
from audience.imports import backlog, imports
from audience.operations import site_lane
from audience.subscribers import stats, subscribers
from storage import database, leases
from storage import jobs as stored_jobs
from storage.engines import sqlite_log
from storage.pace import Pace
from tests.client import FakeQueue
from tests.stored_people import found


def accept(site, count=600, prefix="p", **values):
    rows = [(index, {"email": f"{prefix}{index}@example.com", **values}) for index in range(count)]
    return imports.accept(site, rows, [], FakeQueue(), 1).id


def in_two_batches(site):
    """The id of an import of 1,000 rows."""
    import_id, second = accept(site, 500, "p"), accept(site, 500, "q")
    with database.write():
        database.execute(
            "UPDATE import_batches SET import_id = ?, first_row = 500 WHERE import_id = ?",
            (import_id, second),
        )
        database.execute("DELETE FROM imports WHERE id = ?", (second,))
        database.execute("DELETE FROM jobs WHERE subject = ?", (second,))
        database.execute("UPDATE imports SET rows = 1000 WHERE id = ?", (import_id,))
    return import_id


def payload(import_id):
    with database.session():
        return database.rows("SELECT payload FROM import_batches WHERE import_id = ?", (import_id,))


def state(site, import_id):
    progress = imports.progress(site, import_id)
    return progress.status, progress.applied, progress.created, progress.updated, progress.unchanged


def steal(site, import_id, lease=10_000):
    """Claims the import as another worker."""
    with database.write():
        now = leases.now(clock.uptime_ms())
        claimed = stored_jobs.claim(
            site.id, ["import"], "thief", now, lease, in_order=True, one_at_a_time=True
        )
    assert claimed is None or claimed.subject == import_id
    return claimed


class Killed(BaseException):
    """Not an `Exception`: no handler runs."""


def test_a_finished_import_deletes_its_payload_and_is_never_claimed_again(site):
    import_id = accept(site)
    assert payload(import_id)
    site_lane.drain(site.id, 30)
    assert state(site, import_id) == ("finished", 600, 600, 0, 0)
    assert payload(import_id) == []
    assert steal(site, import_id) is None
    assert site_lane.drain(site.id, 30) is False
    assert state(site, import_id) == ("finished", 600, 600, 0, 0)


def test_a_claimed_import_is_not_claimed_again_before_its_lease_expires(site, tick):
    import_id = accept(site)
    assert jobs.due_sites() == [site.id]
    assert steal(site, import_id)
    assert jobs.due_sites() == []
    assert site_lane.drain(site.id, 30) is False
    assert stats.for_site(site).users == 0
    tick()
    assert jobs.due_sites() == [site.id]
    site_lane.drain(site.id, 30)
    assert state(site, import_id) == ("finished", 600, 600, 0, 0)


@pytest.mark.parametrize("by", [-86_400_000, -3_600_000, 3_600_000, 86_400_000])
def test_a_clock_that_is_set_neither_ends_nor_extends_a_lease(site, tick, monkeypatch, by):
    now = clock.now_ms()
    import_id = accept(site)
    assert steal(site, import_id)
    monkeypatch.setattr(clock, "now_ms", lambda: now + by)
    assert jobs.due_sites() == []
    tick(10_001)
    monkeypatch.setattr(clock, "now_ms", lambda: now + by)
    assert jobs.due_sites() == [site.id]
    site_lane.drain(site.id, 30)
    assert state(site, import_id) == ("finished", 600, 600, 0, 0)


@pytest.mark.of_sqlite
def test_a_lease_from_before_the_machine_started_holds_nothing(site, monkeypatch):
    import_id = accept(site)
    assert steal(site, import_id)
    monkeypatch.setattr(clock, "uptime_ms", lambda: -1_000_000)
    assert backlog.count_abandoned() == 1
    site_lane.drain(site.id, 30)
    assert state(site, import_id) == ("finished", 600, 600, 0, 0)


def test_after_a_worker_dies_another_resumes_its_import(site, tick, monkeypatch):
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
        site_lane.drain(site.id, 30)
    assert state(site, import_id) == ("running", 500, 500, 0, 0)
    assert stats.for_site(site) == stats.recount(site) == stats.Counts(500, 0)
    tick()
    site_lane.drain(site.id, 30)
    assert state(site, import_id) == ("finished", 1000, 1000, 0, 0)
    assert stats.for_site(site) == stats.recount(site) == stats.Counts(1000, 0)


def test_a_worker_that_lost_its_claim_writes_nothing(site, tick, monkeypatch):
    import_id = accept(site, 1000)

    def stolen(*_):
        tick()
        assert steal(site, import_id)

    monkeypatch.setattr(imports, "_pace", Pace(200, 200, 200))
    monkeypatch.setattr(imports._pace, "learn", stolen)  # after a transaction
    assert site_lane.drain(site.id, 30) is False
    assert state(site, import_id) == ("running", 200, 200, 0, 0)
    assert stats.for_site(site) == stats.recount(site) == stats.Counts(200, 0)
    with database.session():
        assert database.row("SELECT claim FROM jobs WHERE kind = 'import'")[0] == "thief"


def test_a_worker_whose_import_another_has_finished_says_nothing_of_a_failure(
    site, tick, monkeypatch, caplog
):
    import_id = in_two_batches(site)
    checkpoint = database.checkpoint

    def finished_by_another(**_):
        monkeypatch.setattr(database, "checkpoint", checkpoint)
        tick()
        assert site_lane.drain(site.id, 30) is False

    monkeypatch.setattr(database, "checkpoint", finished_by_another)
    assert site_lane.drain(site.id, 30) is False
    assert state(site, import_id) == ("finished", 1000, 1000, 0, 0)
    assert caplog.records == []


def test_imports_are_applied_in_the_order_of_acceptance(site):
    ids = [accept(site, 600, fields={"plan": plan}) for plan in ("a", "b", "c")]
    site_lane.drain(site.id, 30)
    assert [state(site, each)[2:] for each in ids] == [(600, 0, 0), (0, 600, 0), (0, 600, 0)]
    assert found(site, "p599@example.com").fields == {"plan": "c"}


def test_concurrent_workers_apply_every_row_once(site):
    ids = [accept(site, 700, prefix=f"p{number}-") for number in range(4)]

    def work():
        while any(state(site, each)[0] != "finished" for each in ids):
            site_lane.drain(site.id, 30)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [state(site, each) for each in ids] == [("finished", 700, 700, 0, 0)] * 4
    assert stats.for_site(site) == stats.recount(site) == stats.Counts(2800, 0)


def test_drain_stops_at_its_deadline(site):
    accept(site)
    assert site_lane.drain(site.id, 0) is True
    assert stats.for_site(site).users == 0


def test_a_chunk_has_a_maximum_of_values(site, monkeypatch):
    write, sizes = subscribers.write, []

    def count(site_id, changes, number):
        sizes.append(len(changes))
        return write(site_id, changes, number)

    monkeypatch.setattr(subscribers, "write", count)
    monkeypatch.setattr(imports, "MAX_VALUES", 25)
    many = [str(number) for number in range(40)]
    rows: list[dict[str, Any]] = [{"tags": many[:10]}, {"fields": dict.fromkeys(many[:10], 1)}, {}, {},
            {"tags": many[:3], "remove_tags": many[3:6]}, {"tags": many}]  # fmt: skip
    items = [(index, {"email": f"p{index}@example.com", **row}) for index, row in enumerate(rows)]
    import_id = imports.accept(site, items, [], FakeQueue(), 1).id
    site_lane.drain(site.id, 30)
    assert sizes == [4, 1, 1]
    assert state(site, import_id) == ("finished", 6, 6, 0, 0)


@pytest.mark.of_sqlite
def test_imports_wait_while_a_reader_keeps_the_log_long(site, monkeypatch):
    import_ids = [accept(site, 1000, prefix) for prefix in "abc"]
    database.checkpoint()
    for name, pages in {"LONG_PAGES": 50, "KEPT_PAGES": 20, "FULL_PAGES": 100}.items():
        monkeypatch.setattr(sqlite_log, name, pages)
    reading, may_end = threading.Event(), threading.Event()

    def read():
        with database.snapshot():
            reading.set()
            may_end.wait(60)

    reader = threading.Thread(target=read)
    reader.start()
    assert reading.wait(60)
    try:
        for _ in range(3):
            assert site_lane.drain(site.id, 30) is False
        assert [state(site, each)[0] for each in import_ids] == ["finished", "queued", "queued"]
    finally:
        may_end.set()
        reader.join(60)
    assert site_lane.drain(site.id, 30) is False
    assert [state(site, each)[0] for each in import_ids] == ["finished"] * 3
