"""Saved reports."""

from typing import NamedTuple

from storage.database import execute, marks, row, rows

SAVED = "name, report_type, chart_style, segment_id, settings, created_at, updated_at"
COLUMNS = f"id, {SAVED}"


class Report(NamedTuple):
    """`settings` is JSON."""

    id: int
    name: str
    report_type: str
    chart_style: str
    segment_id: int | None
    settings: str
    created_at: int
    updated_at: int


def list_all(site_id: int) -> list[Report]:
    """Oldest first."""
    records = rows(f"SELECT {COLUMNS} FROM reports WHERE site_id = ? ORDER BY id", (site_id,))
    return [Report(*record) for record in records]


def get(site_id: int, report_id: int) -> Report | None:
    record = row(f"SELECT {COLUMNS} FROM reports WHERE site_id = ? AND id = ?", (site_id, report_id))
    return record and Report(*record)


def add(
    site_id: int,
    name: str,
    report_type: str,
    chart_style: str,
    segment_id: int | None,
    settings: str,
    at: int,
) -> int:
    values = (site_id, name, report_type, chart_style, segment_id, settings, at, at)
    sql = f"INSERT INTO reports (site_id, {SAVED}) VALUES ({marks(values)}) RETURNING id"
    return int(row(sql, values)[0])


def change(site_id: int, report: Report) -> None:
    """Overwrites an existing report."""
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


def uses_segment(site_id: int, segment_id: int) -> bool:
    return (
        row("SELECT 1 FROM reports WHERE site_id = ? AND segment_id = ? LIMIT 1", (site_id, segment_id))
        is not None
    )
