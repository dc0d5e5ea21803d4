"""Counts requests in fixed windows, in Redis, or in this process's memory while Redis is unreachable.

The limits are settings: `rate_limit_...` and `auth_failures` of `audience/config.py`.
"""

import math
import time
from functools import lru_cache
from hashlib import blake2b

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import FixedWindowRateLimiter

from audience.protocols import RateWindow
from workers.redis_client import CircuitBreaker

MAX_KEYS = 100_000  # in memory

REDIS_ALONE = {"redis": RedisStorage.DEPENDENCIES["redis"]}

parse_limit = lru_cache(maxsize=64)(parse)


class Storage(RedisStorage):
    """A storage of the library `limits` that loads only `redis`, so that the first request is fast."""

    DEPENDENCIES = REDIS_ALONE


class Limiter:
    """Implements `audience.protocols.Limiter`. A limit is a text such as `100/minute`.

    Redis holds digests of keys, never an address or a name.
    """

    def __init__(self, breaker: CircuitBreaker) -> None:
        self._breaker = breaker
        self._memory = MemoryStorage()
        self._local = FixedWindowRateLimiter(self._memory)
        self._shared: FixedWindowRateLimiter | None = None

    def hit(self, limit: str, *key: str) -> int:
        """Counts a request under a key, such as a purpose and an address.

        Returns the seconds to wait if it is over the `limit`, else 0.
        """
        item, digest = parse_limit(limit), _digest(key)
        wait = self._breaker.call(lambda: _hit(self._in_redis(), item, digest))
        return self._hit_local(item, digest) if wait is None else wait

    def is_spent(self, limit: str, *key: str) -> bool:
        """Whether one more request under a key would be over the `limit`. Counts nothing."""
        item, digest = parse_limit(limit), _digest(key)
        has_room = self._breaker.call(lambda: self._in_redis().test(item, digest))
        return not (self._local.test(item, digest) if has_room is None else has_room)

    def window(self, limit: str, *key: str) -> RateWindow:
        """The state of a key's window, as this process counts if Redis is unreachable."""
        item, digest = parse_limit(limit), _digest(key)
        window = self._breaker.call(lambda: _window(self._in_redis(), item, digest))
        return window or _window(self._local, item, digest)

    def _in_redis(self) -> FixedWindowRateLimiter:
        if self._shared is None:  # the constructor calls Redis
            storage = Storage("redis://", connection_pool=self._breaker.client.connection_pool)
            self._shared = FixedWindowRateLimiter(storage)
        return self._shared

    def _hit_local(self, item: RateLimitItem, digest: str) -> int:
        """Counts a request in this process. Returns the seconds to wait, 0 if within the limit.

        Forgets all counts if there are too many keys.
        """
        if len(self._memory.storage) > MAX_KEYS:
            self._memory.reset()
        return _hit(self._local, item, digest)


def _digest(key: tuple[str, ...]) -> str:
    return blake2b("\0".join(key).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _hit(limiter: FixedWindowRateLimiter, item: RateLimitItem, digest: str) -> int:
    """Counts a request in the storage of `limiter`. Returns the seconds to wait, 0 if within the limit."""
    return 0 if limiter.hit(item, digest) else _window(limiter, item, digest).reset


def _window(limiter: FixedWindowRateLimiter, item: RateLimitItem, digest: str) -> RateWindow:
    stats = limiter.get_window_stats(item, digest)
    return RateWindow(item.amount, stats.remaining, max(1, math.ceil(stats.reset_time - time.time())))
