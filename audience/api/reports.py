"""Save reports, and run them (spec section 4.16, contract sections 3 and 4)."""

from typing import Any

from flask import Blueprint

from audience import reports
from audience.api.endpoint import endpoint
from audience.sites import Site
from schemas import reports as wire

blueprint = Blueprint("reports", __name__)


@blueprint.get("/fetch/reports")
@endpoint("read", gives=wire.ReportList)
def every(site: Site) -> dict[str, Any]:
    """List the saved reports, oldest first"""
    return {"data": [wire.report(row) for row in reports.every(site)]}


@blueprint.post("/fetch/reports")
@endpoint("full", takes=wire.SaveReport, gives=wire.ReportAnswer, query=False, status=201)
def create(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Save a report"""
    return {"data": wire.report(reports.create(site, form["report"]))}


@blueprint.get("/fetch/reports/<id:report_id>")
@endpoint("read", gives=wire.ReportAnswer)
def one(site: Site, report_id: str) -> dict[str, Any]:
    """Read a saved report"""
    return {"data": wire.report(reports.one(site, report_id))}


@blueprint.put("/fetch/reports/<id:report_id>")
@endpoint("full", takes=wire.SaveReport, gives=wire.ReportAnswer, query=False)
def replace(site: Site, form: dict[str, Any], report_id: str) -> dict[str, Any]:
    """Replace a saved report"""
    return {"data": wire.report(reports.replace(site, report_id, form["report"]))}


@blueprint.delete("/fetch/reports/<id:report_id>")
@endpoint("full", gives=wire.ReportAnswer)
def delete(site: Site, report_id: str) -> dict[str, Any]:
    """Delete a saved report; the report as it was"""
    return {"data": wire.report(reports.delete(site, report_id))}


@blueprint.get("/stats/report")
@endpoint("stats", takes=wire.ReportId, gives=wire.ReportStats)
def named(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Run a saved report"""
    return wire.answer(reports.run(site, form["report_id"]))


@blueprint.get("/stats/reports/<id:report_id>")
@endpoint("stats", gives=wire.ReportStats)
def run(site: Site, report_id: str) -> dict[str, Any]:
    """Run a saved report"""
    return wire.answer(reports.run(site, report_id))
