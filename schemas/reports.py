"""Reports on the wire (spec section 2.4, contract sections 3 and 4). The types are the domain's business."""

import datetime as dt
import json
from typing import Any, ClassVar

import marshmallow as ma

from schemas.custom_fields import FieldKey
from schemas.shapes import Answer, Date, Id, many, one, resource
from schemas.wire import Form, Spelling, Text, as_text, date, nested

DAY = "Send a date from 1970-01-01 to 2199-12-31, such as 2026-08-21."
WHOLE = "Send a whole number from 1 to {}."
UNIT = "Send day, week or month."
ORDER = "Send a date that is not before `from`."


class Day(ma.fields.Field[str]):
    """A calendar date as `YYYY-MM-DD`."""

    spelled: ClassVar[Spelling] = {"type": "string", "format": "date"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        try:
            day = dt.date.fromisoformat(as_text(value).strip())
        except ValueError as error:
            raise ma.ValidationError(DAY) from error
        if not 1970 <= day.year < 2200:
            raise ma.ValidationError(DAY)
        return day.isoformat()


class Whole(ma.fields.Field[int]):
    """A whole number from 1 to `most`; digits are read as one."""

    spelled: ClassVar[Spelling] = {"type": "integer", "minimum": 1}

    def __init__(self, most: int, **options: Any) -> None:
        super().__init__(**options)
        self.most = most

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        digits = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and 1 <= int(digits) <= self.most):
            raise ma.ValidationError(WHOLE.format(self.most))
        return int(digits)


class Settings(Form):
    unit = Text(strip=True, validate=ma.validate.OneOf(["day", "week", "month"], error=UNIT))
    days = Whole(3_660)
    from_ = Day(data_key="from", attribute="from")
    to = Day()
    field = FieldKey()
    event = Text(strip=True, blank=False)
    limit = Whole(100)

    @ma.post_load
    def in_order(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        if "from" in data and data.get("to", data["from"]) < data["from"]:
            raise ma.ValidationError(ORDER, "to")
        return data


class NewReport(Form):
    name = Text(required=True, strip=True, blank=False)
    report_type = Text(required=True, strip=True, blank=False)
    chart_style = Text(strip=True)
    segment_id = Text(strip=True)
    settings = nested(Settings)


class SaveReport(Form):
    example: ClassVar[Any] = {
        "report": {
            "name": "Plans",
            "report_type": "Reporting::Reports::VisitorsByFieldReport",
            "chart_style": "column_chart",
            "settings": {"field": "plan", "days": 90},
        }
    }

    report = nested(NewReport, required=True)


class ReportId(Form):
    report_id = Text(required=True, strip=True)


class ReportAttributes(Answer):
    name = ma.fields.String()
    report_type = ma.fields.String()
    chart_style = ma.fields.String()
    segment_id = Id(allow_none=True)
    settings = ma.fields.Nested(Settings)
    created_at = Date()
    updated_at = Date()


Report = resource("Report", "reports", ReportAttributes)
ReportAnswer = one("ReportAnswer", Report)
ReportList = many("ReportList", Report)


class Point(Answer):
    x = ma.fields.String(metadata={"description": "The first day of a part of the period, or a label."})
    y = ma.fields.Integer(strict=True)
    g = ma.fields.String(metadata={"description": "The name of the series."})


class Data(Answer):
    """Either of the two."""

    value = ma.fields.Integer(strict=True, metadata={"description": "Of a count.", "may_be_absent": True})
    points = ma.fields.List(
        ma.fields.Nested(Point), metadata={"description": "Of any other.", "may_be_absent": True}
    )


class ReportData(Answer):
    data = ma.fields.Nested(Data)
    chart_style = ma.fields.String(
        validate=ma.validate.OneOf(["count", "line_chart", "column_chart", "area_chart"])
    )
    report_type = ma.fields.String()
    report_name = ma.fields.String()


class ReportStats(ReportData):
    """The same four keys stand in `report_data` and beside it."""

    report_data = ma.fields.Nested(ReportData)


def report(row: Any) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "type": "reports",
        "attributes": {
            "name": row.name,
            "report_type": row.report_type,
            "chart_style": row.chart_style,
            "segment_id": row.segment_id and str(row.segment_id),
            "settings": json.loads(row.settings),
            "created_at": date(row.created_at),
            "updated_at": date(row.updated_at),
        },
    }


def answer(given: Any) -> dict[str, Any]:
    """The four keys, in `report_data` and at top level."""
    data = {
        "data": given.data,
        "chart_style": given.chart_style,
        "report_type": given.report_type,
        "report_name": given.report_name,
    }
    return {"report_data": data} | data
