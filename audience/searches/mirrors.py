"""Mirrors a site into a file or a database, and keeps that level with the site's log of changes.

Each page of changes is applied in one transaction of the mirror, with the cursor: whatever
ends the process, the mirror goes on from there.
"""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.changes import pages as change_log_pages
from audience.changes.entries import ERASED, RESET
from audience.changes.pages import ChangePage, LoggedChange
from audience.errors import Refused
from audience.searches import exports
from schemas.values import DATES, NAMES, compact_json, write_date
from storage.engines.chosen import engine_of
from storage.errors import Unavailable
from storage.searches.mirror_files import JsonLinesFile, MirrorFile
from storage.searches.mirrors import COLUMNS, Mirror, MirrorCursor

FILES: dict[str, type[MirrorFile]] = {"sqlite": MirrorFile, "jsonl": JsonLinesFile}
SERVER = "postgresql"
FOLLOW_SECONDS = 1.0
WHOLE = "created_at"  # it is among what changed only where all values are


class Target(NamedTuple):
    """Where a mirror is: the path of a file whose form is one of `FILES`, or the URL of a `SERVER`."""

    form: str
    location: str
    password: str | None = None


def mirror(site: Site, target: Target, once: bool, tell: Callable[[str], None]) -> dict[str, Any]:
    """Mirrors a site into a target. With `once`, returns the cursor and the numbers of rows when the target
    is level with the site; else never returns.

    `tell` gets a sentence when the mirror begins anew or waits. Raises `Unusable`; `Unavailable` with `once`,
    or if the target does not open.
    """
    opened = _open(target, site.uuid)
    try:
        while True:
            has_more = _try(site, opened, once, tell)
            if not has_more and once:
                cursor = opened.cursor()
                return (cursor._asdict() if cursor else {}) | opened.counts()
            time.sleep(0 if has_more else FOLLOW_SECONDS)
    finally:
        opened.close()


def _open(target: Target, site_uuid: str) -> Mirror:
    if target.form in FILES:
        return FILES[target.form](Path(target.location), site_uuid)
    engine_of(target.location)  # says what to install, without the driver
    from storage.searches.mirror_servers import ServerMirror

    return ServerMirror(target.location, site_uuid, target.password)


def _try(site: Site, opened: Mirror, once: bool, tell: Callable[[str], None]) -> bool:
    """Does a step. Returns False if the caller should wait: nothing was new, or a database is unavailable."""
    try:
        return step(site, opened, tell)
    except Unavailable as error:
        if once:
            raise
        tell(f"Waiting: {error}")
        return False


def step(site: Site, opened: Mirror, tell: Callable[[str], None]) -> bool:
    """Mirrors a page of changes and of events, or begins anew. Returns whether there may be more."""
    cursor = opened.cursor()
    page = _page(site, cursor)
    if cursor is None or page is None:
        tell("The mirror starts over." if cursor else "The mirror begins.")
        _copy(site, opened)
        return True
    events = exports.events_after(site, cursor.event)
    if page.changes or events:
        with opened.transaction():
            _apply(opened, page.changes)
            opened.add("events", map(_event, events))
            opened.keep(MirrorCursor(page.next, events[-1][0].id if events else cursor.event))
    return page.has_more or bool(events)


def _page(site: Site, cursor: MirrorCursor | None) -> ChangePage | None:
    """The changes after a cursor; None if the mirror must begin anew."""
    try:
        page = cursor and change_log_pages.page(site, cursor.change, change_log_pages.MAX_PAGE)
    except Refused:
        return None
    return None if page and any(change.kind == RESET for change in page.changes) else page


def _copy(site: Site, opened: Mirror) -> None:
    """Replaces the whole mirror by the site, in one transaction."""
    change, last = change_log_pages.newest_number(site), 0
    with opened.transaction():
        opened.clear()
        for page in exports.recorded_pages(site, None, COMMAND_LINE):
            opened.add("subscribers", [_subscriber(subscriber) for subscriber, _ in page])
            opened.add("tags", [(subscriber.uuid, tag) for subscriber, tags in page for tag in tags])
        for events in exports.event_pages(site, 0, COMMAND_LINE):
            opened.add("events", map(_event, events))
            last = events[-1][0].id
        opened.keep(MirrorCursor(change, last))


def _subscriber(subscriber: Any) -> tuple[Any, ...]:
    """The row of a subscriber."""
    names = (getattr(subscriber, name) or None for name in NAMES)
    dates = (write_date(getattr(subscriber, name)) for name in DATES)
    return subscriber.uuid, subscriber.email, *names, compact_json(subscriber.fields), *dates


def _event(exported: tuple[Any, str, str]) -> tuple[Any, ...]:
    event, uuid, _ = exported
    dates = write_date(event.occurred_at), write_date(event.created_at)
    return event.id, uuid, event.type, dates[0], event.details, dates[1]


def _apply(opened: Mirror, changes: Sequence[LoggedChange]) -> None:
    """Applies changes, in a fixed number of statements. Applied twice, they do no harm."""
    uuids = {change.uuid for change in changes if change.uuid is not None}
    subscribers, tag_rows = opened.subscribers(uuids), opened.tags(uuids)
    tags: dict[str, set[str]] = {uuid: set() for uuid in uuids}
    for uuid, tag in tag_rows:
        tags[uuid].add(tag)
    erased = set()
    for change in changes:
        if change.kind == ERASED and change.uuid:
            erased.add(change.uuid)
            subscribers.pop(change.uuid, None)
            tags[change.uuid].clear()
        elif change.uuid is not None:
            subscribers[change.uuid] = _values(subscribers.get(change.uuid), change)
            if WHOLE in change.changed:
                tags[change.uuid].clear()
            tags[change.uuid].update(change.changed.get("tags_added", ()))
            tags[change.uuid].difference_update(change.changed.get("tags_removed", ()))
    new_tag_rows = {(uuid, tag) for uuid, names in tags.items() for tag in names}
    opened.erase(erased)
    opened.remove_tags(tag_rows - new_tag_rows)
    opened.add(
        "subscribers",
        [[values.get(name) for name in COLUMNS["subscribers"]] for values in subscribers.values()],
    )
    opened.add("tags", sorted(new_tag_rows))


def _values(values: dict[str, Any] | None, change: LoggedChange) -> dict[str, Any]:
    """The values of a subscriber by column, after a change. `values` are those before it, if any."""
    changed = change.changed
    before = values or {"uuid": change.uuid, "email": change.email, "fields": "{}"}
    fields = {} if WHOLE in changed else json.loads(before["fields"])
    fields = {key: value for key, value in (fields | changed.get("fields", {})).items() if value is not None}
    names = {name: changed[name] or None for name in ("email", *NAMES) if name in changed}
    dates = {name: write_date(changed[name]) for name in DATES if name in changed}
    return before | names | dates | {"fields": compact_json(fields)}
