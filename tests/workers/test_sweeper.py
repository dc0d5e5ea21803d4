"""The sweeper drains sites itself while the queue is unreachable."""

import threading

from redis import Redis

from audience import imports, site_lane
from storage.errors import DiskFault, Unavailable
from workers import heartbeat
from workers.queue import ImportQueue
from workers.redis_client import CircuitBreaker
from workers.sweeper import Sweeper


class UnreachableQueue(ImportQueue):
    def try_notify(self, site_id):
        return False


def test_a_site_that_cannot_be_drained_and_a_chore_that_fails_do_not_starve_the_others(tmp_path, monkeypatch):
    drained, done = [], []

    def drain(site_id, _seconds):
        if site_id == 1:
            raise Unavailable("database is locked")
        if site_id == 4:
            raise OSError("I/O error")
        drained.append(site_id)

    def fails():
        raise DiskFault("database or disk is full")

    monkeypatch.setattr(imports, "waiting_sites", lambda: [1, 2, 3, 4])
    monkeypatch.setattr(site_lane, "drain", drain)
    Sweeper(
        UnreachableQueue(CircuitBreaker(Redis())),
        tmp_path,
        threading.Event(),
        [fails, lambda: done.append(True)],
    ).sweep()
    assert (drained, done) == ([2, 3], [True])
    assert heartbeat.age(tmp_path) is not None
