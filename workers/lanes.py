"""The threads of a process that work on jobs.

A lane has the jobs that wait for the same thing, such as other servers. Each lane has threads of its own, so
that no lane waits for another.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Sequence

from audience import jobs
from audience.errors import where
from audience.jobs import LANES, Job, Kind, Lane
from storage.errors import Unavailable

STEP_SECONDS = 1.0

log = logging.getLogger(__name__)


class Lanes:
    """All lanes of a process. Their threads take no job once `stop` is set."""

    def __init__(self, kinds: Sequence[Kind], stop: threading.Event) -> None:
        self.kinds = kinds
        self._lanes = [
            LaneThreads(lane, [kind for kind in kinds if kind.lane is lane], stop) for lane in LANES
        ]

    def offer(self, site_id: int, except_lane: Lane | None = None) -> None:
        """Offers a site to the threads of each lane in which it has due jobs, but not of `except_lane`."""
        due = jobs.due_kinds(site_id)
        for lane in self._lanes:
            if lane.lane is not except_lane and due & lane.names:
                lane.offer(site_id)

    def hand_back(self) -> None:
        """Hands back all claimed jobs when the process ends, so that nobody waits for the end of their
        leases.
        """
        for lane in self._lanes:
            for job in lane.in_hand():
                try:
                    jobs.hand_back(job)
                except Unavailable as error:
                    log.warning("%s %d waits for its lease: %s", job.kind, job.subject, where(error))
                    return


class LaneThreads:
    """The threads of one lane. Each takes the next site, and does one step of one of its due jobs.

    A thread starts when a site is offered, and ends when no site is left.
    """

    def __init__(self, lane: Lane, kinds: Sequence[Kind], stop: threading.Event) -> None:
        self.lane, self.names = lane, {kind.name for kind in kinds}
        self._kinds, self._stop_event = kinds, stop
        self._lock = threading.Lock()
        self._sites: dict[int, None] = {}  # in the order of their turns
        self._running = 0
        self._in_hand: set[Job] = set()
        self._passed_over: dict[int, None] = {}  # sites that may have jobs of kinds with enough in hand

    def in_hand(self) -> list[Job]:
        """The jobs that the threads have claimed."""
        with self._lock:
            return list(self._in_hand)

    def offer(self, site_id: int) -> None:
        """Queues a site, and starts a thread unless all run. A queued site is not queued again."""
        with self._lock:
            self._sites[site_id] = None
            starts = self._running < self.lane.threads
            self._running += starts
        if starts:
            self._start()

    def _start(self) -> None:
        try:
            threading.Thread(target=self._run, name=self.lane.name, daemon=True).start()
        except RuntimeError:  # there can be no more threads: the next offer tries again
            with self._lock:
                self._running -= 1
            raise

    def _run(self) -> None:
        while (site_id := self._next()) is not None:
            try:
                self._work(site_id)
            except Exception as error:
                log.warning("site %d: a job failed, and will be tried again: %s", site_id, where(error))

    def _next(self) -> int | None:
        with self._lock:
            if self._stop_event.is_set() or not self._sites:
                self._running -= 1
                return None
            site_id = next(iter(self._sites))
            del self._sites[site_id]
            return site_id

    def _work(self, site_id: int) -> None:
        """Claims a due job of the site, offers the site to another thread, and does one step of the job.

        If the job is not finished, puts the site at the end of the queue.
        """
        kinds = self._free_kinds()
        job = jobs.claim(kinds, site_id) if kinds else None
        if job is None:
            if len(kinds) < len(self._kinds):
                with self._lock:
                    self._passed_over[site_id] = None
            return
        if not self._take(job):
            jobs.hand_back(job)
            self.offer(site_id)
            return
        try:
            self.offer(site_id)  # another thread may take another job of the site
            goes_on = jobs.step(self._kinds, job, time.monotonic() + STEP_SECONDS)
        finally:
            with self._lock:
                self._in_hand.remove(job)
                self._sites |= self._passed_over
                self._passed_over.clear()
        if goes_on:
            with self._lock:
                self._sites[site_id] = None

    def _free_kinds(self) -> list[Kind]:
        """The kinds with fewer jobs in hand than their `at_once` allows."""
        with self._lock:
            numbers = Counter(job.kind for job in self._in_hand)
        return [kind for kind in self._kinds if kind.at_once is None or numbers[kind.name] < kind.at_once]

    def _take(self, job: Job) -> bool:
        """Takes a claimed job in hand. Returns False if other threads have taken enough of its kind
        meanwhile.
        """
        at_once = next(kind.at_once for kind in self._kinds if kind.name == job.kind)
        with self._lock:
            number = sum(other.kind == job.kind for other in self._in_hand)
            if at_once is not None and number >= at_once:
                return False
            self._in_hand.add(job)
            return True
