"""Importing a file: sent, its columns understood beside the first rows, judged, started."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, render_template, request

from audience import addresses, file_imports, file_uploads
from audience.console import file_forms
from audience.console.page import actor, page, read_form, to, url
from audience.errors import Refused
from audience.file_imports import DryRun
from audience.file_uploads import IMPORT, FileUpload
from audience.http.services import services, settings
from audience.sites import Site
from schemas import file_imports as wire
from schemas.formats import files, tables
from schemas.formats.files import Reading
from schemas.formats.tables import Table
from schemas.values import FormError

blueprint = Blueprint("file_uploads", __name__)

NO_FILE = "Choose a file first: CSV, XLSX or JSON lines."
NOT_UNDERSTOOD = "Nothing was imported: the file is not understood as it stands. Look at the page again."
LEFT, STARTED = "leave", "start"


@blueprint.get("/sites/<site_uuid>/imports/new")
@page(role="manager")
def new(site: Site) -> str:
    """Sends a file"""
    limit = settings().import_max_bytes
    return render_template("import_new.html", waiting=file_uploads.waiting(site), limit=limit)


@blueprint.post("/sites/<site_uuid>/imports/new")
@page(role="manager", again=new, takes_file=True)
def receive(site: Site) -> Response | dict[str, str]:
    """Keeps a file until it is imported; tells a script, which sends its token as a header, where that is"""
    read_form()
    sent = request.files.get("file")
    if sent is None or not sent.filename:
        raise Refused(NO_FILE)
    said = file_forms.first_reading(sent.filename)
    upload = file_uploads.keep(site, settings().instance, sent.filename, sent.stream, said)
    if "X-CSRF-Token" in request.headers:
        return {"page": url("console.file_uploads.show", site_uuid=site.uuid, upload_id=upload.id)}
    return to("console.file_uploads.show", site_uuid=site.uuid, upload_id=upload.id)


@blueprint.get("/sites/<site_uuid>/imports/files/<int:upload_id>")
@page(role="manager")
def show(site: Site, upload_id: int) -> Response | str:
    """A file: what its columns mean, and what an import would do; or how far it is read"""
    upload = file_uploads.get(site, upload_id)
    if upload.import_id:
        return to("console.imports.show", site_uuid=site.uuid, import_id=upload.import_id)
    if upload.task == IMPORT:
        return render_template("import_reading.html", upload=upload, rows=_rows_seen(upload))
    return render_template("import_file.html", upload=upload, **_understood(site, upload))


@blueprint.post("/sites/<site_uuid>/imports/files/<int:upload_id>")
@page(role="manager", again=show)
def act(site: Site, upload_id: int) -> Response:
    """Says what the columns mean, and starts the import, or forgets the file"""
    form = read_form()
    upload = file_uploads.get(site, upload_id)
    if LEFT in form:
        file_uploads.discard(site, settings().instance, upload)
        return to("console.imports.index", site_uuid=site.uuid)
    if upload.task == IMPORT or upload.import_id:
        return to("console.file_uploads.show", site_uuid=site.uuid, upload_id=upload.id)
    said = file_forms.read_form(form)
    if STARTED not in form or said != file_uploads.reading_of(upload):
        upload = file_uploads.put_reading(site, upload_id, said)
    if STARTED in form:
        _check(site, upload)
        file_uploads.begin_import(site, settings().instance, upload, actor())
    return to("console.file_uploads.show", site_uuid=site.uuid, upload_id=upload.id)


def _check(site: Site, upload: FileUpload) -> None:
    """Raises `Refused` if the file is not understood."""
    try:
        reading = file_forms.to_reading(file_uploads.reading_of(upload))
        with _table(site, upload, reading) as table:
            files.understood(table, reading)
    except FormError as error:
        raise Refused(NOT_UNDERSTOOD) from error


@contextmanager
def _table(site: Site, upload: FileUpload, reading: Reading) -> Iterator[Table]:
    """The file, open. Raises `FormError`, and `NotFound`."""
    kind = wire.BY_SUFFIX.get(Path(upload.name).suffix.lower())
    instance, child = settings().instance, services().child_process
    with (
        file_uploads.opened(site, instance, upload) as binary,
        tempfile.TemporaryFile(dir=instance) as unpacked,
    ):
        yield tables.opened(binary, kind, reading.headed, child, unpacked, reading.sheet)


def _understood(site: Site, upload: FileUpload) -> dict[str, Any]:
    """What the page shows: the columns, and the dry run or the problem."""
    said = file_uploads.reading_of(upload)
    shown: dict[str, Any] = {"said": said, "columns": [], "dry_run": None, "table": None, "problem": ""}
    shown |= file_forms.choices(site)
    try:
        reading = file_forms.to_reading(said)
        with _table(site, upload, reading) as table:
            shown |= {"table": table, "columns": file_forms.shown_columns(table, None, said)}
            file = files.understood(table, reading)
            done = file_imports.dry_run(site, file.rows(addresses.identity), wire.DRY_RUN_ROWS)
            shown |= {"columns": file_forms.shown_columns(table, file, said), "preset_found": file.preset}
            tried = _tried(upload, done)
            kept = tried["rows_seen"] - tried["counts"]["refused"]
            shown |= {"dry_run": tried, "pieces": _pieces(tried["counts"]), "kept": kept}
        shown["problem"] = file_forms.last_problem(upload)
    except FormError as error:
        shown["problem"] = file_forms.problem(error)
    return shown


def _tried(upload: FileUpload, done: DryRun) -> dict[str, Any]:
    """What an import would do: with all rows if a worker has tried them, else with the first."""
    found = file_uploads.outcome_of(upload)
    first = {
        "counts": done.counts,
        "left": len(done.left),
        "stayed": len(done.stayed),
        "rows_seen": done.rows_seen,
    }
    if done.whole or "counts" not in found:
        return first | {"whole": done.whole, "rows": done.rows}
    return found | {"counts": Counter(found["counts"]), "whole": True, "rows": done.rows}


def _rows_seen(upload: FileUpload) -> int:
    """The rows of a file that was tried; 0 while that is not known."""
    return int(file_uploads.outcome_of(upload).get("rows_seen", 0))


def _pieces(counts: Counter[str]) -> list[tuple[str, int, str]]:
    words = (("created", "new"), ("updated", "changed"), ("unchanged", "stay as they are"))
    known = [(f"f{place}", counts[name], said) for place, (name, said) in enumerate(words, 1)]
    erased = [("f4", counts["suppressed"], "erased earlier")] if counts["suppressed"] else []
    return [*known, ("f4", counts["refused"], "refused"), *erased]
