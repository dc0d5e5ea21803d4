"""The worker as a process: it drains sites, runs no other job, and outlives Redis."""

import pickle
import signal
import threading

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer, PickleSerializer

from tests.service import PATIENCE_SECONDS, until
from tests.workers.conftest import alive, keep
from workers import heartbeat
from workers.lanes import Lanes
from workers.queue import DRAIN_SITE, QUEUE, ImportQueue
from workers.redis_client import CircuitBreaker
from workers.worker import ImportWorker, site_to_drain


def wait_for(settings, name):
    (settings.instance / "inbox" / name).touch()
    until(lambda: drained(settings, name))


def drained(settings, name):
    file = settings.instance / "drained"
    return file.exists() and name in file.read_text().split()


def started(settings):
    return lambda: heartbeat.age(settings.instance) is not None


def test_notice_is_acknowledged_and_leaves_nothing_behind(run, settings, client):
    run("worker")
    until(started(settings))
    import_queue = ImportQueue(CircuitBreaker(client))
    (settings.instance / "inbox" / "7-a").touch()
    import_queue.notify(7)
    until(lambda: drained(settings, "7-a"))
    until(lambda: not [key for key in client.keys("*") if b"job" in key or b"queue:" in key])


def test_sweeper_finds_imports_without_a_notice(run, settings, server):
    (settings.instance / "inbox" / "7-before").touch()
    run("worker")
    until(lambda: drained(settings, "7-before"))
    wait_for(settings, "8-later")


def test_no_other_job_runs(run, settings, client, tmp_path):
    mark = tmp_path / "ran"
    shell = f"touch {mark}"
    queue = Queue(QUEUE, connection=client, serializer=JSONSerializer)
    queue.enqueue_call("os.system", args=(shell,))
    queue.enqueue_call("subprocess.run", args=(["touch", str(mark)],))
    for args, kwargs in [((shell,), {}), ((1, 2), {}), ((), {"site_id": 1}), ((True,), {})]:
        queue.enqueue_call(DRAIN_SITE, args=args, kwargs=kwargs)
    with_callbacks = queue.enqueue_call(DRAIN_SITE, args=(3,), meta={"a": 1})
    names = ("success_callback_name", "failure_callback_name", "stopped_callback_name")
    client.hset(with_callbacks.key, mapping=dict.fromkeys(names, "os.system"))
    pickled = queue.enqueue_call(DRAIN_SITE, args=(4,))
    client.hset(pickled.key, "data", pickle.dumps(("os.system", None, (shell,), {})))
    broken = queue.enqueue_call(DRAIN_SITE, args=(5,))
    client.hset(broken.key, "created_at", "never")
    abandoned = queue.enqueue_call(DRAIN_SITE, args=(6,))
    client.hset(abandoned.key, "failure_callback_name", "os.system")
    client.zadd(queue.started_job_registry.key, {abandoned.id: 1})
    client.lrem(queue.key, 0, abandoned.id)

    program = run("worker")
    wait_for(settings, "9-good")
    until(lambda: len(queue) == 0)
    assert not mark.exists()
    assert program.output().count("unknown job") == 1
    assert alive(program.pid)


def test_worker_outlives_redis(run, settings, server, client):
    program = run("worker")
    wait_for(settings, "1-with")
    until(lambda: client.scard("rq:workers") == 1)
    keep(client)
    server.end(signal.SIGKILL)
    wait_for(settings, "2-without")
    server.start()
    wait_for(settings, "3-again")
    assert ImportQueue(CircuitBreaker(client)).try_notify(4)
    until(lambda: client.llen("rq:queue:imports") == 0)
    assert alive(program.pid)


def test_redis_that_hangs_does_not_hold_up_imports(run, settings, server):
    program = run("worker")
    wait_for(settings, "1-with")
    server.process.send_signal(signal.SIGSTOP)
    wait_for(settings, "2-hung")
    server.process.send_signal(signal.SIGCONT)
    wait_for(settings, "3-again")
    assert alive(program.pid)


def test_worker_starts_without_redis(run, settings):
    run("worker")
    wait_for(settings, "1-a")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_idle_worker_stops(run, settings, server, number):
    program = run("worker")
    until(started(settings))
    assert program.end(number) == 0


def test_a_stop_that_a_library_swallowed_ends_the_worker(client):
    """The signal raises wherever the program is: in a library, that may be caught."""
    stop = threading.Event()
    stop.set()
    queue = ImportQueue(CircuitBreaker(client))
    work = ImportWorker(client, queue, stop, Lanes([], stop), threading.Event()).work
    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(PATIENCE_SECONDS)
    assert not worker.is_alive()


def test_worker_without_redis_stops(run, settings):
    program = run("worker")
    until(started(settings))
    assert program.end() == 0


def test_worker_finishes_the_current_job(run, settings, client):
    program = run("worker")
    until(started(settings))
    (settings.instance / "inbox" / "7-slow").touch()
    ImportQueue(CircuitBreaker(client)).notify(7)
    until(lambda: client.llen("rq:queue:imports") == 0 and client.exists("rq:workers"))
    until(lambda: not client.exists("audience:bell:7"))
    assert program.end() == 0
    assert drained(settings, "7-slow")


def test_killed_workers_are_removed(run, settings, client):
    program = run("worker")
    [killed] = until(lambda: client.smembers("rq:workers"))
    program.end(signal.SIGKILL)
    client.delete(killed)
    run("worker")
    until(lambda: client.smembers("rq:workers") - {killed})
    assert client.scard("rq:workers") == 1


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "site_id"),
    [
        (DRAIN_SITE, (7,), {}, 7),
        (DRAIN_SITE, ("7",), {}, None),
        (DRAIN_SITE, (7.0,), {}, None),
        (DRAIN_SITE, (True,), {}, None),
        (DRAIN_SITE, (None,), {}, None),
        (DRAIN_SITE, ([7],), {}, None),
        (DRAIN_SITE, (7, 8), {}, None),
        (DRAIN_SITE, (), {"site_id": 7}, None),
        (DRAIN_SITE, (7,), {"more": 1}, None),
        ("workers.jobs.drain_site ", (7,), {}, None),
        ("os.system", (7,), {}, None),
    ],
)
def test_only_the_exact_job_names_a_site(name, args, kwargs, site_id):
    job = Job("id", connection=Redis(), serializer=JSONSerializer)
    job.data = JSONSerializer.dumps((name, None, args, kwargs))
    assert site_to_drain(job) == site_id


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b'["workers.jobs.drain_site", "an.instance", [7], {}]',
        b'["workers.jobs.drain_site", null, null, {}]',
        b'["workers.jobs.drain_site", null, 7, {}]',
        b'["workers.jobs.drain_site", null, {"0": 7}, {}]',
        PickleSerializer.dumps((DRAIN_SITE, None, (7,), {})),
    ],
)
def test_malformed_job_names_no_site(data):
    job = Job("id", connection=Redis(), serializer=JSONSerializer)
    job.data = data
    assert site_to_drain(job) is None
