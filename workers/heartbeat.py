"""The heartbeat of an instance's import workers: a file whose time is the machine's uptime, which no one sets
back."""

import os
from pathlib import Path

from audience import clock

FILE = "worker.alive"


def beat(instance: Path) -> None:
    at, file = clock.uptime_ms() * 1_000_000, instance / FILE
    file.touch()
    os.utime(file, ns=(at, at))


def age(instance: Path) -> float | None:
    """Seconds since the last beat of any worker; None before the first since the machine started."""
    try:
        age = clock.uptime_ms() / 1000 - (instance / FILE).stat().st_mtime
    except FileNotFoundError:
        return None
    return age if age >= 0 else None
