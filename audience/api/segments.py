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
@endpoint("read")
def every(site: Site) -> dict[str, Any]:
    return {"data": [wire.segment(row) for row in segments.every(site)]}


@blueprint.post("/fetch/segments")
@endpoint("full", takes=wire.SaveSegment, query=False, status=201)
def create(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    return {"data": wire.segment(segments.create(site, form["segment"]))}


@blueprint.get("/fetch/segments/<id:segment_id>")
@endpoint("read")
def one(site: Site, segment_id: str) -> dict[str, Any]:
    return {"data": wire.segment(segments.one(site, segment_id))}


@blueprint.put("/fetch/segments/<id:segment_id>")
@endpoint("full", takes=wire.SaveSegment, query=False)
def replace(site: Site, form: dict[str, Any], segment_id: str) -> dict[str, Any]:
    return {"data": wire.segment(segments.replace(site, segment_id, form["segment"]))}


@blueprint.delete("/fetch/segments/<id:segment_id>")
@endpoint("full")
def delete(site: Site, segment_id: str) -> dict[str, Any]:
    return {"data": wire.segment(segments.delete(site, segment_id))}


@blueprint.post("/fetch/segments/preview")
@endpoint("read", takes=wire.PreviewSegment, query=False)
def preview(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    counts, people = segments.preview(site, form["segment"]["rules"])
    return stats_wire.counts(counts) | {
        "data": [subscriber(person, settings().base_url) for person in people]
    }


@blueprint.get("/stats/segment")
@endpoint("stats", takes=wire.SegmentId)
def named(site: Site, form: dict[str, Any]) -> dict[str, int]:
    return stats_wire.counts(segments.counts(site, form["segment_id"]))


@blueprint.get("/stats/segments/<id:segment_id>")
@endpoint("stats")
def counts(site: Site, segment_id: str) -> dict[str, int]:
    return stats_wire.counts(segments.counts(site, segment_id))
