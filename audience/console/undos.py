"""Undo of an import or a bulk action: what it would do, and doing it."""

from flask import Blueprint, Response, render_template

from audience.access.sites import Site
from audience.bulk import actions as bulk_actions
from audience.console.bulk_actions import VERBS
from audience.console.page import actor, attachment, page, read_form, redirect_to
from audience.console.wording import counted
from audience.http.services import services, settings
from audience.imports import file_uploads, imports
from audience.sources import Source
from audience.undo import undos
from schemas.exports import table_csv

blueprint = Blueprint("undos", __name__)


@blueprint.get("/sites/<site_uuid>/imports/<number:import_id>/undo")
@page(role="manager")
def of_import(site: Site, import_id: int) -> str:
    """What undoing an import would do"""
    imports.progress(site, import_id)
    file, *_ = file_uploads.files(site, [import_id]).get(import_id, ("",))
    return _dry_run(site, undos.import_source(import_id), file)


@blueprint.post("/sites/<site_uuid>/imports/<number:import_id>/undo")
@page(role="manager")
def undo_import(site: Site, import_id: int) -> Response:
    """Undo an import"""
    undos.undo_import(site, import_id, settings().changes_days, actor(), "resubscribe" in read_form())
    services().import_queue.notify(site.id)
    return redirect_to("console.imports.show", site_uuid=site.uuid, import_id=import_id)


@blueprint.get("/sites/<site_uuid>/acts/<number:action_id>/undo")
@page(role="manager")
def of_bulk_action(site: Site, action_id: int) -> str:
    """What undoing a bulk action would do"""
    action = bulk_actions.get(site, action_id)
    subscribers = counted(action.people, "subscriber")
    tag = f": {action.name}" if action.name else ""
    return _dry_run(site, undos.bulk_action_source(action_id), f"{VERBS[action.kind]} {subscribers}{tag}")


@blueprint.post("/sites/<site_uuid>/acts/<number:action_id>/undo")
@page(role="manager")
def undo_bulk_action(site: Site, action_id: int) -> Response:
    """Undo a bulk action"""
    undos.undo_bulk_action(site, action_id, settings().changes_days, actor())
    services().import_queue.notify(site.id)
    return redirect_to("console.bulk_actions.show", site_uuid=site.uuid, action_id=action_id)


@blueprint.get("/sites/<site_uuid>/imports/<number:import_id>/undo/kept.csv")
@page(role="manager")
def kept_of_import(site: Site, import_id: int) -> Response:
    """The subscribers who keep something of an undone import, and why"""
    return _download(site, undos.import_source(import_id))


@blueprint.get("/sites/<site_uuid>/acts/<number:action_id>/undo/kept.csv")
@page(role="manager")
def kept_of_bulk_action(site: Site, action_id: int) -> Response:
    """The subscribers who keep something of an undone bulk action, and why"""
    return _download(site, undos.bulk_action_source(action_id))


def _download(site: Site, source: Source) -> Response:
    table = map(table_csv, undos.download(site, source, actor()))
    return attachment(table, "text/csv; charset=utf-8", f"kept-{source.id}.csv")


def _dry_run(site: Site, source: Source, named: str) -> str:
    """The page that says what an undo would do. `named` is the import or bulk action in words."""
    counts, emails = undos.dry_run(site, source, settings().changes_days)
    return render_template("undo.html", source=source, counts=counts, emails=emails, named=named)
