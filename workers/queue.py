"""The import queue. Its jobs, which RQ keeps in Redis, have nothing but the id of a site with due jobs."""

from functools import partial

from rq import Queue
from rq.serializers import JSONSerializer

from workers import heartbeat
from workers.redis_client import CircuitBreaker

QUEUE = "imports"
DRAIN_SITE = "workers.jobs.drain_site"  # what RQ stores: jobs queued before an upgrade run after it
COALESCE_MS = 2000
MAX_LENGTH = 1000
JOB_TTL_SECONDS = 3600


class ImportQueue:
    """Implements `audience.protocols.ImportQueue` over Redis.

    A notification is dropped if the site was just notified, the queue is full, or Redis is unreachable. No
    import is lost by this: the database keeps imports, and the sweeper notifies again.
    """

    def __init__(self, breaker: CircuitBreaker) -> None:
        self._breaker = breaker
        self._queue = Queue(QUEUE, connection=breaker.client, serializer=JSONSerializer)

    def notify(self, site_id: int) -> None:
        self.try_notify(site_id)

    def try_notify(self, site_id: int) -> bool:
        """Notifies the workers of a site with due jobs. Returns False only if Redis is unreachable."""
        return self._breaker.call(partial(self._enqueue, site_id)) is not None

    def acknowledge(self, site_id: int) -> None:
        """Ends the time in which `notify` drops notifications of the site. Call it before draining."""
        self._breaker.call(partial(self._breaker.client.delete, _key(site_id)))

    def note_sweep(self) -> bool:
        """Notes in Redis, for other hosts, that a worker has swept. Returns whether Redis was reached."""
        return heartbeat.beat_in_redis(self._breaker)

    def _enqueue(self, site_id: int) -> bool:
        """Queues a job for the site. Returns False if the site was just notified, or the queue is full."""
        with self._breaker.client.pipeline(transaction=False) as pipeline:
            pipeline.set(_key(site_id), 1, nx=True, px=COALESCE_MS)
            pipeline.llen(self._queue.key)
            first, length = pipeline.execute()
        if not first or length >= MAX_LENGTH:
            return False
        self._queue.enqueue_call(
            DRAIN_SITE, args=(site_id,), ttl=JOB_TTL_SECONDS, result_ttl=0, failure_ttl=0
        )
        return True


def _key(site_id: int) -> str:
    return f"audience:bell:{site_id}"
