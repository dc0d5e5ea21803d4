"""Saved reports."""

from typing import NamedTuple

from storage.database import execute, row, rows
from storage.models import Report

COLUMNS = "id, name, report_type, chart_style, segment_id, settings, created_at, updated_at"


class ReportRow(NamedTuple):
    """`settings` is JSON."""

    id: int
    name: str
    report_type: str
    chart_style: str
    segment_id: int | None
    settings: str
    created_at: int
    updated_at: int


def all_reports(site_id: int) -> list[ReportRow]:
    """Oldest first."""
    return [
        ReportRow(*found)
        for found in rows(f"SELECT {COLUMNS} FROM reports WHERE site_id = ? ORDER BY id", (site_id,))
    ]


def by_id(site_id: int, report_id: int) -> ReportRow | None:
    found = row(f"SELECT {COLUMNS} FROM reports WHERE site_id = ? AND id = ?", (site_id, report_id))
    return found and ReportRow(*found)


def add(
    site_id: int,
    name: str,
    report_type: str,
    chart_style: str,
    segment_id: int | None,
    settings: str,
    at: int,
) -> int:
    report_id: int = Report.insert(
        site=site_id,
        name=name,
        report_type=report_type,
        chart_style=chart_style,
        segment=segment_id,
        settings=settings,
        created_at=at,
        updated_at=at,
    ).execute()
    return report_id


def change(site_id: int, report: ReportRow) -> None:
    """Writes a report that exists."""
    execute(
        "UPDATE reports SET name = ?, report_type = ?, chart_style = ?, segment_id = ?, settings = ?, "
        "updated_at = ? WHERE site_id = ? AND id = ?",
        (
            report.name,
            report.report_type,
            report.chart_style,
            report.segment_id,
            report.settings,
            report.updated_at,
            site_id,
            report.id,
        ),
    )


def delete(site_id: int, report_id: int) -> None:
    execute("DELETE FROM reports WHERE site_id = ? AND id = ?", (site_id, report_id))


def use_segment(site_id: int, segment_id: int) -> bool:
    return (
        row("SELECT 1 FROM reports WHERE site_id = ? AND segment_id = ? LIMIT 1", (site_id, segment_id))
        is not None
    )
