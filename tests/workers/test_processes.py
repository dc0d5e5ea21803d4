"""The processes of an instance: its Redis, asked through the circuit breaker."""

import pytest
from redis import Redis
from redis.exceptions import ConnectionError, RedisError

from audience.config import Settings
from workers.processes import Processes
from workers.redis_client import CircuitBreaker


class FakeRedis(Redis):
    """Answers INFO, or fails; `calls` counts the attempts."""

    def __init__(self, info=None):
        super().__init__()
        self._info, self.calls = info, 0

    def ping(self, **_):
        self.calls += 1
        if self._info is None:
            raise ConnectionError("refused")

    def info(self, *_, **__):
        return self._info


def processes(tmp_path, client):
    return Processes(Settings(instance=tmp_path), CircuitBreaker(client))


def test_an_absent_redis_is_not_waited_for_each_time(tmp_path):
    client = FakeRedis()
    watched = processes(tmp_path, client)
    assert [watched.queue().error for _ in range(3)] == ["ConnectionError"] * 3
    assert client.calls == 1


def test_an_open_circuit_is_an_error(tmp_path):
    def fail():
        raise RedisError

    breaker = CircuitBreaker(FakeRedis({"redis_version": "8.0"}))
    breaker.call(fail)
    assert Processes(Settings(instance=tmp_path), breaker).queue().error


@pytest.mark.parametrize(("info", "version", "persistence"), [
    ({"redis_version": "8.0"}, "Redis 8.0", "no append-only file"),
    ({"redis_version": "7.2", "valkey_version": "9.1", "aof_enabled": 1, "aof_last_write_status": "ok"},
     "Valkey 9.1", "append-only file, last write ok"),
])  # fmt: skip
def test_redis_reports_its_version_and_persistence(tmp_path, info, version, persistence):
    health = processes(tmp_path, FakeRedis(info)).queue()
    assert (health.version, health.persistence, health.error) == (version, persistence, "")
    assert health.eviction_policy == "noeviction"
