"""The wall clock: the only module that reads it."""

import time


def now_ms() -> int:
    """Milliseconds since 1970-01-01T00:00Z."""
    return time.time_ns() // 1_000_000
