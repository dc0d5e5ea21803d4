"""Save segments, look at them before saving, and count them (contract sections 3 and 4)."""

from typing import Any

from flask import Blueprint

from audience import segments
from audience.api.endpoint import endpoint
from audience.api.wiring import settings
from audience.sites import Site
from schemas import segments as wire
from schemas import stats as stats_wire
from schemas.subscribers import subscriber

blueprint = Blueprint("segments", __name__)


@blueprint.get("/fetch/segments")
@endpoint("read", gives=wire.SegmentList)
def every(site: Site) -> dict[str, Any]:
    """List the segments, newest first"""
    return {"data": [wire.segment(row) for row in segments.every(site)]}


@blueprint.post("/fetch/segments")
@endpoint("full", takes=wire.SaveSegment, gives=wire.SegmentAnswer, query=False, status=201)
def create(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Save a segment"""
    return {"data": wire.segment(segments.create(site, form["segment"]))}


@blueprint.get("/fetch/segments/<id:segment_id>")
@endpoint("read", gives=wire.SegmentAnswer)
def one(site: Site, segment_id: str) -> dict[str, Any]:
    """Read a segment"""
    return {"data": wire.segment(segments.one(site, segment_id))}


@blueprint.put("/fetch/segments/<id:segment_id>")
@endpoint("full", takes=wire.SaveSegment, gives=wire.SegmentAnswer, query=False)
def replace(site: Site, form: dict[str, Any], segment_id: str) -> dict[str, Any]:
    """Replace a segment"""
    return {"data": wire.segment(segments.replace(site, segment_id, form["segment"]))}


@blueprint.delete("/fetch/segments/<id:segment_id>")
@endpoint("full", gives=wire.SegmentAnswer)
def delete(site: Site, segment_id: str) -> dict[str, Any]:
    """Delete a segment that no report uses; the segment as it was"""
    return {"data": wire.segment(segments.delete(site, segment_id))}


@blueprint.post("/fetch/segments/preview")
@endpoint("read", takes=wire.PreviewSegment, gives=wire.SegmentPreview, query=False)
def preview(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Count whom rules match, and show the newest ten; nothing is saved"""
    counts, people = segments.preview(site, form["segment"]["rules"])
    return stats_wire.counts(counts) | {
        "data": [subscriber(person, settings().base_url) for person in people]
    }


@blueprint.get("/stats/segment")
@endpoint("stats", takes=wire.SegmentId, gives=stats_wire.Counts)
def named(site: Site, form: dict[str, Any]) -> dict[str, int]:
    """Count the people of a segment"""
    return stats_wire.counts(segments.counts(site, form["segment_id"]))


@blueprint.get("/stats/segments/<id:segment_id>")
@endpoint("stats", gives=stats_wire.Counts)
def counts(site: Site, segment_id: str) -> dict[str, int]:
    """Count the people of a segment"""
    return stats_wire.counts(segments.counts(site, segment_id))
