"""Record and list events of subscribers."""

from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api import repeats
from audience.api.endpoint import endpoint, key_source
from audience.api.repeats import Again, Ids, Later
from audience.changes import pages as change_log_pages
from audience.sources import SourceKind
from audience.subscribers import events
from audience.subscribers.events import EventsResult
from schemas.base import with_dashes
from schemas.change_log import history
from schemas.events import EventList, ListEvents, Recorded, RecordEvents, event_resource, record_response
from schemas.imports import ImportRows
from schemas.pages import page_meta

blueprint = Blueprint("events", __name__)


def _again(ids: Ids, form: dict[str, Any], **_: Any) -> dict[str, Any]:
    rows: ImportRows = form["events"]
    errors = repeats.all_errors(ids["errors"], rows.problems)
    return record_response(rows.total, EventsResult(ids["accepted"], errors, *ids["ignored"]))


@blueprint.post("/batch/events")
@endpoint(
    scope="full",
    family="batch",
    takes=RecordEvents,
    batch=True,
    gives=Recorded,
    query=False,
    again=Again(_again),
)
def record_events(site: Site, form: dict[str, Any]) -> Later:
    """Record 1 to 1,000 events

    An event creates its subscriber if necessary, merges `fields`, and moves `last_event_at` forward. `$tag`,
    `$remove_tag`, `$subscribe` and `$unsubscribe` act like the commands. If the site already has an event of
    the same type and `details.unique.key`, the new one is accepted but not applied again.

    Returns how many events were recorded and refused, and why. All events are written before the answer is
    sent.
    """
    rows: ImportRows = form["events"]
    result = events.record(site, rows.items, rows.problems, key_source(SourceKind.EVENT))
    ids = {
        "accepted": result.accepted,
        "errors": repeats.kept_errors(result.errors, rows.problems),
        "ignored": [result.unsubscribes_ignored, result.subscribes_ignored],
    }
    return Later(ids, lambda: record_response(rows.total, result))


@blueprint.get("/fetch/subscribers/<uuid>/events")
@endpoint(scope="read", family="fetch", takes=ListEvents, gives=EventList)
def list_events(site: Site, form: dict[str, Any], uuid: str) -> dict[str, Any]:
    """List the events of a subscriber

    Lists the events of the subscriber with this `uuid`, 100 per page. With `history=1`, the answer also has
    `history`: what created the subscriber, and what changed, when, and what changed it.

    Returns a page of events, newest first.
    """
    rows, has_more = events.page(site, with_dashes(uuid), form["page"])
    answer = {
        "data": [event_resource(row) for row in rows],
        "meta": page_meta(form, events.PAGE_SIZE, has_more),
    }
    if form.get("history"):
        answer["history"] = history(change_log_pages.history(site, with_dashes(uuid)))
    return answer
