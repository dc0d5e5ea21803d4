"""Save reports, and run them (spec section 4.16, contract sections 3 and 4)."""

from typing import Any

from flask import Blueprint

from audience import reports
from audience.api.endpoint import endpoint
from audience.sites import Site
from schemas import reports as wire

blueprint = Blueprint("reports", __name__)


@blueprint.get("/fetch/reports")
@endpoint("read")
def every(site: Site) -> dict[str, Any]:
    return {"data": [wire.report(row) for row in reports.every(site)]}


@blueprint.post("/fetch/reports")
@endpoint("full", takes=wire.SaveReport, query=False, status=201)
def create(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    return {"data": wire.report(reports.create(site, form["report"]))}


@blueprint.get("/fetch/reports/<id:report_id>")
@endpoint("read")
def one(site: Site, report_id: str) -> dict[str, Any]:
    return {"data": wire.report(reports.one(site, report_id))}


@blueprint.put("/fetch/reports/<id:report_id>")
@endpoint("full", takes=wire.SaveReport, query=False)
def replace(site: Site, form: dict[str, Any], report_id: str) -> dict[str, Any]:
    return {"data": wire.report(reports.replace(site, report_id, form["report"]))}


@blueprint.delete("/fetch/reports/<id:report_id>")
@endpoint("full")
def delete(site: Site, report_id: str) -> dict[str, Any]:
    return {"data": wire.report(reports.delete(site, report_id))}


@blueprint.get("/stats/report")
@endpoint("stats", takes=wire.ReportId)
def named(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    return wire.answer(reports.run(site, form["report_id"]))


@blueprint.get("/stats/reports/<id:report_id>")
@endpoint("stats")
def run(site: Site, report_id: str) -> dict[str, Any]:
    return wire.answer(reports.run(site, report_id))
