"""Importing a file: sending it, telling what its columns mean, the dry run, and the start."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from flask import Blueprint, Response, render_template, request

from audience.access.sites import Site
from audience.console import file_forms
from audience.console.page import actor, page, read_form, redirect_to, url
from audience.errors import Refused
from audience.http.services import services, settings
from audience.imports import file_tasks, file_uploads
from audience.imports.file_uploads import IMPORT, FileUpload
from schemas import file_imports as wire

blueprint = Blueprint("file_uploads", __name__)

NO_FILE = "Choose a file first."
NOT_UNDERSTOOD = "Nothing was imported: the answers below are still missing, or must be corrected."
LEFT, STARTED = "leave", "start"


@blueprint.get("/sites/<site_uuid>/imports/new")
@page(role="manager")
def new(site: Site) -> str:
    """Send a file"""
    return _form(site)


def _form(site: Site, deleted: FileUpload | None = None) -> str:
    """The page that asks for a file, or again for one that was `deleted`."""
    why = file_uploads.outcome_of(deleted)["problem"] if deleted else ""
    shown = {"waiting": file_uploads.list_waiting(site), **file_forms.accepted()}
    return render_template("import_new.html", deleted=deleted, why=why, **shown)


@blueprint.post("/sites/<site_uuid>/imports/new")
@page(role="manager", again=new, takes_file=True)
def receive(site: Site) -> Response | dict[str, str]:
    """Keep a file until it is imported; a script, which sends its token as a header, gets the page's path"""
    read_form()
    return _keep(site, file_forms.first_reading())


def _keep(site: Site, reading: Mapping[str, Any]) -> Response | dict[str, str]:
    """Keeps the sent file with the answers in `reading`. Raises `Refused`.

    Returns a redirect to the file's page or, for a script, the path.
    """
    sent = request.files.get("file")
    if sent is None or not sent.filename:
        raise Refused(NO_FILE)
    upload = file_uploads.keep(site, settings().instance, sent.filename, sent.stream, reading)
    if "X-CSRF-Token" in request.headers:
        return {"page": url("console.file_uploads.show", site_uuid=site.uuid, upload_id=upload.id)}
    return redirect_to("console.file_uploads.show", site_uuid=site.uuid, upload_id=upload.id)


@blueprint.get("/sites/<site_uuid>/imports/files/<number:upload_id>")
@page(role="manager")
def show(site: Site, upload_id: int) -> Response | str:
    """A file: what its columns mean, and what an import would do; or how far it is read"""
    upload = file_uploads.get(site, upload_id)
    if upload.import_id:
        return redirect_to("console.imports.show", site_uuid=site.uuid, import_id=upload.import_id)
    if not upload.file:
        return _form(site, upload)
    outcome = file_uploads.outcome_of(upload) if upload.task == IMPORT else _outcome(site, upload)
    if upload.task == IMPORT or not outcome:
        rows = outcome["rows_seen"] if outcome.get("whole") else 0
        return render_template("import_reading.html", upload=upload, rows=rows)
    return render_template(
        "import_file.html", upload=upload, **file_forms.describe_file(site, upload, outcome)
    )


@blueprint.post("/sites/<site_uuid>/imports/files/<number:upload_id>/again")
@page(role="manager", again=show, takes_file=True)
def receive_again(site: Site, upload_id: int) -> Response | dict[str, str]:
    """Keep a file again after its deletion, with the earlier answers"""
    read_form()
    deleted = file_uploads.get(site, upload_id)
    page_of_file = _keep(site, file_uploads.reading_of(deleted))
    file_uploads.discard(site, settings().instance, deleted)
    return page_of_file


@blueprint.post("/sites/<site_uuid>/imports/files/<number:upload_id>")
@page(role="manager", again=show)
def answer(site: Site, upload_id: int) -> Response:
    """Save what the columns mean, start the import, or discard the file"""
    form = read_form()
    upload = file_uploads.get(site, upload_id)
    if LEFT in form:
        file_uploads.discard(site, settings().instance, upload)
        return redirect_to("console.imports.index", site_uuid=site.uuid)
    if upload.task == IMPORT or upload.import_id:
        return redirect_to("console.file_uploads.show", site_uuid=site.uuid, upload_id=upload.id)
    reading = file_forms.read_form(form)
    if STARTED not in form or reading != file_uploads.reading_of(upload):
        upload = file_uploads.put_reading(site, upload_id, reading)
    if STARTED in form:
        _check(site, upload)
        file_uploads.begin_import(site, settings().instance, upload, actor())
    return redirect_to("console.file_uploads.show", site_uuid=site.uuid, upload_id=upload.id)


def _check(site: Site, upload: FileUpload) -> None:
    """Raises `Refused` if a file has a known problem. A large file may not have been looked through yet."""
    if "problem" in _outcome(site, upload):
        raise Refused(NOT_UNDERSTOOD)


def _outcome(site: Site, upload: FileUpload) -> dict[str, Any]:
    """The result of looking through a file (`file_tasks.Task`).

    A small file is looked through now. The result of a large one is empty until a worker has looked through
    it. Raises `NotFound`.
    """
    if not file_uploads.is_small(site, settings().instance, upload):
        return file_uploads.outcome_of(upload)
    open_file = partial(wire.look_through, services().child_process)
    return file_tasks.look_now(site, settings().instance, upload, open_file)
