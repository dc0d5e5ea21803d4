"""Counts acts in fixed windows: in Redis for all web processes, in this one's memory while that is away."""

import math
import time
from functools import lru_cache, partial
from hashlib import blake2b

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import FixedWindowRateLimiter

from workers.link import Link

MOST_KEYS = 100_000

parse_limit = lru_cache(maxsize=64)(parse)


class Limiter:
    """`audience.ports.Limiter`. Keys are kept as digests: no address or name gets into Redis."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._memory = MemoryStorage()
        self._alone = FixedWindowRateLimiter(self._memory)
        self._together: FixedWindowRateLimiter | None = None

    def hit(self, limit: str, *key: str) -> int:
        item = parse_limit(limit)
        digest = blake2b("\0".join(key).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        wait = self._link.ask(partial(self._hit_together, item, digest))
        return self._hit_alone(item, digest) if wait is None else wait

    def _hit_together(self, item: RateLimitItem, digest: str) -> int:
        if self._together is None:  # opening it speaks to Redis
            storage = RedisStorage("redis://", connection_pool=self._link.client.connection_pool)
            self._together = FixedWindowRateLimiter(storage)
        return _hit(self._together, item, digest)

    def _hit_alone(self, item: RateLimitItem, digest: str) -> int:
        if len(self._memory.storage) > MOST_KEYS:
            self._memory.reset()
        return _hit(self._alone, item, digest)


def _hit(limiter: FixedWindowRateLimiter, item: RateLimitItem, digest: str) -> int:
    if limiter.hit(item, digest):
        return 0
    return max(1, math.ceil(limiter.get_window_stats(item, digest).reset_time - time.time()))
