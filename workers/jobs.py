"""What a worker may be asked to do: everything that is on the list, and nothing else."""

from audience import imports
from workers.queue import Doorbell

SECONDS = 2.0


def drain_site(bell: Doorbell, site_id: int) -> None:
    """Drains for a moment and rings again if more waits, so that sites take turns."""
    bell.answer(site_id)
    if imports.drain(site_id, SECONDS):
        bell.ring(site_id)
