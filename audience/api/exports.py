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
def export(site: Site, form: dict[str, Any]) -> Response:
    """Export subscribers

    All of the site or, with `segment_id`, those of a segment, in the order of creation, as CSV or as JSON
    lines (`format=jsonl`). A file import reads both back. The header `X-Audience-Change` has a number: all up
    to it is in, and `GET /v1/fetch/changes?after=` goes on from it.

    With `of=events`, the events in the order of their ids, as JSON lines; the last id as `after` goes on.

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
