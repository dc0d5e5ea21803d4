"""Run commands on subscribers."""

from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api import subscribers as subscribers_api
from audience.api.endpoint import endpoint, key_source
from audience.api.repeats import Again, Ids
from audience.http.services import settings
from audience.sources import SourceKind
from audience.subscribers import commands
from schemas import subscribers as wire
from schemas.base import errors
from schemas.commands import Ran, RunCommands
from schemas.imports import too_late_counts

blueprint = Blueprint("commands", __name__)


def _ids(answer: dict[str, Any]) -> Ids:
    return answer | {"data": answer["data"] and answer["data"]["id"]}


def _again(ids: Ids, site: Site, **_: Any) -> dict[str, Any]:
    return {**ids, "data": ids["data"] and subscribers_api.resource(site, int(ids["data"]))}


@blueprint.post("/fetch/commands")
@endpoint(
    scope="full",
    family="fetch",
    takes=RunCommands,
    batch=True,
    gives=Ran,
    query=False,
    again=Again(_again, _ids),
)
def run_commands(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Run commands on subscribers

    Runs one command, or an array of 1 to 100, in order and in one transaction. Each command names its
    subscriber by `email` or `uuid`. A command that fails writes nothing, and the others still run. The
    command determines what `query` is: a tag, an address, a custom value or nothing.

    Returns the subscriber of the last command that succeeded, and how many commands succeeded and failed.
    """
    result = commands.run(site, form["command"], key_source(SourceKind.COMMAND))
    return {
        "data": result.subscriber and wire.subscriber(result.subscriber, settings().base_url, site.uuid),
        "results": result.done,
        "failed": len(result.errors),
        "errors": errors(result.errors),
        **too_late_counts(result),
    }
