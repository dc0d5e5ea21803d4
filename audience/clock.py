"""The clocks: the only module that reads the wall clock. Times are in milliseconds."""

import time

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000


def now_ms() -> int:
    """Milliseconds since 1970-01-01T00:00Z."""
    return time.time_ns() // 1_000_000


def uptime_ms() -> int:
    """Milliseconds since the machine started: the same in all processes, and never set."""
    return time.monotonic_ns() // 1_000_000
