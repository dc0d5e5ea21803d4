"""The list of all kinds of jobs. Each kind is a `KIND` or `kind()` beside its `step`, in the package of its
subject.
"""

import time
from collections.abc import Callable
from functools import partial

from audience.access import audit_log, sites
from audience.bulk import chunks as bulk_chunks
from audience.bulk import tag_deletions, tag_renames
from audience.changes import retention as change_log_retention
from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.erasures import waiting_imports
from audience.imports import file_imports, file_tasks, file_uploads
from audience.jobs import DB, Job, Kind
from audience.mail.relay import Relay
from audience.operations import daily_backups, kept_backups, site_deletions, site_lane
from audience.privacy import secret_files
from audience.protocols import BackupPrograms, FileOpener, TextOpener
from audience.repeats import repeats
from audience.segments import counts as segment_counts
from audience.sign_ups import holds, mails
from audience.subscribers import field_values
from audience.undo import undos
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import finished_imports
from audience.webhooks import sender as webhook_sender
from audience.webhooks.sender import WriteChange

MAINTENANCE_MS = 600_000  # between two of a task


def kinds(
    settings: Settings,
    write_change: WriteChange,
    open_file: FileOpener,
    open_texts: TextOpener,
    programs: BackupPrograms,
) -> tuple[Kind, ...]:
    """All kinds of jobs.

    `write_change` writes a change for webhooks, `open_file` opens a file of subscribers, and `open_texts`
    reads all text of such a file.
    """
    relay = Relay(settings)
    return (
        *given_up(settings),
        webhook_sender.kind(settings.webhook_private_addresses, write_change, settings.base_url),
        finished_imports.kind(settings.webhook_private_addresses),
        *mails.kinds(settings, relay),
        segment_counts.KIND,
        field_values.KIND,
        tag_renames.KIND,
        waiting_imports.KIND,
        file_tasks.kind(settings.instance, open_file, open_texts),
        kept_backups.kind(settings, programs),
        daily_backups.kind(settings, programs),
        site_deletions.kind(settings.instance),
        *(Kind(name, DB, partial(_step, task), own=True) for name, task in maintenance(settings).items()),
        *(
            Kind(name, DB, partial(_step_of_sites, task), own=True)
            for name, task in site_maintenance(settings).items()
        ),
    )


def given_up(settings: Settings) -> tuple[Kind, ...]:
    """The kinds of jobs that are given up after failures, and queued again by `audience jobs retry`."""
    return (*site_lane.KINDS, bulk_chunks.kind(settings.instance))


def maintenance(settings: Settings) -> dict[str, Callable[[], object]]:
    """The maintenance tasks of what belongs to no site, by name. Each deletes some of what has expired.

    Each returns true while there may be more.
    """
    return {
        "stopped restores": partial(secret_files.remove_leftover_folders, settings.instance),
        "consent log": partial(erasure_log.sweep, settings.instance, settings.consent_log_days),
        "audit log": partial(audit_log.sweep, settings.audit_log_days),
    }


def site_maintenance(settings: Settings) -> dict[str, Callable[[int | None], object]]:
    """The maintenance tasks of what belongs to sites. Each takes a site id, or None for all sites."""
    return {
        "abandoned imports": file_imports.sweep,
        "refused rows": file_imports.forget_refused,
        "files": partial(file_uploads.sweep, settings.instance),
        "deleted tags": tag_deletions.sweep,
        "changes": partial(change_log_retention.sweep, settings.changes_days),
        "undos": partial(undos.sweep, settings.changes_days),
        "deliveries": webhook_deliveries.sweep,
        "bulk actions": bulk_chunks.sweep,
        "sign-ups": holds.sweep,
        "idempotency keys": repeats.sweep,
    }


def _step(task: Callable[[], object], _job: Job, deadline: float) -> int:
    """Repeats a task until it is done, or `deadline`. Returns milliseconds until the next step."""
    while task():
        if time.monotonic() > deadline:
            return 0
    return MAINTENANCE_MS


def _step_of_sites(task: Callable[[int | None], object], job: Job, deadline: float) -> int:
    """Repeats a task for all sites at once or, if some do not answer, for each other. Returns as `_step`."""
    waits, _ = sites.each_answering(lambda only_site: _step(partial(task, only_site), job, deadline))
    return min(waits, default=MAINTENANCE_MS)
