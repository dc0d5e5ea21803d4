"""Rings for every site whose imports wait, drains them itself while Redis is away, and does the chores."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from audience import imports
from audience.errors import where
from storage.errors import Unavailable
from workers.queue import Doorbell

EVERY = 2.0
SECONDS = 1.0

Chore = Callable[[], object]

log = logging.getLogger(__name__)


def heartbeat_age(instance: Path) -> float | None:
    """Seconds since a worker last looked for waiting imports; None when none ever did."""
    try:
        return max(0.0, time.time() - _heartbeat(instance).stat().st_mtime)
    except FileNotFoundError:
        return None


class Sweeper(threading.Thread):
    """Sweeps at once, then every `EVERY` seconds until `stop` is set."""

    def __init__(
        self, bell: Doorbell, instance: Path, stop: threading.Event, chores: Sequence[Chore] = ()
    ) -> None:
        super().__init__(name="sweeper", daemon=True)
        self._bell = bell
        self._heartbeat = _heartbeat(instance)
        self._stopping = stop
        self._chores = chores

    def run(self) -> None:
        while True:
            try:
                self.sweep()
            except Exception as error:
                log.error("the sweeper failed and will try again: %s", type(error).__name__)
            if self._stopping.wait(EVERY):
                return

    def sweep(self) -> None:
        for site_id in imports.waiting_sites():
            if self._stopping.is_set():
                return
            if not self._bell.reaches(site_id):
                self._drain(site_id)
        self._heartbeat.touch()
        for chore in self._chores:
            chore()

    def _drain(self, site_id: int) -> None:
        """One site's trouble does not hold up the others."""
        try:
            imports.drain(site_id, SECONDS)
        except Unavailable as error:
            log.warning("site %d was not drained, the next sweep tries again: %s", site_id, where(error))


def _heartbeat(instance: Path) -> Path:
    return instance / "worker.alive"
