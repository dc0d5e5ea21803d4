"""Connections to Redis, which may be unreachable at any time."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

TIMEOUT_SECONDS = 0.1  # of callers that can do without Redis
PATIENT_SECONDS = 1.0  # of those that cannot
OPEN_SECONDS = 1.0  # from one try to the next after an error
MAX_CONNECTIONS = 512

T = TypeVar("T")


def connect(url: str, timeout_seconds: float | None = None) -> Redis:
    """A client that waits at most `timeout_seconds`, by default `TIMEOUT_SECONDS`, and never retries."""
    timeout = TIMEOUT_SECONDS if timeout_seconds is None else timeout_seconds
    return Redis.from_url(
        url,
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        retry=Retry(NoBackoff(), 0),
        max_connections=MAX_CONNECTIONS,
    )


class CircuitBreaker:
    """Calls functions that use Redis. After an error, calls only one every `OPEN_SECONDS` until one succeeds,
    so that an outage does not slow all callers.
    """

    def __init__(self, client: Redis) -> None:
        self.client = client
        self._lock = threading.Lock()
        self._broken = False
        self._next_try = 0.0

    def call(self, function: Callable[[], T]) -> T | None:
        """The result of `function()`; None, mostly without calling it, while Redis is unreachable."""
        if not self._may_try():
            return None
        try:
            result = function()
        except (RedisError, OSError):
            with self._lock:
                self._broken, self._next_try = True, time.monotonic() + OPEN_SECONDS
            return None
        self._broken = False
        return result

    def _may_try(self) -> bool:
        """Whether to call Redis now; during an outage, true for one caller every `OPEN_SECONDS`."""
        with self._lock:
            if not self._broken:
                return True
            now = time.monotonic()
            if now < self._next_try:
                return False
            self._next_try = now + OPEN_SECONDS
            return True
