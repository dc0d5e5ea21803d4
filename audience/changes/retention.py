"""How long the record of changes is kept."""

import time
from itertools import takewhile

from audience import clock
from audience.changes import log as change_log
from audience.changes.entries import unpack
from audience.clock import DAY_MS
from storage import database
from storage.changes import changed_subscribers
from storage.changes import log as stored
from storage.undo import undos as stored_undos

ROWS_AT_ONCE = 5
SWEEP_SECONDS = 1.0


def sweep(days: int, only_site: int | None = None) -> bool:
    """For about a second, deletes rows older than `days`, and blanks those that a crash left unblanked.

    Returns whether there may be more.
    """
    deadline = time.monotonic() + SWEEP_SECONDS
    before = clock.now_ms() - days * DAY_MS
    waiting = due = [] if only_site is None else [only_site]
    if only_site is None:
        with database.session():
            waiting, due = stored.sites_to_blank(), stored.sites_before(before)
    for site_id in waiting:
        change_log.blank_erased_values(site_id)
    for site_id in due:
        while time.monotonic() < deadline and _drop_some(site_id, before):
            pass
        _drop_erased(site_id)
    return bool(due) and time.monotonic() >= deadline


@database.writes_site
def _drop_erased(site_id: int) -> None:
    stored.drop_erased(site_id)


@database.writes_site
def _drop_some(site_id: int, before: int) -> bool:
    """Deletes up to `ROWS_AT_ONCE` rows from before an instant, in milliseconds. Deletes none while an undo
    is open.

    Returns whether there may be more.
    """
    if stored_undos.any_open(site_id):
        return False
    dropped = list(takewhile(lambda entry: entry.at < before, stored.oldest(site_id, ROWS_AT_ONCE)))
    for entry in dropped:
        entries = unpack(entry.entries)
        changed_subscribers.remove(site_id, entry, [*entries.indexed_ids(), *entries.unnumbered_ids()])
    if dropped:
        stored.drop(site_id, dropped)
    return len(dropped) == ROWS_AT_ONCE
