"""Mirrors a site into a file, which follows the record of changes.

Each page of changes is applied in one transaction of the file, with the cursor: whatever
ends the process, the mirror goes on from there.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.changes import pages as change_log_pages
from audience.changes.entries import ERASED, RESET
from audience.changes.pages import ChangePage, LoggedChange
from audience.errors import Refused
from audience.searches import exports
from schemas.values import DATES, NAMES, compact_json, write_date
from storage.errors import Unavailable
from storage.searches import mirror_files
from storage.searches.mirror_files import JsonLinesFile, MirrorCursor, MirrorFile

FORMATS: dict[str, Callable[[Path, str], MirrorFile]] = {"sqlite": MirrorFile, "jsonl": JsonLinesFile}
FOLLOW_SECONDS = 1.0
WHOLE = "created_at"  # it is among what changed only where all values are


def mirror(site: Site, form: str, path: Path, once: bool, tell: Callable[[str], None]) -> dict[str, Any]:
    """Mirrors a site into a file of a form, one of `FORMATS`. Returns the cursor and the numbers of rows once
    it is level; without `once`, it follows for ever.

    `tell` is told when it begins anew, and why it waits. Raises `Unusable`, and `Unavailable` with `once`.
    """
    file = FORMATS[form](path, site.uuid)
    try:
        while True:
            has_more = _try(site, file, once, tell)
            if not has_more and once:
                cursor = file.cursor()
                return (cursor._asdict() if cursor else {}) | file.counts()
            time.sleep(0 if has_more else FOLLOW_SECONDS)
    finally:
        file.close()


def _try(site: Site, file: MirrorFile, once: bool, tell: Callable[[str], None]) -> bool:
    """Does a step. Returns False to wait: nothing was new, or a database is not available."""
    try:
        return step(site, file, tell)
    except Unavailable as error:
        if once:
            raise
        tell(f"Waiting: {error}")
        return False


def step(site: Site, file: MirrorFile, tell: Callable[[str], None]) -> bool:
    """Mirrors a page of changes and of events, or begins anew. Returns whether there may be more."""
    cursor = file.cursor()
    page = _page(site, cursor)
    if cursor is None or page is None:
        tell("The mirror begins anew." if cursor else "The mirror begins.")
        _copy(site, file)
        return True
    events = exports.events_after(site, cursor.event)
    if page.changes or events:
        with file.transaction():
            for change in page.changes:
                _apply(file, change)
            file.add("events", map(_event, events))
            file.keep(MirrorCursor(page.next, events[-1][0].id if events else cursor.event))
    return page.has_more or bool(events)


def _page(site: Site, cursor: MirrorCursor | None) -> ChangePage | None:
    """The changes after a cursor; None if the mirror must begin anew."""
    try:
        page = cursor and change_log_pages.page(site, cursor.change, change_log_pages.MAX_PAGE)
    except Refused:
        return None
    return None if page and any(change.kind == RESET for change in page.changes) else page


def _copy(site: Site, file: MirrorFile) -> None:
    """Replaces the whole mirror by the site, in one transaction."""
    change, last = change_log_pages.newest(site), 0
    with file.transaction():
        file.clear()
        for page in exports.recorded_pages(site, None, COMMAND_LINE):
            file.add("subscribers", [_subscriber(subscriber) for subscriber, _ in page])
            file.add("tags", [(subscriber.uuid, tag) for subscriber, tags in page for tag in tags])
        for events in exports.event_pages(site, 0, COMMAND_LINE):
            file.add("events", map(_event, events))
            last = events[-1][0].id
        file.keep(MirrorCursor(change, last))


def _subscriber(subscriber: Any) -> tuple[Any, ...]:
    """The row of a subscriber."""
    names = (getattr(subscriber, name) or None for name in NAMES)
    dates = (write_date(getattr(subscriber, name)) for name in DATES)
    return subscriber.uuid, subscriber.email, *names, compact_json(subscriber.fields), *dates


def _event(exported: tuple[Any, str, str]) -> tuple[Any, ...]:
    event, uuid, _ = exported
    dates = write_date(event.occurred_at), write_date(event.created_at)
    return event.id, uuid, event.type, dates[0], event.details, dates[1]


def _apply(file: MirrorFile, change: LoggedChange) -> None:
    """Applies a change. Applied twice, it does no harm."""
    uuid, changed = change.uuid, change.changed
    if uuid is None:
        return
    if change.kind == ERASED:
        file.erase(uuid)
        return
    values = file.subscriber(uuid) or {"email": change.email, "fields": "{}"}
    if WHOLE in changed:
        values["fields"] = "{}"
        file.remove_tags(uuid)
    values |= {name: changed[name] or None for name in ("email", *NAMES) if name in changed}
    values |= {name: write_date(changed[name]) for name in DATES if name in changed}
    custom = json.loads(values["fields"]) | changed.get("fields", {})
    values["fields"] = compact_json({key: value for key, value in custom.items() if value is not None})
    columns = mirror_files.COLUMNS["subscribers"]
    file.add("subscribers", [[({"uuid": uuid} | values).get(name) for name in columns]])
    file.add("tags", [(uuid, tag) for tag in changed.get("tags_added", ())])
    file.remove_tags(uuid, changed.get("tags_removed", ()))
