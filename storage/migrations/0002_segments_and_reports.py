"""Segments, reports, and the time zone of a site. Frozen. Sites that exist get the reports of a new one."""

import json
import time
from typing import Any

TABLES = """
ALTER TABLE sites ADD COLUMN time_zone TEXT NOT NULL DEFAULT 'UTC';
CREATE TABLE segments (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    rules TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE INDEX segments_site_id_id ON segments (site_id, id);
CREATE TABLE reports (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    report_type TEXT NOT NULL,
    chart_style TEXT NOT NULL,
    segment_id INTEGER REFERENCES segments (id),
    settings TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE INDEX reports_site_id_id ON reports (site_id, id);
CREATE INDEX reports_segment_id ON reports (segment_id);
CREATE INDEX imports_site_id_created_at ON imports (site_id, created_at)
"""
REPORTS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("People", "VisitorCountReport", "count", {}),
    ("New people", "NewVisitorsReport", "column_chart", {"unit": "day", "days": 30}),
    ("Unsubscribes", "UnsubscribesReport", "column_chart", {"unit": "day", "days": 30}),
    ("Net growth", "NetGrowthReport", "column_chart", {"unit": "week", "days": 90}),
    ("Total people", "TotalVisitorsReport", "area_chart", {"unit": "day", "days": 90}),
    ("People per tag", "VisitorsByTagReport", "column_chart", {}),
    ("People per e-mail domain", "VisitorsByDomainReport", "column_chart", {}),
    ("Events", "EventsReport", "line_chart", {"unit": "day", "days": 30}),
    ("Imports", "ImportsReport", "column_chart", {"unit": "day", "days": 30}),
)


def up(_migrator: Any, db: Any) -> None:
    for statement in TABLES.split(";"):
        db.execute_sql(statement)
    at = time.time_ns() // 1_000_000
    for name, kind, style, settings in REPORTS:
        db.execute_sql(
            "INSERT INTO reports (site_id, name, report_type, chart_style, settings, created_at, updated_at) "
            "SELECT id, ?, ?, ?, ?, ?, ? FROM sites ORDER BY id",
            (name, f"Reporting::Reports::{kind}", style, json.dumps(settings, separators=(",", ":")), at, at),
        )
