"""Run commands on people (spec section 4.13)."""

from typing import Any

from flask import Blueprint

from audience import commands
from audience.api.endpoint import endpoint
from audience.api.wiring import settings
from audience.sites import Site
from schemas import subscribers as wire
from schemas.commands import Ran, RunCommands
from schemas.wire import errors

blueprint = Blueprint("commands", __name__)


@blueprint.post("/fetch/commands")
@endpoint("full", takes=RunCommands, gives=Ran, query=False)
def run(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Run commands"""
    report = commands.run(site, form["command"])
    return {
        "data": report.person and wire.subscriber(report.person, settings().base_url),
        "results": report.done,
        "failed": len(report.errors),
        "errors": errors(report.errors),
    }
