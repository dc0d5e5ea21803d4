"""Import a file of subscribers, and download its refused rows."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO

from flask import Blueprint, Response, g, request

from audience import addresses
from audience.access.sites import Site
from audience.api.endpoint import actor, endpoint
from audience.api.repeats import Again, Claim, Ids
from audience.api.request_data import file_body, has_body
from audience.http.services import services, settings
from audience.imports import dry_runs, file_imports, file_uploads, imports
from audience.imports.file_uploads import FileUpload, ImportedFile
from schemas import exports
from schemas import file_imports as wire
from schemas.base import FormError
from schemas.codes import Code, Sentence
from schemas.formats.files import InspectedFile, inspect
from schemas.formats.questions import QuestionsOpen
from schemas.values import FieldError

BOTH = Sentence(Code.REPEATED_KEY, "Send the file or upload, not both: the upload stands in place of a body.")

blueprint = Blueprint("files", __name__)


def _again(ids: Ids, site: Site, **_: Any) -> dict[str, Any]:
    return wire.answer_again(imports.progress(site, ids["import_id"]))


@blueprint.post("/batch/imports")
@endpoint(
    scope="full",
    family="batch",
    takes=wire.ImportFile,
    accepts=("text/csv", "application/json", "application/x-ndjson", wire.WORKBOOK, "application/zip"),
    gives=wire.ReceivedFile,
    again=Again(_again),
)
def import_file(site: Site, form: dict[str, Any], claim: Claim | None) -> dict[str, Any]:
    """Import a file of subscribers

    The body is the file: CSV, an XLSX workbook, a JSON array of objects or JSON lines. Columns are recognised
    by their headers. A 422 with `asks` asks who in the file may be written to, and anything else that the
    file leaves open. Answer by parameters, and send the file again; if the 422 has an `upload`, you can send
    that instead of the file. With `dry_run=1`, the file is only checked.

    Returns the import, and how the file was read; for a dry run, the outcome.
    """
    return _judge(site, form) if form.get("dry_run") else _import(site, form, claim)


def _import(site: Site, form: dict[str, Any], claim: Claim | None) -> dict[str, Any]:
    asked = _waiting_upload(site, form) if "upload_id" in form else None
    with file_imports.receiving(site) as upload, _file(site, form) as file:
        if claim:
            upload.hold, upload.keep = claim.hold, lambda id_: claim.keep({"import_id": id_})
        upload.store(file.rows(addresses.identity_of_new))
        imported = ImportedFile("", actor().name, file.consent, file.answers, file.digest)
        upload.accept(file.refused_header, services().import_queue, imported, actor())
    if asked:
        file_uploads.discard(site, settings().instance, asked)
    return wire.answer(imports.progress(site, upload.import_id), file, form)


def _judge(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    with _file(site, form) as file:
        judged = dry_runs.dry_run(site, file.rows(addresses.identity_of_new), wire.DRY_RUN_ROWS)
    return wire.dry_run(judged, file, form)


def _waiting_upload(site: Site, form: dict[str, Any]) -> FileUpload:
    """The uploaded file whose questions this request answers.

    Raises `NotFound`, and `FormError` if the request also has a body.
    """
    if has_body():
        raise FormError([FieldError("upload", BOTH)])
    return file_uploads.get_asked(site, form["upload_id"], str(g.key_id))


@contextmanager
def _file(site: Site, form: dict[str, Any]) -> Iterator[InspectedFile]:
    """Yields the file in the body or, if this request answers questions, the one that was uploaded before.

    Raises `QuestionsOpen`. If the whole file was read, the error has the id of the `upload` that keeps it.
    """
    child, meant = services().child_process, wire.reading(form, site.time_zone)
    with ExitStack() as stack:
        unpacked = stack.enter_context(tempfile.TemporaryFile(dir=settings().instance))
        if "upload_id" in form:
            upload = _waiting_upload(site, form)
            kind = file_uploads.reading_of(upload)["kind"]
            body = stack.enter_context(file_uploads.open_content(site, settings().instance, upload))
        else:
            kind, body = _sent_kind(), file_body()
        try:
            yield inspect(body, meant, kind, child, unpacked, sampled="upload_id" not in form)
        except QuestionsOpen as error:
            if error.whole:
                error.found["upload"] = str(form.get("upload_id") or _keep(site, body, kind))
            raise


def _sent_kind() -> str:
    """The kind of the file in the body. Raises `FormError` if there is only a blank `upload`."""
    if request.mimetype not in wire.KINDS:
        raise FormError([FieldError("upload", wire.UPLOAD)])
    return wire.KINDS[request.mimetype]


def _keep(site: Site, body: BinaryIO, kind: str) -> int:
    """Keeps an uploaded file until its questions are answered. Returns the id of the upload."""
    return file_uploads.keep_asked(site, settings().instance, body, str(g.key_id), {"kind": kind})


@blueprint.get("/batch/imports/<number:import_id>/errors.csv")
@endpoint(scope="read", family="batch", gives=("text/csv",))
def get_refused_rows(site: Site, import_id: int) -> Response:
    """Download the refused rows of a file

    Each row has the columns of the file, then the number of the row, a code and a sentence. You can correct
    the rows and import them. They are kept for 30 days.

    Returns the refused rows as CSV.
    """
    columns = file_imports.columns(site, import_id)
    rows = file_imports.download(site, import_id, actor())
    return Response(exports.refused_csv(columns, rows), mimetype="text/csv")
