"""The history of imports, and one of them."""

from itertools import islice
from typing import Any

from flask import Blueprint, Response, render_template, request

from audience import clock
from audience.access.sites import Site
from audience.console import file_forms, undone
from audience.console.page import actor, attachment, page, redirect_to
from audience.http.services import services
from audience.imports import backlog, file_imports, file_uploads, imports
from audience.imports.imports import MAX_LISTED, Import
from audience.undo import undos
from schemas.exports import refused_csv

blueprint = Blueprint("imports", __name__)

LISTED_ROWS = 1_000
SHOWN_NUMBERS = 12


@blueprint.get("/sites/<site_uuid>/imports")
@page(role="viewer")
def index(site: Site) -> str:
    """Imports"""
    before = request.args.get("before", "")
    cursor = {"before": int(before)} if before.isdecimal() and len(before) < 18 else {}
    listed = imports.newest(site, **cursor)
    files = file_uploads.files(site, [import_.id for import_ in listed])
    pages = {"is_first": not cursor, "is_full": len(listed) == MAX_LISTED}
    return render_template(
        "imports.html", imports=listed, files=files, undone=backlog.undo_statuses(site), **pages
    )


@blueprint.get("/sites/<site_uuid>/imports/<number:import_id>")
@page(role="viewer")
def show(site: Site, import_id: int) -> str:
    """An import"""
    import_ = imports.progress(site, import_id)
    undo_parts = undone.undo_parts(site, undos.import_source(import_id))
    return render_template("import.html", import_=import_, **undo_parts, **_details(site, import_))


@blueprint.get("/sites/<site_uuid>/imports/<number:import_id>/refused.csv")
@page(role="manager")
def refused(site: Site, import_id: int) -> Response:
    """The refused rows of a file, to be corrected and imported"""
    columns = file_imports.columns(site, import_id)
    rows = refused_csv(columns, file_imports.download(site, import_id, actor()))
    return attachment(rows, "text/csv; charset=utf-8", f"refused-{import_id}.csv")


@blueprint.post("/sites/<site_uuid>/imports/<number:import_id>/retry")
@page(role="manager", again=show)
def retry(site: Site, import_id: int) -> Response:
    """Continue an import that stopped"""
    file_imports.retry(site, import_id, actor())
    services().import_queue.notify(site.id)
    return redirect_to("console.imports.show", site_uuid=site.uuid, import_id=import_id)


def _details(site: Site, import_: Import) -> dict[str, Any]:
    seconds = ((import_.finished_at or clock.now_ms()) - (import_.started_at or clock.now_ms())) / 1000
    return {
        "columns": file_imports.columns(site, import_.id),
        "reasons": file_imports.refusals(site, import_.id),
        "refused_rows": _group_refusals(site, import_.id),
        "pieces": file_forms.bar_parts(import_._asdict()),
        "seconds": seconds,
        "rate": round(import_.applied / seconds) if seconds >= 1 else 0,
        "total": import_.rows + import_.refused,
        "seconds_left": round((import_.rows - import_.applied) * seconds / import_.applied)
        if import_.applied
        else None,
        "file": file_uploads.files(site, [import_.id]).get(import_.id),
    }


def _group_refusals(site: Site, import_id: int) -> list[dict[str, Any]]:
    """The first refused rows of the file, by code and message, with their row numbers."""
    groups: dict[tuple[str, str], list[int]] = {}
    for row in islice(file_imports.list_refused(site, import_id), LISTED_ROWS):
        groups.setdefault((row.code, row.message), []).append(row.row_number)
    return [
        {"code": code, "message": message, "numbers": numbers[:SHOWN_NUMBERS], "count": len(numbers)}
        for (code, message), numbers in groups.items()
    ]
