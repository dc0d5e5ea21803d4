"""Queues every site with waiting imports, or drains it while Redis is unreachable, and runs the chores."""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from audience import imports
from audience.errors import where
from workers import heartbeat
from workers.queue import ImportQueue

INTERVAL_SECONDS = 2.0
DRAIN_SECONDS = 1.0

Chore = Callable[[], object]  # quick, and harmless if two workers of one host run it at once
Alone = Callable[[], AbstractContextManager[bool]]  # whether no worker of another host runs chores


log = logging.getLogger(__name__)


def on_one_host() -> AbstractContextManager[bool]:
    return nullcontext(True)


class Sweeper(threading.Thread):
    """Sweeps at once, then every `INTERVAL_SECONDS` until `stop` is set."""

    def __init__(
        self,
        queue: ImportQueue,
        instance: Path,
        stop: threading.Event,
        chores: Sequence[Chore] = (),
        alone: Alone = on_one_host,
    ) -> None:
        super().__init__(name="sweeper", daemon=True)
        self._import_queue = queue
        self._instance = instance
        self._stop_event = stop
        self._chores, self._alone = chores, alone

    def run(self) -> None:
        while True:
            try:
                self.sweep()
            except Exception as error:
                log.error("the sweep failed; the sweeper will retry: %s", type(error).__name__)
            if self._stop_event.wait(INTERVAL_SECONDS):
                return

    def sweep(self) -> None:
        for site_id in imports.waiting_sites():
            if self._stop_event.is_set():
                return
            if not self._import_queue.try_notify(site_id):
                self._drain(site_id)
        heartbeat.beat(self._instance)
        self._import_queue.note_sweep()
        with self._alone() as is_alone:
            for chore in self._chores if is_alone else ():
                do(chore)

    def _drain(self, site_id: int) -> None:
        try:
            imports.drain(site_id, DRAIN_SECONDS)
        except Exception as error:
            log.warning("site %d was not drained; the sweeper will retry: %s", site_id, where(error))


class Errands(threading.Thread):
    """Runs chores that may take long, one after another, every `INTERVAL_SECONDS` until `stop` is set."""

    def __init__(self, stop: threading.Event, chores: Sequence[Chore]) -> None:
        super().__init__(name="errands", daemon=True)
        self._stop_event = stop
        self._chores = chores

    def run(self) -> None:
        while not self._stop_event.is_set():
            for chore in self._chores:
                do(chore)
            self._stop_event.wait(INTERVAL_SECONDS)


def do(chore: Chore) -> None:
    try:
        chore()
    except Exception as error:
        log.warning("a chore failed, and will be tried again: %s", where(error))
