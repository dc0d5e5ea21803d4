"""The deletion of a site that an operator asked for in the console. A worker does it, in chunks."""

import time
from functools import partial
from pathlib import Path

from audience import jobs
from audience.access import audit_log, operators, sites
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.jobs import DB, Job, Kind
from storage import database
from storage import jobs as stored_jobs

JOB = "site deletion"
WORKER = Actor("worker")


@database.write(database.SHARED)
def ask(site: Site, instance: Path, actor: Actor) -> None:
    """Has a worker delete a site. At once, revokes its keys, and removes all operators' roles on it.

    Does nothing if that was asked before.
    """
    if stored_jobs.exists(0, JOB, site.id):
        return
    sites.revoke_keys(site, instance)
    operators.remove_roles(site)
    audit_log.record(actor, "site deletion begun", subject=site.name)
    stored_jobs.add(0, JOB, site.id)


@database.session()
def under_way() -> set[int]:
    """The ids of the sites that a worker deletes."""
    return set(stored_jobs.subjects(0, JOB))


def kind(instance: Path) -> Kind:
    return Kind(JOB, DB, partial(_step, instance))


def _step(instance: Path, job: Job, deadline: float) -> int:
    """Deletes rows of the site until the deadline, and the site after its last. Raises `NotFound` then."""
    site = sites.get(job.subject)
    for _ in sites.delete_rows(site):
        if time.monotonic() > deadline:
            return 0
    sites.delete_last(site, instance, WORKER)
    with database.write(database.SHARED):
        jobs.end(job)
    return jobs.SETTLED
