"""Save, preview and count segments."""

from functools import partial
from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api import repeats
from audience.api.endpoint import actor, endpoint
from audience.api.etags import apply_patch
from audience.http.services import settings
from audience.segments import matches as segment_matches
from audience.segments import segments
from schemas import segments as wire
from schemas import stats as stats_wire
from schemas import subscribers as subscribers_wire
from schemas.pages import PagedList, list_answer, rows_asked

blueprint = Blueprint("segments", __name__)


def _resource(site: Site, segment_id: int | str) -> dict[str, Any]:
    return wire.segment(segments.get(site, str(segment_id)))


AGAIN = repeats.resource(_resource)
saves = partial(endpoint, scope="full", family="fetch", gives=wire.SegmentAnswer, query=False, again=AGAIN)


@blueprint.get("/fetch/segments")
@endpoint(scope="read", family="fetch", takes=PagedList, gives=wire.SegmentList)
def list_segments(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """List the segments

    Lists all saved segments of the site, with their rules. With `per_page` or `cursor`, you get one page.

    Returns the segments, newest first.
    """
    return list_answer(
        form,
        "segments",
        [wire.segment(row) for row in segments.list_all(site, **rows_asked(form, "segments"))],
    )


@blueprint.post("/fetch/segments")
@saves(takes=wire.SaveSegment, status=201, tagged=True)
def create_segment(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Save a segment

    A segment is a rule. It contains the subscribers who match the rule at the moment. The service refuses
    wrong rules, and names the path of each wrong node.

    Returns the saved segment.
    """
    return {"data": wire.segment(segments.create(site, form["segment"], actor()))}


@blueprint.get("/fetch/segments/<id:segment_id>")
@endpoint(scope="read", family="fetch", gives=wire.SegmentAnswer, tagged=True)
def get_segment(site: Site, segment_id: str) -> dict[str, Any]:
    """Get a segment

    The rules are the ones that you sent, without nulls.

    Returns the segment.
    """
    return {"data": _resource(site, segment_id)}


@blueprint.put("/fetch/segments/<id:segment_id>")
@saves(takes=wire.SaveSegment, current=_resource)
def update_segment(site: Site, form: dict[str, Any], segment_id: str) -> dict[str, Any]:
    """Replace a segment

    Name, description and rules are all replaced.

    Returns the segment as it is now.
    """
    return {"data": wire.segment(segments.replace(site, segment_id, form["segment"], actor()))}


@blueprint.patch("/fetch/segments/<id:segment_id>")
@saves(takes=wire.PatchSegment, current=_resource, atomic=True)
def patch_segment(site: Site, form: dict[str, Any], segment_id: str) -> dict[str, Any]:
    """Change a segment

    The body is a JSON merge patch: values that you leave out stay. Rules are merged too: null removes a key
    of a rule.

    Returns the segment as it is now.
    """
    item = apply_patch(wire.SaveSegment, "segment", _resource(site, segment_id), form["segment"])
    return {"data": wire.segment(segments.replace(site, segment_id, item, actor()))}


@blueprint.delete("/fetch/segments/<id:segment_id>")
@endpoint(scope="full", family="fetch", gives=wire.SegmentAnswer, again=AGAIN, current=_resource)
def delete_segment(site: Site, segment_id: str) -> dict[str, Any]:
    """Delete a segment

    You cannot delete a segment that a report or a webhook uses: delete or change that first. No subscriber is
    deleted.

    Returns the segment as it was.
    """
    return {"data": wire.segment(segments.delete(site, segment_id, actor()))}


@blueprint.post("/fetch/segments/preview")
@endpoint(scope="read", family="fetch", takes=wire.PreviewSegment, gives=wire.SegmentPreview, query=False)
def preview_segment(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Try the rules of a segment

    Nothing is saved.

    Returns the counts of those who match, and the newest ten of them.
    """
    counts, newest = segments.preview(site, form["segment"]["rules"])
    base_url = settings().base_url
    shown = [subscribers_wire.subscriber(subscriber, base_url, site.uuid) for subscriber in newest]
    return stats_wire.counts(counts) | {"data": shown}


@blueprint.post("/fetch/segments/<id:segment_id>/match")
@endpoint(scope="read", family="fetch", takes=subscribers_wire.FindSubscriber, gives=wire.SegmentMatch)
def match_segment(site: Site, form: dict[str, Any], segment_id: str) -> dict[str, Any]:
    """Tell why a subscriber is in a segment

    Name the subscriber by `email` or `uuid`; if you send both, `uuid` counts. Each rule has `matches`, and
    each condition has the `value` that it looked at (at most 20 tags, list elements or dates of events).

    Returns the rules; `data` is null if nobody is found.
    """
    return wire.match(segment_matches.match(site, segment_id, form.get("email"), form.get("uuid")))


@blueprint.get("/stats/segment")
@endpoint(scope="stats", family="stats", takes=wire.SegmentId, gives=stats_wire.CountsSchema)
def count_segment_by_query(site: Site, form: dict[str, Any]) -> dict[str, int]:
    """Count the subscribers of a segment

    Counts all subscribers, those who unsubscribed, and those who did not.

    Returns the three counts as of now.
    """
    return stats_wire.counts(segments.counts(site, form["segment_id"]))


@blueprint.get("/stats/segments/<id:segment_id>")
@endpoint(scope="stats", family="stats", gives=stats_wire.CountsSchema)
def count_segment(site: Site, segment_id: str) -> dict[str, int]:
    """Count the subscribers of a segment, by path

    The same as `/v1/stats/segment`.

    Returns the three counts as of now.
    """
    return stats_wire.counts(segments.counts(site, segment_id))
