"""Looks for sites with due jobs, and notifies the workers of them. While Redis is unreachable, offers them to
the lanes of this process instead.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from audience import jobs
from audience.errors import where
from storage.errors import Unavailable
from workers import heartbeat
from workers.lanes import Lanes
from workers.queue import ImportQueue

INTERVAL_SECONDS = 2.0
ELECTED_SECONDS, OTHERS_SECONDS = 5.0, 7.5  # until it says so again, or another asks whether it still does

log = logging.getLogger(__name__)


class Sweeper(threading.Thread):
    """A thread that sweeps at once, then every `INTERVAL_SECONDS` until `stop` is set.

    Every sweeper keeps the database's write-ahead log short. Only one of the processes that share a database
    is elected to look for due jobs; all do while no queue can be notified.
    """

    def __init__(
        self,
        queue: ImportQueue,
        instance: Path,
        stop: threading.Event,
        lanes: Lanes,
        keep_log_short: Callable[[], object] = bool,
    ) -> None:
        super().__init__(name="sweeper", daemon=True)
        self._import_queue = queue
        self._instance = instance
        self._stop_event = stop
        self._lanes, self._keep_log_short = lanes, keep_log_short
        self._token = secrets.token_hex(8)
        self._elected, self._elects_at = False, 0.0
        self._prepared = False

    def run(self) -> None:
        while True:
            self._do(self.sweep)
            if self._stop_event.wait(INTERVAL_SECONDS):
                break
        self._do(lambda: jobs.resign(self._token))

    def sweep(self) -> None:
        if not self._prepared:
            self._do(self._prepare)
        is_told = self._import_queue.note_sweep()
        for site_id in jobs.due_sites() if self._is_elected() or not is_told else ():
            if self._stop_event.is_set():
                return
            if not self._import_queue.try_notify(site_id):
                self._do(partial(self._lanes.offer, site_id))
        self._do(self._keep_log_short)
        heartbeat.beat(self._instance)

    def _prepare(self) -> None:
        jobs.prepare(self._lanes.kinds)
        self._prepared = True

    def _is_elected(self) -> bool:
        if time.monotonic() >= self._elects_at:
            self._elected = self._elects()
            self._elects_at = time.monotonic() + (ELECTED_SECONDS if self._elected else OTHERS_SECONDS)
        return self._elected

    def _elects(self) -> bool:
        """Has this process elected, unless another is. Returns whether it is elected.

        Also true while the instance's own jobs do not answer.
        """
        try:
            return jobs.elect(self._token)
        except Unavailable:
            return True

    def _do(self, task: Callable[[], object]) -> None:
        try:
            task()
        except Exception as error:
            log.warning("the sweeper failed, and will try again: %s", where(error))
