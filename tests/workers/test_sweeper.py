"""The sweeper finds what is due, and has it done here while the queue is unreachable."""

import threading

from redis import Redis

from audience import jobs
from storage.errors import DiskFault, Unavailable
from workers import heartbeat
from workers.lanes import Lanes
from workers.queue import ImportQueue
from workers.redis_client import CircuitBreaker
from workers.sweeper import Sweeper


class UnreachableQueue(ImportQueue):
    def try_notify(self, site_id):
        return False


class Offered(Lanes):
    def __init__(self):
        super().__init__([], threading.Event())
        self.sites: list[int] = []

    def offer(self, site_id, except_lane=None):
        if site_id == 1:
            raise Unavailable("database is locked")
        self.sites.append(site_id)


def test_a_site_that_cannot_be_offered_starves_no_other(tmp_path, monkeypatch):
    def fails():
        raise DiskFault("database or disk is full")

    monkeypatch.setattr(jobs, "due_sites", lambda: [1, 2, 3])
    monkeypatch.setattr(jobs, "elect", lambda _: True)
    lanes = Offered()
    Sweeper(UnreachableQueue(CircuitBreaker(Redis())), tmp_path, threading.Event(), lanes, fails).sweep()
    assert lanes.sites == [2, 3]
    assert heartbeat.age(tmp_path) is not None


def test_what_is_due_is_looked_for_while_nobody_can_be_elected(tmp_path, monkeypatch):
    def fails(_):
        raise Unavailable("connection to the remote node failed")

    monkeypatch.setattr(jobs, "due_sites", lambda: [2])
    monkeypatch.setattr(jobs, "elect", fails)
    lanes = Offered()
    Sweeper(UnreachableQueue(CircuitBreaker(Redis())), tmp_path, threading.Event(), lanes).sweep()
    assert lanes.sites == [2]
    assert heartbeat.age(tmp_path) is not None
