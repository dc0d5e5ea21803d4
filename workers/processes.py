"""Implements `audience.protocols.Processes`: what an instance's lock, heartbeat and Redis tell about its
other processes.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from audience.config import Settings
from audience.protocols import QueueHealth
from workers import embedded_redis, heartbeat
from workers.instance_lock import hold_instance_lock, is_held

if TYPE_CHECKING:
    from workers.redis_client import CircuitBreaker


class Processes:
    """The state of an instance's other processes. Without a web process's `breaker`, it connects to Redis
    itself, and loads the client only then.
    """

    def __init__(self, settings: Settings, breaker: CircuitBreaker | None = None) -> None:
        self._settings = settings
        self._shared_breaker = breaker
        self._redis_error = "not connected"

    @cached_property
    def _breaker(self) -> CircuitBreaker:
        from workers.redis_client import CircuitBreaker, connect

        return self._shared_breaker or CircuitBreaker(connect(embedded_redis.url(self._settings)))

    def stopped(self) -> AbstractContextManager[None]:
        """Keeps the service from starting in the block. Raises `CannotServe` if it runs."""
        return hold_instance_lock(self._settings.instance)

    def serving(self) -> bool:
        """Whether the service runs: a process holds the instance's lock."""
        return is_held(self._settings.instance)

    def worker_age(self) -> float | None:
        """The seconds since a worker's last heartbeat; None without a heartbeat.

        With a configured Redis, workers on other hosts count, too.
        """
        elsewhere = heartbeat.age_in_redis(self._breaker) if self._settings.redis_url else None
        ages = (heartbeat.age(self._settings.instance), elsewhere)
        return min((age for age in ages if age is not None), default=None)

    def queue(self) -> QueueHealth:
        """The state of the queue: Redis's version and settings, or the kind of error in reaching Redis."""
        if self._shared_breaker is None and embedded_redis.is_gone(self._settings):
            return QueueHealth(error=self._redis_error)
        info = self._breaker.call(self._redis_info)
        if info is None:
            return QueueHealth(error=self._redis_error)
        name = "Valkey" if "valkey_version" in info else "Redis"
        version = info.get("valkey_version") or info.get("redis_version", "")
        return QueueHealth(
            version=f"{name} {version}",
            persistence=_persistence(info),
            eviction_policy=info.get("maxmemory_policy", "noeviction"),
        )

    def _redis_info(self) -> Any:
        """The result of Redis's INFO. Pings first, because INFO answers even while Redis loads its data."""
        from redis.exceptions import RedisError

        try:
            self._breaker.client.ping()
            return self._breaker.client.info()
        except (RedisError, OSError) as error:
            self._redis_error = type(error).__name__
            raise


def _persistence(info: dict[str, Any]) -> str:
    if not info.get("aof_enabled"):
        return "no append-only file"
    return f"append-only file, last write {info.get('aof_last_write_status', 'unknown')}"
