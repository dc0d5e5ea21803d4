"""The lock of an instance folder: one service, or one migration, at a time."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from audience.secret_files import private_opener


class CannotServe(Exception):
    """`serve` cannot start; the message gives the reason and what to do."""


@contextmanager
def hold_instance_lock(instance: Path) -> Iterator[None]:
    """Raises `CannotServe` while another process holds the lock."""
    instance.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(instance / "serve.lock", "a", opener=private_opener) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotServe(f"another serve is running on {instance}: stop it first") from None
        yield
