"""The threads of lanes: each site has its turn, no lane waits for another, and a fault ends nothing."""

import threading

import pytest

from audience import jobs
from audience.config import Settings
from audience.jobs import DB, LONG, NET, Job, Kind
from audience.operations import job_kinds
from storage.errors import Unavailable
from tests.service import PATIENCE_SECONDS, until
from workers.after_backup import AfterBackup
from workers.lanes import Lanes

NAMES = ("db", "net", "long")
KINDS = [Kind(lane.name, lane, lambda *_: 0) for lane in (DB, NET, LONG)]


class Engine:
    """Jobs of sites, as (site, kind); each step takes one of them, and may hang."""

    def __init__(self, *waiting):
        self.waiting, self.begun, self.done = list(waiting), [], []
        self.released = threading.Event()
        self.hanging, self.failing, self.handed_back = set(), set(), []
        self._lock = threading.Lock()

    def due_kinds(self, site_id):
        return {kind for site, kind in self.waiting if site == site_id}

    def claim(self, kinds, site_id):
        names = {kind.name for kind in kinds}
        with self._lock:
            found = next((each for each in self.waiting if each[0] == site_id and each[1] in names), None)
            if found:
                self.waiting.remove(found)
                self.begun.append(found)
        return Job(site_id, len(self.begun), found[1], 1, 0, "") if found else None

    def step(self, _kinds, job, _deadline):
        if job.kind in self.failing:
            raise OSError("the disk")
        if job.kind in self.hanging:
            self.released.wait(PATIENCE_SECONDS)
        self.done.append((job.site_id, job.kind))
        return True

    def hand_back(self, job):
        self.handed_back.append((job.site_id, job.kind))
        self.waiting.append((job.site_id, job.kind))
        if job.kind in self.failing:
            raise Unavailable("others write")


@pytest.fixture
def engine(monkeypatch):
    engine = Engine()
    for name in ("due_kinds", "claim", "step", "hand_back"):
        monkeypatch.setattr(jobs, name, getattr(engine, name))
    yield engine
    engine.released.set()
    until(lambda: not [thread for thread in threading.enumerate() if thread.name in NAMES])


def test_no_kind_that_waits_for_other_servers_takes_the_threads_of_another():
    kinds = job_kinds.kinds(Settings(), dict, no_file, no_file, AfterBackup())
    assert sum(kind.at_once or 0 for kind in kinds if kind.lane is NET) == NET.threads
    assert all(kind.at_once for kind in kinds if kind.lane is NET)


def no_file(*_):
    raise AssertionError


def test_each_that_is_due_has_a_thread_up_to_as_many_as_the_lane_has(engine):
    engine.waiting += [(1, "net")] * 20
    engine.hanging.add("net")
    Lanes(KINDS, threading.Event()).offer(1)
    until(lambda: len(engine.begun) == NET.threads)
    engine.released.set()
    until(lambda: len(engine.done) == 20)


def test_of_a_kind_no_more_than_it_may_and_others_go_on(engine):
    """Each site has its turn once one of them has ended, without another offer."""
    kinds = [Kind("few", NET, lambda *_: 0, at_once=2), *KINDS]
    engine.waiting += [(1, "few")] * 4 + [(2, "few")] * 3 + [(1, "net"), (3, "net")]
    engine.hanging.add("few")
    lanes = Lanes(kinds, threading.Event())
    for site_id in (1, 2, 3):
        lanes.offer(site_id)
    until(lambda: sorted(engine.done) == [(1, "net"), (3, "net")])
    assert [kind for _, kind in engine.begun].count("few") == 2
    engine.released.set()
    until(lambda: len(engine.done) == 9)


def test_of_a_kind_no_more_though_they_are_claimed_at_the_same_moment(engine, monkeypatch):
    """Two threads see that there is room for one; the second hands its job back."""
    meeting, first_two, claim = threading.Barrier(2), iter(range(2)), engine.claim

    def meets(kinds, site_id):
        if next(first_two, None) is not None:
            meeting.wait(PATIENCE_SECONDS)
        return claim(kinds, site_id)

    monkeypatch.setattr(jobs, "claim", meets)
    engine.waiting += [(1, "few"), (2, "few")]
    engine.hanging.add("few")
    lanes = Lanes([Kind("few", NET, lambda *_: 0, at_once=1)], threading.Event())
    for site_id in (1, 2):
        lanes.offer(site_id)
    until(lambda: engine.handed_back)
    assert len(engine.waiting) == 1
    engine.released.set()
    until(lambda: len(engine.done) == 2)


def test_a_lane_that_hangs_holds_up_no_other(engine):
    engine.waiting += [(1, "net")] * 9 + [(1, "db")] * 3 + [(1, "long")]
    engine.hanging.add("net")
    Lanes(KINDS, threading.Event()).offer(1)
    until(lambda: sorted(kind for _, kind in engine.done) == ["db"] * 3 + ["long"])


def test_sites_take_turns(engine):
    lanes = Lanes(KINDS, threading.Event())
    engine.waiting += [(1, "db")] * 3 + [(2, "db")] * 3
    engine.hanging.add("db")
    lanes.offer(1)
    until(lambda: len(engine.begun) == 1)
    lanes.offer(2)
    engine.released.set()
    until(lambda: len(engine.done) == 6)
    assert [site for site, _ in engine.done] in ([1, 1, 2, 1, 2, 2], [1, 2, 1, 2, 1, 2])


def test_a_fault_ends_neither_the_lane_nor_another_site(engine):
    engine.waiting += [(1, "db"), (2, "net"), (3, "db")]
    engine.failing.add("db")
    lanes = Lanes(KINDS, threading.Event())
    for site_id in (1, 2):
        lanes.offer(site_id)
    until(lambda: engine.done == [(2, "net")])
    engine.failing.clear()
    lanes.offer(3)
    until(lambda: (3, "db") in engine.done)


def test_nothing_is_begun_after_the_stop(engine):
    stop = threading.Event()
    stop.set()
    engine.waiting.append((1, "db"))
    Lanes(KINDS, stop).offer(1)
    until(lambda: not [thread for thread in threading.enumerate() if thread.name == "db"])
    assert engine.begun == []


def no_more(_):
    raise RuntimeError("can't start new thread")


def test_a_lane_whose_thread_could_not_be_started_goes_on(engine, monkeypatch):
    engine.waiting.append((1, "db"))
    lanes = Lanes(KINDS, threading.Event())
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_more)
        with pytest.raises(RuntimeError):
            lanes.offer(1)
    lanes.offer(1)
    until(lambda: engine.done == [(1, "db")])


def test_what_is_in_hand_at_the_end_is_handed_back(engine):
    stop = threading.Event()
    lanes = Lanes(KINDS, stop)
    engine.waiting += [(1, "db"), (1, "long"), (2, "long")]
    engine.hanging.add("long")
    lanes.offer(1)
    lanes.offer(2)
    until(lambda: len(lanes._lanes[-1].in_hand()) == 2 and engine.done == [(1, "db")])
    stop.set()
    engine.failing.add("long")
    lanes.hand_back()
    assert len(engine.handed_back) == 1
    engine.failing.clear()
    lanes.hand_back()
    assert sorted(engine.handed_back[1:]) == [(1, "long"), (2, "long")]
    engine.released.set()
    until(lambda: not lanes._lanes[-1].in_hand())
    lanes.hand_back()
    assert len(engine.handed_back) == 3
