"""Import a file of subscribers, and download its refused rows (docs/files.md)."""

import tempfile
from typing import Any

from flask import Blueprint, Response, request

from audience import addresses, file_imports, imports
from audience.api.endpoint import endpoint
from audience.api.request_data import check_file, chunks
from audience.http.services import services, settings
from audience.sites import Site
from schemas import exports
from schemas import file_imports as wire

blueprint = Blueprint("files", __name__)


@blueprint.post("/batch/imports")
@endpoint(
    scope="full",
    family="batch",
    reads=check_file,
    accepts=("text/csv", "application/x-ndjson"),
    gives=wire.ReceivedFile,
)
def receive(site: Site) -> dict[str, Any]:
    """Import a file of subscribers"""
    with file_imports.receiving(site) as upload, tempfile.TemporaryFile(dir=settings().instance) as file:
        for piece in chunks(settings().import_max_bytes):
            file.write(piece)
            upload.renew_lease()
        inspected = wire.inspect(file, wire.KINDS[request.mimetype])
        upload.store(inspected.rows(addresses.identity))
        upload.accept(inspected.columns, services().import_queue)
    return wire.received(imports.progress(site, upload.import_id), inspected)


@blueprint.get("/batch/imports/<int(max=9223372036854775807):import_id>/errors.csv")
@endpoint(scope="read", family="batch", gives=("text/csv",))
def errors(site: Site, import_id: int) -> Response:
    """Download the refused rows of a file import, each with what to correct"""
    columns = file_imports.columns(site, import_id)
    return Response(exports.refused_csv(columns, file_imports.refused(site, import_id)), mimetype="text/csv")
