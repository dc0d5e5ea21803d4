"""The sweeper drains sites itself while the queue is unreachable."""

import threading

from audience import imports
from storage.errors import Unavailable
from workers.sweeper import Sweeper, heartbeat_age


class UnreachableQueue:
    def try_notify(self, site_id):
        return False


def test_one_site_that_cannot_be_drained_does_not_starve_the_others(tmp_path, monkeypatch):
    drained, done = [], []

    def drain(site_id, _seconds):
        if site_id == 1:
            raise Unavailable("database is locked")
        drained.append(site_id)

    monkeypatch.setattr(imports, "waiting_sites", lambda: [1, 2, 3])
    monkeypatch.setattr(imports, "drain", drain)
    Sweeper(UnreachableQueue(), tmp_path, threading.Event(), [lambda: done.append(True)]).sweep()
    assert (drained, done) == ([2, 3], [True])
    assert heartbeat_age(tmp_path) is not None
