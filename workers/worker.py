"""The import worker: one process, one queue, no fork per job."""

import logging
import signal
import threading
from collections.abc import Callable, Sequence
from types import FrameType

from redis import Redis
from rq import Queue, SimpleWorker, worker_registration
from rq.exceptions import DeserializationError, StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer

from audience.config import Settings
from audience.errors import where
from workers import embedded_redis, jobs
from workers.link import Link, connect
from workers.log import OnceAMinute, configure
from workers.queue import DRAIN_SITE, QUEUE, Doorbell
from workers.sweeper import Chore, Sweeper

WORKER_TTL = 17  # RQ waits WORKER_TTL - 15 seconds for a job, then shows that it is alive and waits again
RETRY = 1.0
SWEEPER_STOP = 3.0

log = logging.getLogger(__name__)


def run(settings: Settings, open_database: Callable[[], object], chores: Sequence[Chore] = ()) -> None:
    """Works until SIGTERM or SIGINT, then finishes what it is at; never gives up on an absent Redis.

    The `chores` are done every few seconds: each is quick, and harmless when two workers do it at once.
    """
    configure(settings.log_level)
    for logger in (log, logging.getLogger("rq.worker")):
        logger.addFilter(OnceAMinute())
    stop = threading.Event()
    url = embedded_redis.url(settings)
    bell = Doorbell(Link(connect(url)))
    worker: ImportWorker | None = None

    def request_stop(_number: int, _frame: FrameType | None) -> None:
        again, busy = stop.is_set(), worker is not None and worker.busy
        stop.set()
        if not again and not busy:
            raise StopRequested

    sweeper = Sweeper(bell, settings.instance, stop, chores)
    try:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, request_stop)
        open_database()
        sweeper.start()
        while not stop.is_set():
            try:
                worker = ImportWorker(connect(url), bell, stop)
                worker.clear_leftovers()
                worker.work(logging_level="ERROR")
            except StopRequested:
                raise
            except Exception as error:
                log.warning("the queue is away, trying again: %s", where(error))
            stop.wait(RETRY)
    except StopRequested:
        stop.set()
    if sweeper.is_alive():
        sweeper.join(SWEEPER_STOP)


class ImportWorker(SimpleWorker):
    """Takes jobs from RQ's queue but runs them itself: a job names functions, call-backs and addresses, and
    whoever can write to Redis would choose them. What is not exactly on the list is dropped."""

    max_connection_wait_time = 2.0

    def __init__(self, connection: Redis, bell: Doorbell, stop: threading.Event) -> None:
        super().__init__([QUEUE], connection=connection, serializer=JSONSerializer, worker_ttl=WORKER_TTL)
        self.log_job_description = False
        self.busy = False
        self._bell = bell
        self._stopping = stop

    def execute_job(self, job: Job, queue: Queue) -> None:
        site_id = site_to_drain(job)
        if site_id is None:
            log.warning("dropped a job that is not on the list of jobs")
        else:
            self._drain(site_id)
        queue.intermediate_queue.remove(job.id)
        self.connection.delete(job.key)
        if self._stopping.is_set():
            raise StopRequested

    def _drain(self, site_id: int) -> None:
        self.busy = True
        try:
            jobs.drain_site(self._bell, site_id)
        except Exception as error:
            log.error("site %d was not drained, the sweeper rings again: %s", site_id, where(error))
        finally:
            self.busy = False

    def clear_leftovers(self) -> None:
        """Forgets workers that were killed, and what they had just taken."""
        for queue in self.queues:
            worker_registration.clean_worker_registry(queue)
            self.connection.delete(queue.intermediate_queue_key)

    def run_maintenance_tasks(self) -> None:
        """RQ's own would run the call-backs of abandoned jobs."""

    def subscribe(self) -> None:
        """No commands over Redis: signals are enough."""

    def unsubscribe(self) -> None:
        """Nothing was subscribed to."""

    def _install_signal_handlers(self) -> None:
        """`run` has its own."""


def site_to_drain(job: Job) -> int | None:
    """The site of a job that is exactly `drain_site(site_id)`; None for any other."""
    try:
        name, instance, args, kwargs = job.func_name, job.instance, job.args, job.kwargs
    except DeserializationError:
        return None
    listed = (name, instance, kwargs) == (DRAIN_SITE, None, {}) and isinstance(args, list)
    return args[0] if listed and [type(arg) for arg in args] == [int] else None
