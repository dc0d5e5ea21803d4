"""The heartbeat of an instance's import workers. It is a file whose time is the machine's uptime, which
nobody can set back.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from audience import clock

if TYPE_CHECKING:
    from workers.redis_client import CircuitBreaker

FILE = "worker.alive"
KEY, KEPT_MS = "audience:worker", 86_400_000


def beat(instance: Path) -> None:
    at, file = clock.uptime_ms() * 1_000_000, instance / FILE
    file.touch()
    os.utime(file, ns=(at, at))


def age(instance: Path) -> float | None:
    """The seconds since the last heartbeat of a worker on this machine; None without any since its start."""
    try:
        age = clock.uptime_ms() / 1000 - (instance / FILE).stat().st_mtime
    except FileNotFoundError:
        return None
    return age if age >= 0 else None


def beat_in_redis(breaker: CircuitBreaker) -> bool:
    """Notes a heartbeat in Redis, for other hosts. Returns whether Redis could be reached."""
    return breaker.call(partial(breaker.client.set, KEY, 1, px=KEPT_MS)) is not None


def age_in_redis(breaker: CircuitBreaker) -> float | None:
    """The seconds since the last heartbeat of any host in Redis; None without any, or without Redis."""
    left_ms = breaker.call(partial(breaker.client.pttl, KEY))
    return None if left_ms is None or left_ms < 0 else (KEPT_MS - left_ms) / 1000
