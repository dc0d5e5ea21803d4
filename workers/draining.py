"""Draining a site, which means doing its due jobs: all that import workers take from the queue is the order
to do so.
"""

from audience import jobs
from audience.jobs import SITE
from workers.lanes import Lanes
from workers.queue import ImportQueue

DRAIN_SECONDS = 2.0


def drain_site(queue: ImportQueue, lanes: Lanes, site_id: int) -> None:
    """Does the site's due jobs of the lane `SITE` for up to `DRAIN_SECONDS`; other lanes' threads do the
    others.

    If jobs of the lane `SITE` remain, queues the site again, so that sites take turns.
    """
    queue.acknowledge(site_id)
    lanes.offer(site_id, except_lane=SITE)
    if jobs.work([kind for kind in lanes.kinds if kind.lane is SITE], site_id, DRAIN_SECONDS):
        queue.notify(site_id)
    lanes.offer(site_id, except_lane=SITE)
