"""Import people, and follow an import (spec section 4.9)."""

from typing import Any

from flask import Blueprint

from audience import imports
from audience.api.endpoint import endpoint
from audience.api.wiring import settings, wiring
from audience.errors import FieldError
from audience.sites import Site
from schemas import imports as wire

blueprint = Blueprint("imports", __name__)


@blueprint.post("/batch/subscribers")
@endpoint("full", takes=wire.ImportSubscribers, gives=wire.Accepted, query=False)
def accept(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Import 1 to 1,000 people"""
    rows: wire.Rows = form["subscribers"]
    refused = [FieldError(each.field, each.message) for each in rows.problems]
    return wire.answer(
        imports.accept(site, rows.items, refused, wiring().doorbell, settings().import_inline_rows)
    )


@blueprint.get("/batch/imports/<int(max=9223372036854775807):import_id>")
@endpoint("read", gives=wire.ImportAnswer)
def progress(site: Site, import_id: int) -> dict[str, Any]:
    """Follow an import"""
    return {"data": wire.import_(imports.progress(site, import_id))}


@blueprint.get("/batch/imports")
@endpoint("read", gives=wire.ImportList)
def newest(site: Site) -> dict[str, Any]:
    """List the newest 100 imports"""
    return {"data": [wire.import_(row) for row in imports.newest(site)]}
