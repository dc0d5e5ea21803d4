"""The one place that tells the time."""

import time


def now() -> int:
    """Milliseconds since 1970-01-01T00:00Z."""
    return time.time_ns() // 1_000_000
