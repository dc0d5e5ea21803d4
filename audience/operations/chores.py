"""What a worker does beside imports, again and again."""

from collections.abc import Callable
from functools import partial

from audience import (
    audit_log,
    bulk_act_pieces,
    change_log,
    erased_pages,
    file_imports,
    file_tasks,
    file_uploads,
    segment_counts,
    tags,
)
from audience.config import Settings
from audience.operations import kept_backups
from audience.protocols import FileOpener
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
        partial(change_log.sweep, settings.changes_days),
        segment_counts.sweep,
        partial(bulk_act_pieces.work, settings.instance, BULK_ACT_SECONDS),
        bulk_act_pieces.sweep,
        database.checkpoint,
    )


def errands(settings: Settings, open_file: FileOpener) -> tuple[Callable[[], object], ...]:
    """Each may take long: what operators have asked for."""
    return partial(file_tasks.work, settings.instance, open_file), partial(kept_backups.work, settings)
