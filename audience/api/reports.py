"""Save and run reports."""

from functools import partial
from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api import repeats
from audience.api.endpoint import actor, endpoint
from audience.api.etags import apply_patch
from audience.reports import reports
from schemas import reports as wire

blueprint = Blueprint("reports", __name__)


def _resource(site: Site, report_id: int | str) -> dict[str, Any]:
    return wire.report(reports.get(site, str(report_id)))


AGAIN = repeats.resource(_resource)
saves = partial(endpoint, scope="full", family="fetch", gives=wire.ReportAnswer, query=False, again=AGAIN)


@blueprint.get("/fetch/reports")
@endpoint(scope="read", family="fetch", gives=wire.ReportList)
def list_reports(site: Site) -> dict[str, Any]:
    """List the saved reports

    A new site has nine.

    Returns the reports, oldest first.
    """
    return {"data": [wire.report(row) for row in reports.list_all(site)]}


@blueprint.post("/fetch/reports")
@saves(takes=wire.SaveReport, status=201, tagged=True)
def create_report(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Save a report

    The type determines what is counted, and which settings and chart styles are possible. A
    `segment_id` limits it to the subscribers of a segment.

    Returns the saved report.
    """
    return {"data": wire.report(reports.create(site, form["report"], actor()))}


@blueprint.get("/fetch/reports/<id:report_id>")
@endpoint(scope="read", family="fetch", gives=wire.ReportAnswer, tagged=True)
def get_report(site: Site, report_id: str) -> dict[str, Any]:
    """Get a saved report

    The answer says how the report counts, but has no numbers.

    Returns the report.
    """
    return {"data": _resource(site, report_id)}


@blueprint.put("/fetch/reports/<id:report_id>")
@saves(takes=wire.SaveReport, current=_resource)
def update_report(site: Site, form: dict[str, Any], report_id: str) -> dict[str, Any]:
    """Replace a saved report

    The whole report is replaced: values that you leave out are removed.

    Returns the report as it is now.
    """
    return {"data": wire.report(reports.replace(site, report_id, form["report"], actor()))}


@blueprint.patch("/fetch/reports/<id:report_id>")
@saves(takes=wire.PatchReport, current=_resource, atomic=True)
def patch_report(site: Site, form: dict[str, Any], report_id: str) -> dict[str, Any]:
    """Change a saved report

    The body is a JSON merge patch: values that you leave out stay, and null removes a value.

    Returns the report as it is now.
    """
    item = apply_patch(wire.SaveReport, "report", _resource(site, report_id), form["report"])
    return {"data": wire.report(reports.replace(site, report_id, item, actor()))}


@blueprint.delete("/fetch/reports/<id:report_id>")
@endpoint(scope="full", family="fetch", gives=wire.ReportAnswer, again=AGAIN, current=_resource)
def delete_report(site: Site, report_id: str) -> dict[str, Any]:
    """Delete a saved report

    The data that the report counted is kept.

    Returns the report as it was.
    """
    return {"data": wire.report(reports.delete(site, report_id, actor()))}


@blueprint.get("/stats/report")
@endpoint(scope="stats", family="stats", takes=wire.ReportId, gives=wire.ReportStats)
def run_report_by_query(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Run a saved report

    The report is computed at each request, in the time zone of the site.

    Returns its numbers: a value for a count, points for any other.
    """
    return wire.answer(reports.run(site, form["report_id"]))


@blueprint.get("/stats/reports/<id:report_id>")
@endpoint(scope="stats", family="stats", gives=wire.ReportStats)
def run_report(site: Site, report_id: str) -> dict[str, Any]:
    """Run a saved report, by path

    The same as `/v1/stats/report`.

    Returns its numbers: a value for a count, points for any other.
    """
    return wire.answer(reports.run(site, report_id))
