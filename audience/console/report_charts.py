"""What is drawn of a report: its series, over time or by label, and its period."""

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from typing import Any

from audience import clock
from audience.access.sites import Site
from audience.console import consents
from audience.console.wording import short_day
from audience.reports import periods, reports
from audience.reports.report_types import TYPES
from audience.reports.reports import Report, ReportResult

LEAVING = "LeavingReport"
PREFIX, SUFFIX = "Reporting::Reports::", "Report"
REASONS = consents.REASONS | {"word": "no reason given", "undone": "undone"}
SOURCES = {
    "api": "API", "operator": "by hand", "bulk_act": "bulk action", "cli": "command line",
    "link": "link in an email", "sign_up": "sign-up",
}  # fmt: skip
HEADINGS = {"VisitorsByTag": "Tag", "VisitorsByDomain": "Domain", "Leaving": "Reason"}  # of the labels
STYLES = {"count": "count", "line_chart": "line", "area_chart": "area", "column_chart": "column"}


def kind_of(report_type: str) -> str:
    """The short name of a report type."""
    return report_type.removeprefix(PREFIX).removesuffix(SUFFIX)


def draw_report(site: Site, report: Report, other: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a report. Returns the variables that draw it. Settings in `other` override the report's own."""
    result = reports.run_draft(site, report, other)
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
        "is_leaving": result.report_type == LEAVING,
        "heading": settings.get("field") or HEADINGS.get(kind_of(result.report_type), "Label"),
        "series": (series := _series(result, is_over_time)),
        "totals": [sum(row) for row in zip(*(points["values"] for points in series), strict=True)],
    }


def _series(result: ReportResult, is_over_time: bool) -> list[dict[str, Any]]:
    """The points of each series, as labels and values. `keys` are the API's labels."""
    groups: dict[str, dict[str, Any]] = {}
    for point in result.data.get("points", ()):
        empty = {"name": point["g"], "keys": [], "labels": [], "values": []}
        series = groups.setdefault(point["g"], empty)
        series["keys"].append(point["x"])
        series["labels"].append(short_day(dt.date.fromisoformat(point["x"])) if is_over_time else point["x"])
        series["values"].append(point["y"])
    if result.report_type == LEAVING:
        for name, series in groups.items():
            series["name"] = SOURCES.get(name, name)
            series["labels"] = [REASONS.get(reason, reason) for reason in series["keys"]]
    return list(groups.values())


def table(shown: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Yields a drawn report as rows of a table, first the names of the columns."""
    if shown["style"] == "count":
        yield from ([shown["meaning"]], [shown["value"]])
        return
    yield ["from" if shown["is_over_time"] else "label", *(series["name"] for series in shown["series"])]
    if shown["series"]:
        columns = (series["values"] for series in shown["series"])
        yield from map(list, zip(shown["series"][0]["keys"], *columns, strict=True))
