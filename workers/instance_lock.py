"""The lock of an instance folder: one service, or one migration, at a time; and where that service is."""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from audience.config import Settings
from audience.secret_files import private_opener

FILE = "serve.lock"
ADDRESS = ("host", "port", "public_url")


class CannotServe(Exception):
    """`serve` cannot start; the message gives the reason and what to do."""


@contextmanager
def hold_instance_lock(instance: Path, address: Settings | None = None) -> Iterator[None]:
    """Raises `CannotServe` while another process holds the lock. Its file has the address, if any."""
    instance.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(instance / FILE, "a", encoding="utf-8", opener=private_opener) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotServe(f"another serve is running on {instance}: stop it first") from None
        lock.truncate(0)
        if address:
            _write(instance, {name: getattr(address, name) for name in ADDRESS})
        try:
            yield
        finally:
            lock.truncate(0)


def _write(instance: Path, address: dict[str, Any]) -> None:
    """As well as a full disk lets it."""
    with suppress(OSError):
        (instance / FILE).write_text(json.dumps(address), "utf-8")


def as_served(settings: Settings) -> Settings:
    """With the address of the service that runs on this instance, whose environment may name another."""
    if settings.public_url:
        return settings
    try:
        with open(settings.instance / FILE, encoding="utf-8") as lock:
            address = json.load(lock)
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return replace(settings, **address)
    except (OSError, ValueError):
        pass
    return settings
