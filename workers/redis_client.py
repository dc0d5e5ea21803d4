"""Connections to Redis, which may be unreachable at any time."""

import time
from collections.abc import Callable
from typing import TypeVar

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

TIMEOUT_SECONDS = 0.3
OPEN_SECONDS = 1.0  # how long the circuit breaker stays open after an error
MAX_CONNECTIONS = 512

T = TypeVar("T")


def connect(url: str) -> Redis:
    """A client that waits at most `TIMEOUT_SECONDS` and never retries."""
    return Redis.from_url(
        url,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
        max_connections=MAX_CONNECTIONS,
    )


class CircuitBreaker:
    """Calls Redis, except for `OPEN_SECONDS` after an error: an outage does not slow every caller."""

    def __init__(self, client: Redis) -> None:
        self.client = client
        self._open_until = 0.0

    def call(self, function: Callable[[], T]) -> T | None:
        """The result of `function()`; None while Redis cannot be reached."""
        if time.monotonic() < self._open_until:
            return None
        try:
            return function()
        except (RedisError, OSError):
            self._open_until = time.monotonic() + OPEN_SECONDS
            return None
