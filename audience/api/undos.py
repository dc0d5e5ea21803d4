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
def start_undo(site: Site, import_id: int, form: dict[str, Any]) -> dict[str, Any] | Later:
    """Undo an import

    Names, values and tags are restored if the subscriber still has what the import set. Subscribers that the
    import created are deleted, unless something has mentioned them since, or a waiting import mentions them.
    Subscribers that the import unsubscribed stay unsubscribed; with `resubscribe=1`, those that nothing else
    unsubscribed are subscribed again. Subscribers that the import subscribed again are unsubscribed again. An
    unfinished import is stopped. The undo waits in the queue, like an import. You can undo an import for 30
    days.

    Returns the undo; a second request returns the same one. With `dry_run=1`, returns what the undo would do,
    and changes nothing.
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
def get_undo(site: Site, import_id: int) -> dict[str, Any]:
    """Follow the undo of an import

    The `status` has the same values as that of an import: ask until it is `finished` or `failed`. To continue
    a failed undo where it stopped, request the undo again.

    Returns the undo with its counts so far.
    """
    return wire.answer(undos.get(site, undos.import_source(import_id)))
