"""The reports of a new site."""

from typing import Any

from schemas.values import compact_json
from storage.reports import reports as stored

# (name, type, chart style, settings)
FIRST_REPORTS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("People", "Reporting::Reports::VisitorCountReport", "count", {}),
    ("New people", "Reporting::Reports::NewVisitorsReport", "column_chart", {"unit": "day", "days": 30}),
    ("Unsubscribes", "Reporting::Reports::UnsubscribesReport", "column_chart", {"unit": "day", "days": 30}),
    ("Net growth", "Reporting::Reports::NetGrowthReport", "column_chart", {"unit": "week", "days": 90}),
    ("Total people", "Reporting::Reports::TotalVisitorsReport", "area_chart", {"unit": "day", "days": 90}),
    ("People per tag", "Reporting::Reports::VisitorsByTagReport", "column_chart", {}),
    ("People per e-mail domain", "Reporting::Reports::VisitorsByDomainReport", "column_chart", {}),
    ("Events", "Reporting::Reports::EventsReport", "line_chart", {"unit": "day", "days": 30}),
    ("Imports", "Reporting::Reports::ImportsReport", "column_chart", {"unit": "day", "days": 30}),
)


def create(site_id: int, at: int) -> None:
    """Saves the first reports of a new site, in the caller's transaction."""
    new = (
        stored.Report(0, name, report_type, chart_style, None, compact_json(settings), at, at)
        for name, report_type, chart_style, settings in FIRST_REPORTS
    )
    stored.add_many(new, site_id=site_id)
