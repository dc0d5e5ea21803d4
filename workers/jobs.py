"""The one job that an import worker runs."""

from audience import imports
from workers.queue import ImportQueue

DRAIN_SECONDS = 2.0


def drain_site(queue: ImportQueue, site_id: int) -> None:
    """Drains a site for `DRAIN_SECONDS`; queues it again if imports remain, so that sites take turns."""
    queue.acknowledge(site_id)
    if imports.drain(site_id, DRAIN_SECONDS):
        queue.notify(site_id)
