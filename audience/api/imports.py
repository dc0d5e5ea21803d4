"""Import subscribers, and follow imports."""

from typing import Any

from flask import Blueprint

from audience import imports
from audience.api.endpoint import endpoint
from audience.http.services import services, settings
from audience.sites import Site
from schemas import imports as wire

blueprint = Blueprint("imports", __name__)


@blueprint.post("/batch/subscribers")
@endpoint(
    scope="full", family="batch", takes=wire.ImportSubscribers, batch=True, gives=wire.Accepted, query=False
)
def accept(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Import subscribers"""
    rows: wire.ImportRows = form["subscribers"]
    queue, inline_rows = services().import_queue, settings().import_inline_rows
    return wire.answer(imports.accept(site, rows.items, rows.problems, queue, inline_rows))


@blueprint.get("/batch/imports/<int(max=9223372036854775807):import_id>")
@endpoint(scope="read", family="batch", gives=wire.ImportAnswer)
def progress(site: Site, import_id: int) -> dict[str, Any]:
    """Get the progress of an import"""
    return {"data": wire.import_(imports.progress(site, import_id))}


@blueprint.get("/batch/imports")
@endpoint(scope="read", family="batch", gives=wire.ImportList)
def newest(site: Site) -> dict[str, Any]:
    """List the newest imports"""
    return {"data": [wire.import_(row) for row in imports.newest(site)]}
