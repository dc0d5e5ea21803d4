"""Importing a file: sent, its columns understood beside the first rows, judged, started."""

import tempfile
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
from audience.file_uploads import FileUpload
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
def show(site: Site, upload_id: int) -> str:
    """A file: what its columns mean, and what an import would do"""
    upload = file_uploads.get(site, upload_id)
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
    upload = file_uploads.put_reading(site, upload_id, file_forms.read_form(form))
    if STARTED not in form:
        return to("console.file_uploads.show", site_uuid=site.uuid, upload_id=upload.id)
    return to("console.imports.show", site_uuid=site.uuid, import_id=_start(site, upload))


def _start(site: Site, upload: FileUpload) -> int:
    """The id of the import. Raises `Refused` if the file is not understood."""
    try:
        reading = file_forms.to_reading(file_uploads.reading_of(upload))
        with _table(upload, reading) as table, file_imports.receiving(site) as received:
            file = files.understood(table, reading)
            received.store(file.rows(addresses.identity))
            received.accept(file.columns, services().import_queue)
    except FormError as error:
        raise Refused(NOT_UNDERSTOOD) from error
    file_uploads.imported(site, received.import_id, upload, actor())
    file_uploads.discard(site, settings().instance, upload)
    return received.import_id


@contextmanager
def _table(upload: FileUpload, reading: Reading) -> Iterator[Table]:
    """The file, open. Raises `FormError`, and `NotFound`."""
    kind = wire.BY_SUFFIX.get(Path(upload.name).suffix.lower())
    instance, child = settings().instance, services().child_process
    with file_uploads.opened(instance, upload) as binary, tempfile.TemporaryFile(dir=instance) as unpacked:
        yield tables.opened(binary, kind, reading.headed, child, unpacked, reading.sheet)


def _understood(site: Site, upload: FileUpload) -> dict[str, Any]:
    """What the page shows: the columns, and the dry run or the problem."""
    said = file_uploads.reading_of(upload)
    shown: dict[str, Any] = {"said": said, "columns": [], "dry_run": None, "table": None, "problem": ""}
    shown |= file_forms.choices(site)
    try:
        reading = file_forms.to_reading(said)
        with _table(upload, reading) as table:
            shown |= {"table": table, "columns": file_forms.shown_columns(table, None, said)}
            file = files.understood(table, reading)
            done = file_imports.dry_run(site, file.rows(addresses.identity), wire.DRY_RUN_ROWS)
            shown |= {"columns": file_forms.shown_columns(table, file, said), "preset_found": file.preset}
            shown |= {
                "dry_run": done,
                "pieces": _pieces(done),
                "kept": done.rows_seen - done.counts["refused"],
            }
    except FormError as error:
        shown["problem"] = file_forms.problem(error)
    return shown


def _pieces(done: DryRun) -> list[tuple[str, int, str]]:
    words = (("created", "new"), ("updated", "changed"), ("unchanged", "stay as they are"))
    counts = [(f"f{place}", done.counts[name], said) for place, (name, said) in enumerate(words, 1)]
    erased = [("f4", done.counts["suppressed"], "erased earlier")] if done.counts["suppressed"] else []
    return [*counts, ("f4", done.counts["refused"], "refused"), *erased]
