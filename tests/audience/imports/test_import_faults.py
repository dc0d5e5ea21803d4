"""Imports that fail: given up for a fault of their own only, never for one of the machine."""

import errno
from contextlib import suppress

import pytest

from audience.access import sites
from audience.operations import site_lane
from audience.subscribers import stats, subscribers
from storage import database
from storage.errors import DiskFault, Unavailable, Unusable
from tests.audience.imports.test_imports import Killed, accept, payload, state
from tests.small_disk import mounted
from tests.stored_people import found


def test_an_import_that_fails_five_times_does_not_block_the_next(site, tick, monkeypatch, caplog):
    write = subscribers.write

    def faulty(site_id, changes, number):
        if any(change.key.startswith("bad") for change in changes):
            raise RuntimeError(changes[0].email)
        return write(site_id, changes, number)

    monkeypatch.setattr(subscribers, "write", faulty)
    bad, good = accept(site, prefix="bad"), accept(site, prefix="good")
    for _ in range(4):
        assert site_lane.drain(site.id, 30) is False
        assert state(site, bad)[0] == "queued"
        assert state(site, good)[1] == 0
        tick()
    site_lane.drain(site.id, 30)
    assert state(site, bad) == ("failed", 0, 0, 0, 0)
    assert payload(bad)
    assert state(site, good) == ("finished", 600, 600, 0, 0)
    assert len(caplog.records) == 5
    assert "example.com" not in caplog.text


@pytest.mark.parametrize("fault", [
    Unavailable("database is locked"), DiskFault("disk I/O error"), Unusable("damaged"),
    OSError(errno.EIO, "I/O error"), MemoryError(),
])  # fmt: skip
def test_an_import_is_never_given_up_for_a_fault_of_the_machine(site, tick, monkeypatch, fault):
    """And the next one waits for its turn."""

    def fail(*_):
        raise fault

    first, second = accept(site), accept(site)
    with monkeypatch.context() as patch:
        patch.setattr(subscribers, "write", fail)
        for _ in range(10):
            with pytest.raises(type(fault)):
                site_lane.drain(site.id, 30)
            tick(24 * 3_600_000)
    assert [state(site, each)[:2] for each in (first, second)] == [("queued", 0), ("queued", 0)]
    site_lane.drain(site.id, 30)
    assert state(site, first) == ("finished", 600, 600, 0, 0)
    assert state(site, second) == ("finished", 600, 0, 0, 600)


def test_a_worker_that_dies_again_and_again_is_no_failed_attempt(site, tick, monkeypatch):
    def dies(*_):
        raise Killed

    import_id = accept(site)
    with monkeypatch.context() as patch:
        patch.setattr(subscribers, "write", dies)
        for _ in range(10):
            with pytest.raises(Killed):
                site_lane.drain(site.id, 30)
            tick()
    site_lane.drain(site.id, 30)
    assert state(site, import_id) == ("finished", 600, 600, 0, 0)


@pytest.mark.of_sqlite
def test_imports_on_a_nearly_full_disk_wait_for_room(site, tick):
    """A claim still fits, the rows do not, and sometimes the claim cannot be handed back either."""
    first, second = accept(site, 600, fields={"plan": "a"}), accept(site, 600, fields={"plan": "b"})
    with database.session():
        [pages] = database.row("PRAGMA page_count")
        for attempt in range(30):
            database.execute(f"PRAGMA max_page_count = {pages + attempt % 5}")
            with suppress(DiskFault):
                site_lane.drain(site.id, 30)
            tick(2_000)
        assert stats.for_site(site).users == 0
        database.execute("PRAGMA max_page_count = 1000000")
    tick()
    site_lane.drain(site.id, 30)
    assert state(site, first) == ("finished", 600, 600, 0, 0)
    assert state(site, second) == ("finished", 600, 0, 600, 0)
    assert found(site, "p599@example.com").fields == {"plan": "b"}
    assert stats.for_site(site) == stats.recount(site) == stats.Counts(600, 0)


def test_an_import_on_a_full_disk_waits_for_room(tmp_path_factory, settings, tick):
    """With commits that find no room: neither rows nor claims nor their release can be written."""
    with mounted(tmp_path_factory.mktemp("small") / "disk", 8) as disk:
        database.open(f"sqlite:///{disk.path / 'audience.db'}")
        database.migrate()
        site = sites.create("Example")
        ids = [accept(site, 600, fields={"plan": plan}) for plan in ("a", "b")]
        for attempt in range(30):
            disk.fill(but_pages=2 + attempt % 3)
            with suppress(DiskFault):
                site_lane.drain(site.id, 30)
            assert stats.for_site(site).users == 0
            tick(2_000)
        disk.make_room()
        tick()
        site_lane.drain(site.id, 30)
        assert [state(site, each)[2:4] for each in ids] == [(600, 0), (0, 600)]
        assert found(site, "p599@example.com").fields == {"plan": "b"}
        assert stats.for_site(site) == stats.recount(site) == stats.Counts(600, 0)
        database.close()
