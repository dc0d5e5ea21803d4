"""Record what people did (contract section 3)."""

from typing import Any

from flask import Blueprint

from audience import events
from audience.api.endpoint import endpoint
from audience.errors import FieldError
from audience.sites import Site
from schemas.events import Recorded, RecordEvents
from schemas.imports import Rows
from schemas.wire import errors

blueprint = Blueprint("events", __name__)


@blueprint.post("/batch/events")
@endpoint("full", takes=RecordEvents, gives=Recorded, query=False)
def record(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Record 1 to 1,000 events"""
    rows: Rows = form["events"]
    refused = [FieldError(each.field, each.message) for each in rows.problems]
    results, problems = events.record(site, rows.items, refused)
    return {"results": results, "failed": rows.given - results, "errors": errors(problems)}
