"""The doorbell: rings coalesce, are bounded, and never get in the way."""

import pytest
from redis.exceptions import ConnectionError, TimeoutError
from rq import Queue
from rq.serializers import JSONSerializer

from audience import ports
from workers import link, queue
from workers.link import Link, connect
from workers.queue import Doorbell


@pytest.fixture
def bell(client):
    return Doorbell(Link(client))


@pytest.fixture
def jobs(client):
    return Queue(queue.QUEUE, connection=client, serializer=JSONSerializer)


def test_rings_coalesce_per_site_until_answered(bell, jobs):
    for site_id in (7, 7, 8, 7):
        bell.ring(site_id)
    assert [(job.func_name, job.args) for job in jobs.jobs] == [
        ("workers.jobs.drain_site", [7]),
        ("workers.jobs.drain_site", [8]),
    ]
    bell.answer(7)
    bell.ring(7)
    assert [job.args for job in jobs.jobs] == [[7], [8], [7]]


def test_unanswered_ring_is_forgotten_after_a_while(bell, client):
    bell.ring(7)
    assert 0 < client.pttl("audience:bell:7") <= queue.COALESCE_MS


def test_queue_is_bounded(bell, jobs, monkeypatch):
    monkeypatch.setattr(queue, "LONGEST", 3)
    for site_id in range(10):
        bell.ring(site_id)
    assert len(jobs) == 3


def test_job_without_a_worker_does_not_stay(bell, jobs, client):
    bell.ring(7)
    assert 0 < client.ttl(jobs.jobs[0].key) <= queue.JOB_TTL


def test_absent_redis_is_no_error(tmp_path):
    with connect(f"unix://{tmp_path}/nothing.sock") as client:
        bell: ports.Doorbell = Doorbell(Link(client))
        bell.ring(1)
        assert not bell.reaches(1)


def test_reaches_says_that_redis_is_there(bell):
    assert bell.reaches(1)
    assert bell.reaches(1)


@pytest.mark.parametrize("error", [ConnectionError(), TimeoutError(), OSError()])
def test_redis_that_is_away_is_left_alone_for_a_moment(monkeypatch, error):
    clock, asked = [100.0], []
    monkeypatch.setattr(link.time, "monotonic", lambda: clock[0])

    def act():
        asked.append(clock[0])
        if clock[0] < 101:
            raise error
        return "answer"

    way = Link(None)
    assert [way.ask(act), way.ask(act)] == [None, None]
    clock[0] += link.AWAY
    assert way.ask(act) == "answer"
    assert asked == [100.0, 101.0]
