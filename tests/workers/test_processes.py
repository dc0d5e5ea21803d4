"""The processes of an instance: its Redis, asked through the circuit breaker."""

import pytest
from redis import Redis
from redis.exceptions import ConnectionError, RedisError

from audience.config import Settings
from workers import heartbeat
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


class SharedRedis(FakeRedis):
    """Keeps one key, for as long as it is told."""

    def set(self, *_, **options):
        self.left_ms = options["px"]

    def pttl(self, _name):
        return self.left_ms


def test_the_workers_of_other_hosts_are_known_by_a_redis_of_all(tmp_path):
    breaker = CircuitBreaker(redis := SharedRedis())
    on_this, on_other = Settings(instance=tmp_path), Settings(instance=tmp_path, redis_url="redis://all")
    heartbeat.beat_in_redis(breaker)
    redis.left_ms -= 4_000
    assert Processes(on_this, breaker).worker_age() is None
    assert Processes(on_other, breaker).worker_age() == 4
    heartbeat.beat(tmp_path)
    age = Processes(on_other, breaker).worker_age()
    assert age is not None
    assert age < 4
    (tmp_path / heartbeat.FILE).unlink()
    redis.left_ms = -2
    assert Processes(on_other, breaker).worker_age() is None


@pytest.mark.parametrize(("info", "version", "persistence"), [
    ({"redis_version": "8.0"}, "Redis 8.0", "no append-only file"),
    ({"redis_version": "7.2", "valkey_version": "9.1", "aof_enabled": 1, "aof_last_write_status": "ok"},
     "Valkey 9.1", "append-only file, last write ok"),
])  # fmt: skip
def test_redis_reports_its_version_and_persistence(tmp_path, info, version, persistence):
    health = processes(tmp_path, FakeRedis(info)).queue()
    assert (health.version, health.persistence, health.error) == (version, persistence, "")
    assert health.eviction_policy == "noeviction"
