"""Draining a site: the one job that an import worker takes from the queue."""

from audience import jobs
from audience.jobs import SITE
from workers.lanes import Lanes
from workers.queue import ImportQueue

DRAIN_SECONDS = 2.0


def drain_site(queue: ImportQueue, lanes: Lanes, site_id: int) -> None:
    """Does the due jobs of a site: those of the lane `SITE` here, for `DRAIN_SECONDS`, the others in their
    lanes.

    Queues the site again if imports remain, so that sites take turns.
    """
    queue.acknowledge(site_id)
    lanes.offer(site_id, but=SITE)
    if jobs.work([kind for kind in lanes.kinds if kind.lane is SITE], site_id, DRAIN_SECONDS):
        queue.notify(site_id)
    lanes.offer(site_id, but=SITE)
