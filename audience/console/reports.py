"""Saved reports, and one of them drawn, over any period; made, changed, deleted and exported."""

import json
from collections.abc import Mapping
from contextlib import suppress
from operator import attrgetter
from typing import Any

from flask import Blueprint, Response, render_template, request

from audience.access.sites import Site
from audience.console import report_charts, report_forms
from audience.console.page import actor, attachment, page, read_form, redirect_to
from audience.console.sent_once import make_once, sent_before
from audience.errors import AudienceError, NotFound
from audience.reports import reports
from audience.reports.report_types import TYPES
from audience.reports.reports import Report
from audience.segments import segments
from schemas.base import FormError, load, query_values
from schemas.exports import table_csv
from schemas.reports import SettingsSchema

blueprint = Blueprint("reports", __name__)

PERIOD = ("days", "from", "to", "unit")
NO_PERIOD = "A period needs two dates, the second on or after the first, such as 2026-08-21."
DRAW = "draw"
EXPORTS = {"csv": "text/csv; charset=utf-8", "svg": "image/svg+xml"}
NO_EXPORT = "A report is exported as csv or svg."


@blueprint.get("/sites/<site_uuid>/reports")
@page(role="viewer")
def index(site: Site) -> str:
    """Reports"""
    names = {segment.id: segment.name for segment in segments.list_all(site)}
    listed = [_row(report, names) for report in reports.list_all(site)]
    return render_template("reports.html", listed=listed)


@blueprint.get("/sites/<site_uuid>/reports/<report_id>")
@page(role="viewer")
def show(site: Site, report_id: str) -> str:
    """A report"""
    other, problem = _period()
    shown = report_charts.draw_report(site, reports.get(site, report_id), other)
    return render_template("report.html", problem=problem, is_saved_period=not other, **shown)


@blueprint.get("/sites/<site_uuid>/reports/<report_id>/export.<kind>")
@page(role="manager")
def export(site: Site, report_id: str, kind: str) -> Response:
    """A report as a file, over the period that the query names"""
    report = reports.get(site, report_id)
    if kind not in EXPORTS:
        raise NotFound(NO_EXPORT)
    shown = report_charts.draw_report(site, report, _period()[0])
    body = table_csv(report_charts.table(shown)) if kind == "csv" else render_template("report.svg", **shown)
    return attachment(body, EXPORTS[kind], f"report-{report.id}.{kind}")


@blueprint.get("/sites/<site_uuid>/reports/new")
@page(role="manager")
def new(site: Site) -> str:
    """The kinds of report or, if the query names one, its form"""
    kind = request.form.get("report_type") or report_forms.full_name(request.args.get("kind", ""))
    if kind not in TYPES:
        return render_template("report_kinds.html", kinds=report_forms.kinds())
    return _form(site, kind, None)


@blueprint.post("/sites/<site_uuid>/reports/new")
@page(role="manager", again=new)
def create(site: Site) -> Response | str:
    """Save a report, or draw it without saving it"""
    item = report_forms.read_report(read_form())
    if DRAW in read_form():
        return _form(site, reports.draft(site, item).report_type, None)
    report, report_id = make_once(site.id, lambda: reports.create(site, item, actor()), attrgetter("id"))
    return _redirect(site, report_id, report)


@blueprint.get("/sites/<site_uuid>/reports/<report_id>/edit")
@page(role="manager")
def edit(site: Site, report_id: str) -> str:
    """The form of a report"""
    report = reports.get(site, report_id)
    return _form(site, report.report_type, report)


@blueprint.post("/sites/<site_uuid>/reports/<report_id>/edit")
@page(role="manager", again=edit)
def replace(site: Site, report_id: str) -> Response | str:
    """Change a report, or draw the change without saving it"""
    report = reports.get(site, report_id)
    item = report_forms.read_report(read_form().to_dict() | {"report_type": report.report_type})
    if DRAW in read_form():
        return _form(site, report.report_type, report)
    return _redirect(site, report_id, reports.replace(site, report_id, item, actor()))


@blueprint.post("/sites/<site_uuid>/reports/<report_id>/delete")
@page(role="manager")
def delete(site: Site, report_id: str) -> Response:
    """Delete a report"""
    reports.delete(site, report_id, actor())
    return redirect_to("console.reports.index", site_uuid=site.uuid)


def _redirect(site: Site, report_id: str, report: Report | None) -> Response:
    return redirect_to(
        "console.reports.show", site_uuid=site.uuid, report_id=report_id, done=sent_before(report)
    )


def _form(site: Site, report_type: str, report: Report | None) -> str:
    """The page with the form as sent, else with the report's values. Valid settings are drawn as a chart."""
    sent = request.form if request.method == "POST" else {}
    draft = report_forms.draft(sent, report) | {"report_type": report_type}
    shown: dict[str, Any] = {}
    with suppress(AudienceError):
        item = report_forms.read_report(draft | {"name": draft["name"] or "-"})
        shown = report_charts.draw_report(site, reports.draft(site, item), {})
    choices = report_forms.choices(site, report_type)
    return render_template("report_form.html", editing=report, draft=draft, choices=choices, shown=shown)


def _row(report: Report, names: Mapping[int, str]) -> dict[str, Any]:
    return {
        "report": report,
        "meaning": report_forms.meaning(report.report_type),
        "style": report_forms.style_words(report.chart_style),
        "segment": names.get(report.segment_id or 0, ""),
        "settings": _in_words(json.loads(report.settings)),
    }


def _in_words(settings: Mapping[str, Any]) -> str:
    words = [f"the last {settings['days']} days"] if "days" in settings else []
    words += [f"{name} {settings[name]}" for name in ("from", "to") if name in settings]
    words += [f"by {settings['unit']}"] if "unit" in settings else []
    words += [f"{name} {settings[name]}" for name in ("field", "event") if name in settings]
    return ", ".join(words)


def _period() -> tuple[dict[str, Any], str]:
    """The (period settings in the URL, message if they are wrong). They override the report's."""
    asked = {name: value for name in PERIOD if (value := request.args.get(name, "").strip())}
    try:
        form = SettingsSchema()
        return load(form, query_values(form, asked)), ""
    except FormError:
        return {}, NO_PERIOD
