"""The doorbell: an RQ job that says no more than "this site has imports waiting"."""

from functools import partial

from rq import Queue
from rq.serializers import JSONSerializer

from workers.link import Link

QUEUE = "imports"
DRAIN_SITE = "workers.jobs.drain_site"
COALESCE_MS = 2000
LONGEST = 1000
JOB_TTL = 3600


class Doorbell:
    """`audience.ports.Doorbell` over Redis. A ring is dropped while an earlier one is unanswered, when the
    queue is full, and when Redis is away: the inbox row is the truth, and the sweeper rings for it again."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._queue = Queue(QUEUE, connection=link.client, serializer=JSONSerializer)

    def ring(self, site_id: int) -> None:
        self.reaches(site_id)

    def reaches(self, site_id: int) -> bool:
        """Rings; False when Redis is away."""
        return self._link.ask(partial(self._ring, site_id)) is not None

    def answer(self, site_id: int) -> None:
        """Lets the next ring through: to be called before draining, so that none is lost."""
        self._link.ask(partial(self._link.client.delete, _key(site_id)))

    def _ring(self, site_id: int) -> bool:
        with self._link.client.pipeline(transaction=False) as pipeline:
            pipeline.set(_key(site_id), 1, nx=True, px=COALESCE_MS)
            pipeline.llen(self._queue.key)
            first, length = pipeline.execute()
        if not first or length >= LONGEST:
            return False
        self._queue.enqueue_call(DRAIN_SITE, args=(site_id,), ttl=JOB_TTL, result_ttl=0, failure_ttl=0)
        return True


def _key(site_id: int) -> str:
    return f"audience:bell:{site_id}"
