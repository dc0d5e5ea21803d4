"""The way to a Redis that may be away."""

import time
from collections.abc import Callable
from typing import TypeVar

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

TIMEOUT = 0.3
AWAY = 1.0
CONNECTIONS = 512

T = TypeVar("T")


def connect(url: str) -> Redis:
    """A client that waits `TIMEOUT` seconds at most and never tries twice."""
    return Redis.from_url(
        url,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        retry=Retry(NoBackoff(), 0),
        max_connections=CONNECTIONS,
    )


class Link:
    """Asks Redis; once found away it is left alone for `AWAY` seconds, so that not each asker waits."""

    def __init__(self, client: Redis) -> None:
        self.client = client
        self._away_until = 0.0

    def ask(self, act: Callable[[], T]) -> T | None:
        """What `act` answers; None while Redis is away."""
        if time.monotonic() < self._away_until:
            return None
        try:
            return act()
        except (RedisError, OSError):
            self._away_until = time.monotonic() + AWAY
            return None
