"""Undo an import, and follow that."""

from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api.endpoint import actor, endpoint
from audience.api.repeats import Again, Ids, Later
from audience.http.services import services, settings
from audience.undo import undos
from schemas import undos as wire

blueprint = Blueprint("undos", __name__)


def _again(_ids: Ids, site: Site, import_id: int, **_: Any) -> dict[str, Any]:
    return wire.answer(undos.get(site, undos.import_source(import_id)))


@blueprint.post("/batch/imports/<number:import_id>/undo")
@endpoint(scope="full", family="batch", takes=wire.UndoImport, gives=wire.UndoAnswer, again=Again(_again))
def begin(site: Site, import_id: int, form: dict[str, Any]) -> dict[str, Any] | Later:
    """Undo an import

    Names, values and tags go back where the subscriber still has what the import set. Subscribers whom it
    created are removed, unless anything has mentioned them since, or is accepted and waits to do so. Those
    whom it unsubscribed stay so; `resubscribe=1` subscribes again those whom nothing else unsubscribed. Those
    whom it subscribed again are unsubscribed again. An import that has not ended is stopped. The undo waits
    for its turn as an import does. Possible for 30 days.

    Returns the undo, a second time the same one; with `dry_run=1` what it would do, and does nothing.
    """
    days = settings().changes_days
    if form.get("dry_run"):
        outcome = undos.dry_run(site, undos.import_source(import_id), days, form["resubscribe"])
        return wire.dry_run(outcome.counts)
    undo = undos.undo_import(site, import_id, days, actor(), form["resubscribe"])

    def answer() -> dict[str, Any]:
        services().import_queue.notify(site.id)
        return wire.answer(undo)

    return Later({}, answer)


@blueprint.get("/batch/imports/<number:import_id>/undo")
@endpoint(scope="read", family="batch", gives=wire.UndoAnswer)
def progress(site: Site, import_id: int) -> dict[str, Any]:
    """Follow the undo of an import

    Its `status` is one of those of an import: follow it until that is `finished` or `failed`. A failed undo
    goes on where it stopped when it is asked for again.

    Returns the undo with its counts so far.
    """
    return wire.answer(undos.get(site, undos.import_source(import_id)))
