"""Import a file of people, and see what was refused of it (docs/files.md)."""

import tempfile
from typing import Any

from flask import Blueprint, Response, request

from audience import addresses, files, imports
from audience.api.body import check_file, pieces
from audience.api.endpoint import endpoint
from audience.api.wiring import settings, wiring
from audience.sites import Site
from schemas import exports
from schemas import files as wire

blueprint = Blueprint("files", __name__)


@blueprint.post("/batch/imports")
@endpoint("full", reads=check_file, accepts=("text/csv", "application/x-ndjson"), gives=wire.ReceivedFile)
def receive(site: Site) -> dict[str, Any]:
    """Import a file of people"""
    with files.receiving(site) as reception, tempfile.TemporaryFile(dir=settings().instance) as file:
        for piece in pieces(settings().import_max_bytes):
            file.write(piece)
            reception.hold()
        found = wire.look_at(file, wire.KINDS[request.mimetype])
        reception.keep(found.rows(addresses.identity))
        reception.accept(found.columns, wiring().doorbell)
    return wire.received(imports.progress(site, reception.import_id), found)


@blueprint.get("/batch/imports/<int(max=9223372036854775807):import_id>/errors.csv")
@endpoint("read", gives=("text/csv",))
def errors(site: Site, import_id: int) -> Response:
    """The refused rows of a file import, with what to correct in each"""
    columns = files.columns(site, import_id)
    return Response(exports.refused_csv(columns, files.refused(site, import_id)), mimetype="text/csv")
