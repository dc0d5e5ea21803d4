"""Record events of subscribers."""

from typing import Any

from flask import Blueprint

from audience import events
from audience.api.endpoint import endpoint
from audience.sites import Site
from schemas.base import errors
from schemas.events import Recorded, RecordEvents
from schemas.imports import ImportRows

blueprint = Blueprint("events", __name__)


@blueprint.post("/batch/events")
@endpoint(scope="full", family="batch", takes=RecordEvents, batch=True, gives=Recorded, query=False)
def record(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Record events"""
    rows: ImportRows = form["events"]
    results, problems = events.record(site, rows.items, rows.problems)
    return {"results": results, "failed": rows.total - results, "errors": errors(problems)}
