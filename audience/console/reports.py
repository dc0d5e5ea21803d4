"""Saved reports, and one of them drawn, over any period."""

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template, request

from audience import clock, periods, reports, segments
from audience.console.page import page
from audience.console.wording import short_day
from audience.report_types import TYPES
from audience.reports import Report, ReportResult
from audience.sites import Site
from schemas.base import FormError, load, present
from schemas.reports import SettingsSchema

blueprint = Blueprint("reports", __name__)

STYLES = {"count": "count", "line_chart": "line", "area_chart": "area", "column_chart": "column"}
STYLE_WORDS = {
    "count": "a number",
    "line": "a line chart",
    "area": "an area chart",
    "column": "a column chart",
}
PERIOD = ("days", "from", "to", "unit")


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
    report = reports.get(site, report_id)
    other, problem = _period()
    result = reports.run(site, report_id, other)
    return render_template("report.html", problem=problem, **_details(site, report, result, other))


def _row(report: Report, names: Mapping[int, str]) -> dict[str, Any]:
    return {
        "report": report,
        "meaning": TYPES[report.report_type].meaning,
        "style": STYLE_WORDS[STYLES[report.chart_style]],
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
    """The period that the URL asks for instead of the saved one, and why it cannot be used."""
    asked = {name: value for name in PERIOD if (value := request.args.get(name, "").strip())}
    try:
        form = SettingsSchema()
        return load(form, present(form, asked)), ""
    except FormError:
        return {}, "A period needs two dates, the second on or after the first, such as 2026-08-21."


def _details(site: Site, report: Report, result: ReportResult, other: Mapping[str, Any]) -> dict[str, Any]:
    settings, report_type = json.loads(report.settings) | dict(other), TYPES[report.report_type]
    is_over_time = "unit" in report_type.settings
    period = periods.from_settings(settings, site.time_zone, clock.now_ms())
    return {
        "report": report,
        "meaning": report_type.meaning,
        "settings": settings,
        "first": period.days[0].isoformat() if is_over_time or other else settings.get("from", ""),
        "last": settings.get("to", periods.day_of(clock.now_ms(), site.time_zone).isoformat()),
        "style": STYLES[result.chart_style],
        "value": result.data.get("value"),
        "is_over_time": is_over_time,
        "series": _series(result, is_over_time),
        "is_saved_period": not other,
    }


def _series(result: ReportResult, is_over_time: bool) -> list[dict[str, Any]]:
    """The points by series, as labels and values."""
    found: dict[str, dict[str, Any]] = {}
    for point in result.data.get("points", ()):
        series = found.setdefault(point["g"], {"name": point["g"], "labels": [], "values": []})
        series["labels"].append(short_day(dt.date.fromisoformat(point["x"])) if is_over_time else point["x"])
        series["values"].append(point["y"])
    return list(found.values())
