"""Saved reports."""

from typing import NamedTuple

from peewee import ForeignKeyField

from storage.base_models import SiteOwnedModel
from storage.records import Records
from storage.segments.segments import SegmentModel


class Report(NamedTuple):
    """A saved report; `settings` is JSON."""

    id: int
    name: str
    report_type: str
    chart_style: str
    segment_id: int | None
    settings: str
    created_at: int
    updated_at: int


class ReportModel(SiteOwnedModel, table="reports", record=Report):
    segment = ForeignKeyField(SegmentModel, null=True)

    class Meta:
        indexes = ((("site", "id"), False),)


REPORTS = Records(ReportModel, Report)
add, add_many, delete = REPORTS.add_new, REPORTS.add_many, REPORTS.delete
get, has = REPORTS.get, REPORTS.has


def list_all(site_id: int) -> list[Report]:
    """The saved reports of a site, oldest first."""
    return REPORTS.find("ORDER BY id", site_id=site_id)


def update(site_id: int, report: Report) -> None:
    """Overwrites an existing report."""
    REPORTS.change(report._asdict(), site_id=site_id, id=report.id)
