"""Limits are counted in Redis, and in memory while it is unreachable."""

import signal
import subprocess
import sys

import pytest

from workers import embedded_redis, limiter, redis_client
from workers.limiter import Limiter
from workers.redis_client import CircuitBreaker, connect


def outcomes(limits, times, *key):
    return [limits.hit("2/day", *key) for _ in range(times)]


@pytest.fixture(autouse=True)
def busy_machine(monkeypatch):
    """A slow Redis must not be taken for an unreachable one."""
    monkeypatch.setattr(redis_client, "TIMEOUT_SECONDS", 10.0)


@pytest.fixture
def absent(tmp_path):
    with connect(f"unix://{tmp_path}/nothing.sock") as client:
        yield Limiter(CircuitBreaker(client))


@pytest.fixture
def shared(client):
    return Limiter(CircuitBreaker(client))


@pytest.mark.parametrize("kind", ["absent", "shared"])
def test_limit_per_key(request, kind):
    limits = request.getfixturevalue(kind)
    first, second, third = outcomes(limits, 3, "auth", "192.0.2.1")
    assert (first, second) == (0, 0)
    assert 1 <= third <= 86_400
    assert outcomes(limits, 1, "auth", "192.0.2.2") == [0]
    assert outcomes(limits, 1, "auth192.0.2.1", "") == [0]
    assert limits.hit("2/hour", "auth", "192.0.2.1") == 0
    spent = [limits.is_spent(limit, "auth", "192.0.2.1") for limit in ("2/day", "2/hour", "2/day")]
    assert spent == [True, False, True]
    assert limits.hit("2/hour", "auth", "192.0.2.1") == 0


def test_processes_count_together(client, settings):
    with connect(embedded_redis.url(settings)) as other:
        together = [Limiter(CircuitBreaker(client)), Limiter(CircuitBreaker(other))]
        assert [bool(limits.hit("2/day", "k")) for limits in together * 2] == [False, False, True, True]


def test_key_is_not_readable_in_redis(shared, client):
    shared.hit("2/day", "ada@example.org")
    assert client.keys("*")
    assert not any(b"ada" in key for key in client.keys("*"))


def test_redis_stops_and_returns(shared, server, client, monkeypatch):
    monkeypatch.setattr(redis_client, "OPEN_SECONDS", 0.0)
    assert outcomes(shared, 3, "k")[2]
    server.end(signal.SIGKILL)
    alone = outcomes(shared, 3, "k")
    assert alone[:2] == [0, 0]
    assert alone[2]
    server.start()
    client.flushall()
    assert outcomes(shared, 2, "k") == [0, 0]
    assert client.keys("*")


def test_memory_is_bounded(absent, monkeypatch):
    monkeypatch.setattr(limiter, "MAX_KEYS", 10)
    for number in range(100):
        absent.hit("2/hour", str(number))
    assert len(absent._memory.storage) <= 11


def test_the_first_hit_loads_little():
    """A client that is refused waits for it."""
    text = (
        "import sys; from workers.limiter import Limiter; from workers.redis_client import *; "
        "limits = Limiter(CircuitBreaker(connect('unix:///nowhere.sock'))); before = set(sys.modules); "
        "limits.hit('2/day', 'auth'); print(len(set(sys.modules) - before))"
    )
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 10
