"""A demo site that looks like a real list: two years of fictional subscribers and their events."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from audience import clock
from audience.access import keys, operators, sites
from audience.access.audit_log import COMMAND_LINE
from audience.access.keys import NewKey
from audience.access.sites import Site
from audience.operations import demo_imports, demo_segments
from audience.operations.demo_people import FictionalSubscriber, generate
from audience.protocols import Progress
from audience.reports import reports
from audience.sources import Source, SourceKind
from audience.subscribers import events, subscribers
from storage import database

NAME, TIME_ZONE = "Demo", "Europe/Amsterdam"
SUBSCRIBERS = 20_000
CHUNK_ROWS = 500

REPORTS = (
    ("Plans", "VisitorsByFieldReport", {"field": "plan"}),
    ("Countries", "VisitorsByFieldReport", {"field": "country", "limit": 16}),
    ("Purchases by week", "EventsReport", {"event": "$purchase", "unit": "week", "days": 365}),
)


def create(instance: Path, count: int, progress: Progress) -> tuple[Site, NewKey]:
    """Creates and fills the demo site, which administrators own. Deletes it again when interrupted."""
    site = sites.create(NAME, TIME_ZONE)
    try:
        _fill(site, count, progress)
        operators.own(site, COMMAND_LINE)
        return site, keys.create([site])
    except BaseException:
        sites.delete(site, instance, progress)
        raise


def _fill(site: Site, count: int, progress: Progress) -> None:
    done, joined = 0, []
    for chunk in _chunks(generate(count, clock.now_ms())):
        _write(site.id, chunk)
        done += len(chunk)
        joined += [(draft.change.email, draft.change.dates["created_at"]) for draft in chunk]
        progress("Creating", done, count)
    demo_imports.create(site, joined)
    demo_segments.create(site)
    for name, type_, settings in REPORTS:
        reports.create(
            site, {"name": name, "report_type": f"Reporting::Reports::{type_}", "settings": settings}
        )


def _chunks(generated: Iterator[FictionalSubscriber]) -> Iterator[list[FictionalSubscriber]]:
    while chunk := list(islice(generated, CHUNK_ROWS)):
        yield chunk


@database.writes_site
def _write(site_id: int, chunk: Sequence[FictionalSubscriber]) -> None:
    changes = [subscriber.change for subscriber in chunk]
    ids = subscribers.write(site_id, changes, subscribers.accept_now(site_id, Source(SourceKind.API))).ids
    history = [
        (subscriber.change._replace(event_at=at), type_, {"details": details})
        for subscriber in chunk
        for type_, at, details in subscriber.events
    ]
    events.add(site_id, ids, history, clock.now_ms())
