"""The import queue: notices coalesce, are bounded, and never fail the caller."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from redis import Redis
from redis.exceptions import ConnectionError, TimeoutError
from rq import Queue
from rq.serializers import JSONSerializer

from tests.service import PATIENCE_SECONDS, until
from workers import queue, redis_client
from workers.queue import ImportQueue
from workers.redis_client import CircuitBreaker, connect


@pytest.fixture
def import_queue(client):
    return ImportQueue(CircuitBreaker(client))


@pytest.fixture
def jobs(client):
    return Queue(queue.QUEUE, connection=client, serializer=JSONSerializer)


def test_notices_coalesce_per_site_until_acknowledged(import_queue, jobs):
    for site_id in (7, 7, 8, 7):
        import_queue.notify(site_id)
    assert [(job.func_name, job.args) for job in jobs.jobs] == [
        ("workers.jobs.drain_site", [7]),
        ("workers.jobs.drain_site", [8]),
    ]
    import_queue.acknowledge(7)
    import_queue.notify(7)
    assert [job.args for job in jobs.jobs] == [[7], [8], [7]]


def test_unacknowledged_notice_expires(import_queue, client):
    import_queue.notify(7)
    assert 0 < client.pttl("audience:bell:7") <= queue.COALESCE_MS


def test_queue_is_bounded(import_queue, jobs, monkeypatch):
    monkeypatch.setattr(queue, "MAX_LENGTH", 3)
    for site_id in range(10):
        import_queue.notify(site_id)
    assert len(jobs) == 3


def test_job_without_a_worker_does_not_stay(import_queue, jobs, client):
    import_queue.notify(7)
    assert 0 < client.ttl(jobs.jobs[0].key) <= queue.JOB_TTL_SECONDS


def test_absent_redis_is_no_error(tmp_path):
    with connect(f"unix://{tmp_path}/nothing.sock") as client:
        import_queue = ImportQueue(CircuitBreaker(client))
        import_queue.notify(1)
        assert not import_queue.try_notify(1)


def test_try_notify_is_true_while_redis_is_reachable(import_queue):
    assert import_queue.try_notify(1)
    assert import_queue.try_notify(1)


@pytest.mark.parametrize("error", [ConnectionError(), TimeoutError(), OSError()])
def test_unreachable_redis_is_not_called_for_a_while(monkeypatch, error):
    clock, call_times = [100.0], []
    monkeypatch.setattr("workers.redis_client.time.monotonic", lambda: clock[0])

    def ping():
        call_times.append(clock[0])
        if clock[0] < 101:
            raise error
        return "answer"

    breaker = CircuitBreaker(Redis())
    assert [breaker.call(ping), breaker.call(ping)] == [None, None]
    clock[0] += redis_client.OPEN_SECONDS
    assert breaker.call(ping) == "answer"
    assert call_times == [100.0, 101.0]


def test_of_many_callers_one_tries_a_server_that_hangs(monkeypatch):
    """The first callers find it out together; from then on one tries each second."""
    clock, tries, hanging, hang = [0.0], [], threading.Barrier(9), threading.Event()
    monkeypatch.setattr("workers.redis_client.time.monotonic", lambda: clock[0])
    breaker = CircuitBreaker(Redis())

    def times_out(number):
        tries.append(number)
        hanging.wait(PATIENCE_SECONDS)
        raise TimeoutError

    with ThreadPoolExecutor(8) as pool:
        together = [pool.submit(breaker.call, partial(times_out, number)) for number in range(8)]
        hanging.wait(PATIENCE_SECONDS)
        assert [each.result() for each in together] == [None] * 8
        clock[0] += redis_client.OPEN_SECONDS
        tries.clear()

        def is_tried():
            tries.append(0)
            hang.wait(PATIENCE_SECONDS)
            raise TimeoutError

        one = pool.submit(breaker.call, is_tried)
        until(lambda: tries)
        assert [breaker.call(lambda: tries.append(1)) for _ in range(8)] == [None] * 8
        hang.set()
        assert one.result() is None
    assert tries == [0]
    clock[0] += redis_client.OPEN_SECONDS
    assert [breaker.call(lambda: "answer") for _ in range(2)] == ["answer"] * 2
