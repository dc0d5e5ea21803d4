"""Tells the webhooks that ask for `import_finished` that an import has ended: each at least once, and without
anybody's data.
"""

from functools import partial

from audience import clock, jobs
from audience.access import sites
from audience.access.sites import Site
from audience.clock import DAY_MS, HOUR_MS
from audience.jobs import NET, Job, Kind
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import outgoing
from audience.webhooks.deliveries import IMPORT_FINISHED, Delivery
from audience.webhooks.webhooks import Webhook
from storage import database
from storage import jobs as stored_jobs
from storage.imports import imports as stored_imports
from storage.imports.imports import Import
from storage.webhooks import webhooks as stored

MOVE_MS = 5_000  # until it is asked again whether a move has ended
FIRST_WAIT_MS, MOST_WAIT_MS, TRIED_MS = 5_000, HOUR_MS, 3 * DAY_MS
COUNTS = (
    "created", "updated", "unchanged", "suppressed", "unsubscribed", "stay_unsubscribed",
    "unsubscribes_ignored", "subscribes_ignored",
)  # fmt: skip


def note(site_id: int, import_id: int) -> None:
    """Queues the message on an ended import, in the caller's transaction, if a webhook asks for it."""
    if stored.for_imports(site_id):
        stored_jobs.add(site_id, IMPORT_FINISHED, import_id)


def kind(private_addresses: bool) -> Kind:
    return Kind(IMPORT_FINISHED, NET, partial(step, private_addresses=private_addresses), at_once=2)


def step(job: Job, _deadline: float, *, private_addresses: bool) -> int:
    """Tells each webhook that was not told yet. The wait between tries grows with time, up to an hour.

    Gives up after three days, even on paused webhooks. Does nothing if the import was queued again. Returns
    milliseconds until the next step, or `SETTLED`.
    """
    if not outgoing.is_sent_here():
        return MOVE_MS
    site = sites.get(job.site_id)
    with database.session():
        import_, asking = stored_imports.get(site.id, job.subject), stored.for_imports(site.id)
    ended_at = import_ and import_.finished_at
    are_told = not (import_ and ended_at) or _tell_all(
        site, job, import_, ended_at, asking, private_addresses
    )
    with database.write(site.id):
        jobs.hold(job, NET)
        passed_ms = clock.now_ms() - (ended_at or 0)
        if are_told or passed_ms > TRIED_MS:
            jobs.end(job)
        else:
            jobs.put_off(job, min(max(passed_ms, FIRST_WAIT_MS), MOST_WAIT_MS))
    return jobs.SETTLED


def _tell_all(
    site: Site, job: Job, import_: Import, ended_at: int, asking: list[Webhook], private_addresses: bool
) -> bool:
    """Tells each webhook that existed when the import ended. Returns whether all have been told."""
    are_told = True
    for webhook in asking:
        if webhook.created_at <= ended_at:
            with database.write(site.id):
                jobs.hold(job, NET)
            are_told &= _tell(site, webhook, import_, ended_at, private_addresses)
    return are_told


def _tell(site: Site, webhook: Webhook, import_: Import, ended_at: int, private_addresses: bool) -> bool:
    """Tells a webhook, unless told or paused, that an import has ended. Returns whether it has been told."""
    message_id = f"webhook-{webhook.id}-import-{import_.id}-{ended_at}"
    if webhook_deliveries.was_taken(site, webhook, message_id):
        return True
    if webhook.paused:
        return False
    draft = Delivery(0, webhook.id, message_id, IMPORT_FINISHED, clock.now_ms())
    delivered = webhook_deliveries.send_own(
        site, webhook, draft, ended_at, [_data(import_)], private_addresses
    )
    return webhook_deliveries.is_success(delivered)


def _data(import_: Import) -> dict[str, str | int]:
    """The data of an import in a webhook's message. The counts have the API's names."""
    totals = {
        "total": import_.rows + import_.refused,
        "processed": import_.applied + import_.refused,
        "failed": import_.refused + import_.suppressed,
    }
    counts = {name: getattr(import_, name) for name in COUNTS}
    return {"id": str(import_.id), "status": import_.status} | totals | counts
