"""What a worker does beside imports, again and again."""

from collections.abc import Callable
from functools import partial

from audience import (
    audit_log,
    bulk_act_pieces,
    change_log_retention,
    erased_pages,
    file_imports,
    file_searches,
    file_tasks,
    file_uploads,
    segment_counts,
    tags,
    undos,
    webhook_deliveries,
)
from audience.config import Settings
from audience.operations import kept_backups
from audience.protocols import FileOpener, RecordOpener
from storage import database, leases

BULK_ACT_SECONDS = 1.0  # of every round
alone = partial(leases.alone, leases.SWEEP)  # whether no other host does them


def chores(settings: Settings) -> tuple[Callable[[], object], ...]:
    """Each does a piece of its work, and goes on with it the next time."""
    return (
        file_imports.sweep,
        partial(file_uploads.sweep, settings.instance),
        tags.sweep,
        partial(erased_pages.run, settings.instance),
        partial(audit_log.sweep, settings.audit_log_days),
        partial(change_log_retention.sweep, settings.changes_days),
        partial(undos.sweep, settings.changes_days),
        segment_counts.sweep,
        webhook_deliveries.sweep,
        partial(bulk_act_pieces.work, settings.instance, BULK_ACT_SECONDS),
        bulk_act_pieces.sweep,
        database.checkpoint,
    )


def errands(
    settings: Settings, open_file: FileOpener, open_records: RecordOpener
) -> tuple[Callable[[], object], ...]:
    """Each may take long: what operators have asked for, and files to search for the erased."""
    return (
        partial(file_searches.work, settings.instance, open_records),
        partial(file_tasks.work, settings.instance, open_file),
        partial(kept_backups.work, settings),
    )
