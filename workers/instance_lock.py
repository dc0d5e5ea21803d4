"""The lock of an instance folder, which one service or one migration holds at a time. Its file has the
address of the service.
"""

import fcntl
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from audience.config import Settings
from audience.privacy.secret_files import private_opener

FILE = "serve.lock"
ADDRESS = ("host", "port", "public_url")
LOOKS, PAUSE_SECONDS = 100, 0.01


class CannotServe(Exception):
    """`serve` cannot start; the message says why, and what to do."""


@contextmanager
def hold_instance_lock(instance: Path, address: Settings | None = None) -> Iterator[None]:
    """Holds the instance's lock in the block. Its file then has the `address`, if given.

    Raises `CannotServe` if another process holds the lock.
    """
    instance.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(instance / FILE, "a", encoding="utf-8", opener=private_opener) as lock:
        _take(lock, instance)
        lock.truncate(0)
        if address:
            _write(instance, {name: getattr(address, name) for name in ADDRESS})
        try:
            yield
        finally:
            lock.truncate(0)


def _take(lock: IO[str], instance: Path) -> None:
    """Takes the lock. Raises `CannotServe` if another process holds it for longer than a test (`is_held`)."""
    for _ in range(LOOKS):
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if is_held(instance):
                break
            time.sleep(PAUSE_SECONDS)
    raise CannotServe(f"another serve is running on {instance}: stop it first")


def is_held(instance: Path) -> bool:
    """Whether a process holds the lock. Takes it for an instant, shared: two tests do not find each other."""
    try:
        with open(instance / FILE, encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except BlockingIOError:
        return True
    return False


def _write(instance: Path, address: dict[str, Any]) -> None:
    """Writes the address into the file of the lock, unless that fails, as on a full disk."""
    with suppress(OSError):
        (instance / FILE).write_text(json.dumps(address), "utf-8")


def as_served(settings: Settings) -> Settings:
    """The settings with the address of the running service: a command's environment may name another.

    Unchanged if none runs, or with `public_url`.
    """
    if settings.public_url:
        return settings
    with suppress(OSError, ValueError):
        address = json.loads((settings.instance / FILE).read_text("utf-8"))
        if is_held(settings.instance):
            return replace(settings, **address)
    return settings
