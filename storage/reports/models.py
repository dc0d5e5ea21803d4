"""The table of saved reports."""

from peewee import BigIntegerField, ForeignKeyField, TextField

from storage.base_models import SiteOwnedModel
from storage.segments.models import SegmentModel


class ReportModel(SiteOwnedModel):
    name = TextField()
    report_type = TextField()
    chart_style = TextField()
    segment = ForeignKeyField(SegmentModel, null=True)
    settings = TextField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        table_name = "reports"
        indexes = ((("site", "id"), False),)
