"""Import a file of subscribers, and download its refused rows."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Blueprint, Response, request

from audience import addresses, dry_runs, file_imports, imports
from audience.api.endpoint import actor, endpoint
from audience.api.request_data import file_body
from audience.http.services import services, settings
from audience.sites import Site
from schemas import exports
from schemas import file_imports as wire
from schemas.formats.files import File, inspect

blueprint = Blueprint("files", __name__)


@blueprint.post("/batch/imports")
@endpoint(
    scope="full",
    family="batch",
    takes=wire.ImportFile,
    accepts=("text/csv", "application/x-ndjson", wire.WORKBOOK),
    gives=wire.ReceivedFile,
)
def receive(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Import a file of subscribers

    The body is the file: CSV, an XLSX workbook or JSON lines. Columns are recognised by their headers,
    and the parameters say what they do not. The whole file is looked through before its first row is
    applied. With `dry_run=1` it is only judged, and nothing is kept.

    Returns the import, and how the file was understood; for a dry run, its outcome.
    """
    return _judge(site, form) if form.get("dry_run") else _import(site, form)


def _import(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    with file_imports.receiving(site) as upload, _file(site, form) as file:
        upload.store(file.rows(addresses.identity))
        upload.accept(file.columns, services().import_queue)
    return wire.received(imports.progress(site, upload.import_id), file, form)


def _judge(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    with _file(site, form) as file:
        judged = dry_runs.dry_run(site, file.rows(addresses.identity), wire.DRY_RUN_ROWS)
    return wire.dry_run(judged, file, form)


@contextmanager
def _file(site: Site, form: dict[str, Any]) -> Iterator[File]:
    """The body, looked through."""
    with tempfile.TemporaryFile(dir=settings().instance) as unpacked:
        child, meant = services().child_process, wire.reading(form, site.time_zone)
        yield inspect(file_body(), meant, wire.KINDS[request.mimetype], child, unpacked, sampled=True)


@blueprint.get("/batch/imports/<number:import_id>/errors.csv")
@endpoint(scope="read", family="batch", gives=("text/csv",))
def errors(site: Site, import_id: int) -> Response:
    """Download the refused rows of a file

    Its columns, followed by the number of the row, a code and a sentence: once corrected, it can be
    imported. Kept for 30 days.

    Returns the refused rows as CSV.
    """
    columns = file_imports.columns(site, import_id)
    rows = file_imports.download(site, import_id, actor())
    return Response(exports.refused_csv(columns, rows), mimetype="text/csv")
