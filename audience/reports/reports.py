"""Saved reports: a type, its settings, and optionally a segment."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from audience import clock
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.errors import NotFound, Refused
from audience.reports import periods
from audience.reports.report_types import TYPES, DataPoints, ReportRequest
from audience.segments import segments
from schemas.codes import Code, Sentence
from schemas.values import FieldError, closest, compact_json
from storage import database
from storage.reports import queries as report_queries
from storage.reports import reports as stored
from storage.reports.reports import Report

__all__ = ["Report"]

REFUSED = "Validation failed: correct what `errors` lists."
NOT_FOUND = Sentence(
    Code.REPORT_NOT_FOUND, "Report not found: GET /v1/fetch/reports lists the reports of the site."
)
TYPE = Sentence(Code.UNKNOWN_CHOICE, f"Send one of the report types {', '.join(TYPES)}.")
STYLE = Sentence(Code.UNKNOWN_CHOICE, "Send one of {}.")
REQUIRED = Sentence(Code.REQUIRED, "Required for this report type.")
NO_SEGMENT = Sentence(
    Code.REFUSED_VALUE, "Leave the segment out: this report type counts imported rows, not subscribers."
)


@dataclass(frozen=True)
class ReportResult:
    data: DataPoints
    chart_style: str
    report_type: str
    report_name: str


@database.session()
def list_all(site: Site) -> list[Report]:
    """The saved reports of a site, oldest first."""
    return stored.list_all(site.id)


@database.session()
def get(site: Site, report_id: str) -> Report:
    """Gets a saved report. Raises `NotFound`."""
    return _require(site.id, report_id)


def list_using(site: Site, segment: segments.Segment) -> list[Report]:
    """The reports that are limited to a segment."""
    return [report for report in list_all(site) if report.segment_id == segment.id]


@database.writes_site
def create(site: Site, item: Mapping[str, Any], actor: Actor | None = None) -> Report:
    """Creates a report. With an `actor`, the audit log records it. Raises `Refused`, `NotFound`."""
    segments.check_name("report.name", item["name"])
    draft = _draft(site.id, item)
    report_id = stored.add(draft, site_id=site.id)
    _record(site, actor, "report saved", draft.name)
    return draft._replace(id=report_id)


@database.writes_site
def replace(site: Site, report_id: str, item: Mapping[str, Any], actor: Actor | None = None) -> Report:
    """Replaces a report's values, unless they are the same. With an `actor`, the audit log records it.

    Raises `Refused`, `NotFound`.
    """
    report = _require(site.id, report_id)
    segments.check_name("report.name", item["name"], report.name)
    changed = _draft(site.id, item)._replace(id=report.id, created_at=report.created_at)
    if changed._replace(updated_at=report.updated_at) == report:
        return report
    stored.update(site.id, changed)
    _record(site, actor, "report changed", changed.name)
    return changed


@database.writes_site
def delete(site: Site, report_id: str, actor: Actor | None = None) -> Report:
    """Deletes a report. Returns it. Raises `NotFound`."""
    report = _require(site.id, report_id)
    stored.delete(site_id=site.id, id=report.id)
    _record(site, actor, "report deleted", report.name)
    return report


def _record(site: Site, actor: Actor | None, action: str, name: str) -> None:
    if actor:
        audit_log.record(actor, action, site, name)


@database.on_replica
def run(site: Site, report_id: str, other: Mapping[str, Any] | None = None) -> ReportResult:
    """Runs a saved report now. Settings in `other` override the report's own. Raises `NotFound`."""
    return run_draft(site, _require(site.id, report_id), other)


@database.session()
def draft(site: Site, item: Mapping[str, Any]) -> Report:
    """An unsaved report with the values of an item. Raises `Refused`, and `NotFound` for the segment."""
    return _draft(site.id, item)


@database.snapshot()
def run_draft(site: Site, report: Report, other: Mapping[str, Any] | None = None) -> ReportResult:
    """Runs a report, saved or not. Settings in `other` override its own. Raises `NotFound`."""
    settings = json.loads(report.settings) | (other or {})
    rule = (
        segments.members(site.id, str(report.segment_id)).condition
        if report.segment_id
        else report_queries.MATCH_ALL
    )
    has_period = not settings.keys().isdisjoint(("days", "from", "to"))
    period = periods.from_settings(settings, site.time_zone, clock.now_ms())
    data = TYPES[report.report_type].run(ReportRequest(site.id, rule, period, has_period, settings))
    return ReportResult(data, report.chart_style, report.report_type, report.name)


def _draft(site_id: int, item: Mapping[str, Any]) -> Report:
    """An unsaved report with the values of an item. Raises `Refused`, and `NotFound` for the segment."""
    type_ = TYPES.get(item["report_type"])
    if type_ is None:
        unknown = (item["report_type"],)
        raise Refused(REFUSED, [FieldError("report.report_type", TYPE, unknown, closest(unknown, TYPES))])
    chart_style = item.get("chart_style", type_.chart_styles[0])
    settings, segment_id = item.get("settings", {}), item.get("segment_id")
    problems = [
        FieldError(f"report.settings.{name}", REQUIRED) for name in type_.needs if name not in settings
    ]
    if chart_style not in type_.chart_styles:
        problems.append(FieldError("report.chart_style", STYLE.format(", ".join(type_.chart_styles))))
    if segment_id and not type_.counts_subscribers:
        problems.append(FieldError("report.segment_id", NO_SEGMENT))
    if problems:
        raise Refused(REFUSED, problems)
    at = clock.now_ms()
    return Report(
        0,
        item["name"],
        item["report_type"],
        chart_style,
        segments.require(site_id, segment_id).id if segment_id else None,
        compact_json(settings),
        at,
        at,
    )


def _require(site_id: int, report_id: str) -> Report:
    report = stored.get(site_id=site_id, id=int(report_id)) if segments.is_id(report_id) else None
    if report is None:
        raise NotFound(NOT_FOUND)
    return report
