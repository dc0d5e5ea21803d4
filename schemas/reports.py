"""Request schemas of reports, the report resource, and its data (docs/contract.md, Reports)."""

import datetime as dt
import json
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import JsonSchema, RequestSchema, Text, as_text, describe, nested
from schemas.codes import Code, Sentence
from schemas.custom_fields import FieldKey
from schemas.numbers import number_up_to
from schemas.patches import Patch
from schemas.responses import (
    Date,
    Id,
    ResponseSchema,
    dump,
    integer,
    listing,
    resource,
    single,
    string,
    values,
)

MIN_YEAR, MAX_YEAR = 1970, 2199
DAY = Sentence(
    Code.MALFORMED_DATE, f"Send a date from {MIN_YEAR}-01-01 to {MAX_YEAR}-12-31, such as 2026-08-21."
)
UNIT = Sentence(Code.UNKNOWN_CHOICE, "Send day, week or month.")
ORDER = Sentence(Code.OUT_OF_RANGE, "Send a date on or after `from`.")


class Day(ma.fields.Field[str]):
    """A calendar date as `YYYY-MM-DD`."""

    json_schema: ClassVar[JsonSchema] = {"type": "string", "format": "date"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        try:
            day = dt.date.fromisoformat(as_text(value).strip())
        except ValueError as error:
            raise ma.ValidationError(DAY) from error
        if not MIN_YEAR <= day.year <= MAX_YEAR:
            raise ma.ValidationError(DAY)
        return day.isoformat()


class SettingsSchema(RequestSchema):
    unit = Text(strip=True, validate=ma.validate.OneOf(["day", "week", "month"], error=UNIT))
    days = number_up_to(3_660)
    from_ = Day(data_key="from", attribute="from")
    to = Day()
    field = FieldKey()
    event = Text(strip=True, blank=False)
    limit = number_up_to(100)

    @ma.post_load
    def in_order(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        if "from" in data and data.get("to", data["from"]) < data["from"]:
            raise ma.ValidationError(ORDER, "to")
        return data


class NewReport(RequestSchema):
    name = Text(required=True, strip=True, blank=False)
    report_type = Text(required=True, strip=True, blank=False)
    chart_style = Text(strip=True)
    segment_id = Text(strip=True)
    settings = nested(SettingsSchema)


class SaveReport(RequestSchema):
    report = nested(NewReport, required=True)


class PatchReport(RequestSchema):
    report = Patch(NewReport)


class ReportId(RequestSchema):
    report_id = Text(required=True, strip=True)


class ReportAttributes(ResponseSchema):
    name = ma.fields.String()
    report_type = ma.fields.String()
    chart_style = ma.fields.String()
    segment_id = Id(allow_none=True)
    settings = ma.fields.Nested(SettingsSchema)
    created_at = Date()
    updated_at = Date()


ReportSchema = resource("Report", "reports", ReportAttributes)
ReportAnswer = single("ReportAnswer", ReportSchema)
ReportList = listing("ReportList", ReportSchema)


class Point(ResponseSchema):
    x = string("A label, or the first day of a unit of time.")
    y = integer()
    g = string("Name of the series.")


class DataSchema(ResponseSchema):
    """The data of a report: either a value or points."""

    value = ma.fields.Integer(
        strict=True, **describe("The number of a report drawn as a count.", may_be_absent=True)
    )
    points = ma.fields.List(
        ma.fields.Nested(Point),
        **describe("The points of a report that is not drawn as a count.", may_be_absent=True),
    )


class ReportData(ResponseSchema):
    data = ma.fields.Nested(DataSchema)
    chart_style = ma.fields.String(
        validate=ma.validate.OneOf(["count", "line_chart", "column_chart", "area_chart"])
    )
    report_type = ma.fields.String()
    report_name = ma.fields.String()


class ReportStats(ReportData):
    """The answer of a report. `report_data` has the same four keys as the top level."""

    report_data = ma.fields.Nested(ReportData)


def report(row: Any) -> dict[str, Any]:
    return dump("reports", ReportAttributes, row, settings=json.loads(row.settings))


def answer(result: Any) -> dict[str, Any]:
    """The answer of a report: its four keys at the top level, and again in `report_data`."""
    data = values(ReportData, result)
    return {"report_data": data} | data
