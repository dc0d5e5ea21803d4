"""Export people (docs/files.md)."""

from typing import Any

from flask import Blueprint, Response

from audience import exports
from audience.api.endpoint import endpoint
from audience.sites import Site
from schemas import exports as wire

blueprint = Blueprint("exports", __name__)


@blueprint.get("/fetch/export")
@endpoint("read", takes=wire.ExportPeople, gives=("text/csv", "application/x-ndjson"))
def export(site: Site, form: dict[str, Any]) -> Response:
    """Export the people of the site, or of a segment"""
    pages = exports.people(site, form.get("segment_id"))
    chosen = form["format"]
    return Response(wire.WRITERS[chosen](exports.keys(site), pages), content_type=wire.FORMATS[chosen])
