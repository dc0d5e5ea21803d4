"""Export subscribers, to a file that an import reads back, and events."""

from functools import partial
from typing import Any

from flask import Blueprint, Response

from audience.access.sites import Site
from audience.api.endpoint import actor, endpoint
from audience.api.links import requested_links, urls
from audience.changes import pages as change_log_pages
from audience.searches import exports
from schemas import exports as wire

blueprint = Blueprint("exports", __name__)


@blueprint.get("/fetch/export")
@endpoint(
    scope="read", family="fetch", takes=wire.ExportSubscribers, gives=("text/csv", "application/x-ndjson")
)
def export_subscribers(site: Site, form: dict[str, Any]) -> Response:
    """Export subscribers

    Exports all subscribers of the site or, with `segment_id`, those of a segment. They are in the order of
    creation, as CSV or as JSON lines (`format=jsonl`). A file import can read both. The header
    `X-Audience-Change` has the number of the last change that the export contains: `GET
    /v1/fetch/changes?after=` continues from there. With `of=events`, you get the events as JSON lines, in the
    order of their ids; to continue, send the last id as `after`.

    Returns the file, streamed.
    """
    if form["of"] == "events":
        lines = wire.events_jsonl(exports.event_pages(site, form["after"], actor()))
        return Response(lines, content_type=wire.FORMATS["jsonl"])
    links, change = requested_links(site, form), change_log_pages.newest_number(site)
    pages = exports.recorded_pages(site, form.get("segment_id"), actor(), with_links=bool(links))
    chosen, more = form["format"], [partial(urls, links)] if links else []
    rows = wire.WRITERS[chosen](exports.keys(site), pages, *more)
    response = Response(rows, content_type=wire.FORMATS[chosen])
    response.headers["X-Audience-Change"] = str(change)
    return response
