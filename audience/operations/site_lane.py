"""The kinds of jobs that a site does in its own order: imports and undos."""

from audience import jobs
from audience.imports import imports
from audience.undo import work as undo_work

KINDS = (imports.KIND, undo_work.KIND)


def drain(site_id: int, seconds: float) -> bool:
    """Applies a site's waiting imports and undos, in order, for about `seconds`. Returns whether to continue
    at once.

    Raises `jobs.MACHINE_FAULTS`.
    """
    return jobs.work(KINDS, site_id, seconds)
