"""How Redis and the import workers are."""

from pathlib import Path

from workers.link import Link
from workers.sweeper import heartbeat_age


class Vitals:
    """`audience.ports.Vitals`."""

    def __init__(self, link: Link, instance: Path) -> None:
        self._link = link
        self._instance = instance

    def redis_answers(self) -> bool:
        return self._link.ask(self._link.client.ping) is not None

    def worker_age(self) -> float | None:
        return heartbeat_age(self._instance)
