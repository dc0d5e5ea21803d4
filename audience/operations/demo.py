"""A demo site that looks like a real list: two years of fictional subscribers and their events."""

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import cycle, islice
from pathlib import Path

from audience import clock
from audience.access import keys, operators, sites
from audience.access.audit_log import COMMAND_LINE
from audience.access.keys import NewKey
from audience.access.sites import Site
from audience.changes.changes import Change
from audience.looks import looks
from audience.operations import demo_forms, demo_imports, demo_segments
from audience.operations.demo_people import FictionalSubscriber, generate
from audience.protocols import Progress
from audience.reports import reports
from audience.sources import Source, SourceKind
from audience.subscribers import events, subscribers
from storage import database

NAME, TIME_ZONE = "Demo", "Europe/Amsterdam"
SUBSCRIBERS = 20_000
CHUNK_ROWS = 500

BY_LINK = (
    "too_many",
    "",
    "not_interested",
    "too_many",
    "",
    "elsewhere",
    "not_expected",
    "never_signed_up",
    "",
)


def create(instance: Path, count: int, progress: Progress) -> tuple[Site, NewKey]:
    """Creates and fills a demo site, which administrators own, with a key."""
    site = sites.create(NAME, TIME_ZONE)
    fill(site, instance, count, progress)
    operators.add_owners(site, COMMAND_LINE)
    return site, keys.create([site])


def fill(site: Site, instance: Path, count: int, progress: Progress) -> None:
    """Fills a new demo site. Deletes it if that breaks off."""
    try:
        _fill(site, count, progress)
    except BaseException:
        sites.delete(site, instance, progress)
        raise


def _fill(site: Site, count: int, progress: Progress) -> None:
    """Writes subscribers first, then all that refers to them."""
    done, joined = 0, []
    for chunk in _chunks(generate(count, clock.now_ms())):
        _write(site.id, chunk)
        done += len(chunk)
        joined += [(draft.change.email, draft.change.dates["created_at"]) for draft in chunk]
        progress("Creating", done, count)
    demo_imports.create(site, joined)
    items = json.loads((files("audience.data") / "demo" / "site.json").read_text("utf-8"))
    demo_segments.create(site, items["segments"])
    for item in items["reports"]:
        reports.create(site, item)
    looks.change(site, items["look"], b"", removes_logo=False, actor=COMMAND_LINE)
    demo_forms.create(site, items["form"], joined)


def _chunks(generated: Iterator[FictionalSubscriber]) -> Iterator[list[FictionalSubscriber]]:
    while chunk := list(islice(generated, CHUNK_ROWS)):
        yield chunk


@database.writes_site
def _write(site_id: int, chunk: Sequence[FictionalSubscriber]) -> None:
    """Writes a chunk of subscribers with their events. Nine in ten who unsubscribe do so by a link."""
    changes = [subscriber.change for subscriber in chunk]
    unsubscribes = [change for change in changes if change.consent]
    by_link = [change for number, change in enumerate(unsubscribes) if number % 10]
    keys_by_link = {change.key for change in by_link}
    created = [change._replace(consent="") if change.key in keys_by_link else change for change in changes]
    ids = subscribers.write(site_id, created, subscribers.accept_now(site_id, Source(SourceKind.API))).ids
    unsubscribes = [
        Change(change.key, change.email, consent=change.consent, at=change.at, reason=reason)
        for change, reason in zip(by_link, cycle(BY_LINK), strict=False)
    ]
    subscribers.write(site_id, unsubscribes, subscribers.accept_now(site_id, Source(SourceKind.LINK)))
    history = [
        (subscriber.change._replace(event_at=at), type_, {"details": details})
        for subscriber in chunk
        for type_, at, details in subscriber.events
    ]
    events.add(site_id, ids, history, clock.now_ms())
