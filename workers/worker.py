"""The import worker: one process that takes jobs from one queue, without a fork per job."""

import logging
import signal
import threading
from collections.abc import Callable, Sequence
from types import FrameType

from redis import Redis
from redis.client import Pipeline
from rq import Queue, SimpleWorker, worker_registration
from rq.exceptions import DeserializationError, StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer

from audience.config import Settings
from audience.errors import where
from audience.jobs import Kind
from workers import draining, embedded_redis
from workers.lanes import Lanes
from workers.log import RepeatFilter, configure
from workers.queue import DRAIN_SITE, QUEUE, ImportQueue
from workers.redis_client import PATIENT_SECONDS, CircuitBreaker, connect
from workers.sweeper import Sweeper

WORKER_TTL_SECONDS = 17  # RQ waits 15 seconds less than this for a job before it renews its registration
RETRY_SECONDS = 1.0
SWEEPER_STOP_SECONDS = 3.0

log = logging.getLogger(__name__)


def run(
    settings: Settings,
    open_database: Callable[[], object],
    kinds: Sequence[Kind],
    keep_log_short: Callable[[], object] = bool,
) -> None:
    """Works on jobs until SIGTERM or SIGINT, then finishes the current one.

    While Redis is unreachable, tries to connect every second. Calls `open_database` once, before any job. The
    sweeper calls `keep_log_short` every few seconds.
    """
    configure(settings.log_level, settings.log_format)
    for logger in (log, logging.getLogger("rq.worker")):
        logger.addFilter(RepeatFilter())
    stop, busy = threading.Event(), threading.Event()
    lanes = Lanes(kinds, stop)
    url = embedded_redis.url(settings)
    queue = ImportQueue(CircuitBreaker(connect(url)))
    sweeper = Sweeper(queue, settings.instance, stop, lanes, keep_log_short)
    try:
        _stop_on_signal(stop, busy)
        open_database()
        sweeper.start()
        while not stop.is_set():
            try:
                worker = ImportWorker(connect(url, PATIENT_SECONDS), queue, stop, lanes, busy)
                worker.clear_leftovers()
                worker.work(logging_level="ERROR")
            except StopRequested:
                raise
            except Exception as error:
                log.warning("cannot reach the queue, retrying: %s", where(error))
            stop.wait(RETRY_SECONDS)
    except StopRequested:
        stop.set()
    if sweeper.is_alive():
        sweeper.join(SWEEPER_STOP_SECONDS)
    lanes.hand_back()


def _stop_on_signal(stop: threading.Event, busy: threading.Event) -> None:
    """Lets SIGTERM and SIGINT set `stop`. The first raises `StopRequested`, unless the worker is `busy`."""

    def request_stop(_number: int, _frame: FrameType | None) -> None:
        is_first = not stop.is_set()
        stop.set()
        if is_first and not busy.is_set():
            raise StopRequested

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, request_stop)


class ImportWorker(SimpleWorker):
    """Takes jobs from RQ's queue, but does not let RQ run them: they name functions and callbacks, which
    anyone who can write to Redis could choose. Drops a job that is not exactly `drain_site(site_id)`.

    `busy` is set while it works on a site.
    """

    max_connection_wait_time = 2.0

    def __init__(
        self,
        connection: Redis,
        queue: ImportQueue,
        stop: threading.Event,
        lanes: Lanes,
        busy: threading.Event,
    ) -> None:
        super().__init__(
            [QUEUE], connection=connection, serializer=JSONSerializer, worker_ttl=WORKER_TTL_SECONDS
        )
        self.log_job_description = False
        self._busy = busy
        self._import_queue = queue
        self._stop_event = stop
        self._lanes = lanes

    def execute_job(self, job: Job, queue: Queue) -> None:
        site_id = site_to_drain(job)
        if site_id is None:
            log.warning("dropped an unknown job")
        else:
            self._drain(site_id)
        queue.intermediate_queue.remove(job.id)
        self.connection.delete(job.key)
        if self._stop_event.is_set():
            raise StopRequested

    def _drain(self, site_id: int) -> None:
        self._busy.set()
        try:
            draining.drain_site(self._import_queue, self._lanes, site_id)
        except Exception as error:
            log.error("site %d was not drained; the sweeper will retry: %s", site_id, where(error))
        finally:
            self._busy.clear()

    def clear_leftovers(self) -> None:
        """Removes what killed workers left in Redis: their registration, and jobs just taken."""
        for queue in self.queues:
            worker_registration.clean_worker_registry(queue)
            self.connection.delete(queue.intermediate_queue_key)

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Renews the worker's registration; RQ calls it before each wait.

        If the worker should stop, raises `StopRequested`: a library may have swallowed the signal's
        exception.
        """
        if self._stop_event.is_set():
            raise StopRequested
        super().heartbeat(timeout, pipeline)

    def run_maintenance_tasks(self) -> None:
        """Does nothing: RQ's own tasks would run the callbacks of abandoned jobs."""

    def subscribe(self) -> None:
        """Does nothing: the worker takes no commands over Redis."""

    def unsubscribe(self) -> None:
        """Does nothing: see `subscribe`."""

    def _install_signal_handlers(self) -> None:
        """Does nothing: `run` installs its own."""


def site_to_drain(job: Job) -> int | None:
    """The site id in a job that is exactly `drain_site(site_id)`; else None."""
    try:
        name, instance, args, kwargs = job.func_name, job.instance, job.args, job.kwargs
    except DeserializationError:
        return None
    is_drain = (name, instance, kwargs) == (DRAIN_SITE, None, {}) and isinstance(args, list)
    return args[0] if is_drain and [type(arg) for arg in args] == [int] else None
