"""`audience.ports.Processes` of an instance: its lock, its heartbeat, its Redis."""

from contextlib import AbstractContextManager
from typing import Any

from redis.exceptions import RedisError

from audience.config import Settings
from audience.ports import QueueHealth
from workers import embedded_redis, supervisor, sweeper
from workers.link import connect


class Processes:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def stopped(self) -> AbstractContextManager[None]:
        """Raises `CannotServe` while the service runs."""
        return supervisor.only_one(self._settings.instance)

    def serving(self) -> bool:
        if not self._settings.instance.is_dir():
            return False
        try:
            with self.stopped():
                return False
        except supervisor.CannotServe:
            return True

    def worker_age(self) -> float | None:
        return sweeper.heartbeat_age(self._settings.instance)

    def queue(self) -> QueueHealth:
        with connect(embedded_redis.url(self._settings)) as client:
            try:
                info: Any = client.info()
            except (RedisError, OSError) as error:
                return QueueHealth(trouble=type(error).__name__)
        name = "Valkey" if "valkey_version" in info else "Redis"
        version = info.get("valkey_version") or info.get("redis_version", "")
        return QueueHealth(
            version=f"{name} {version}",
            keeps=_keeps(info),
            evicts=info.get("maxmemory_policy", "noeviction"),
        )


def _keeps(info: dict[str, Any]) -> str:
    if not info.get("aof_enabled"):
        return "no append-only file"
    return f"append-only file, last write {info.get('aof_last_write_status', 'unknown')}"
