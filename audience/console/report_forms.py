"""The form of a report: one of the kinds with its settings."""

import json
from collections.abc import Mapping
from typing import Any

from audience.access.sites import Site
from audience.console.page import validate
from audience.console.report_charts import STYLES, kind_of
from audience.reports.report_types import TYPES
from audience.reports.reports import Report
from audience.segments import segments
from audience.subscribers import custom_fields
from schemas.reports import NewReport
from schemas.values import NAMES

NOT_SAVED = "Nothing was saved: correct what is listed below, and save again."
STYLE_WORDS = {
    "count": "a number",
    "line": "a line chart",
    "area": "an area chart",
    "column": "a column chart",
}
PLAIN = ("name", "report_type", "chart_style", "segment_id")
SETTINGS = ("days", "from", "to", "unit", "field", "event", "limit")
KINDS = {
    "VisitorCount": "Subscribers", "NewVisitors": "New", "Unsubscribes": "Unsubscribed",
    "NetGrowth": "Growth", "TotalVisitors": "All so far", "VisitorsByTag": "By tag",
    "VisitorsByField": "By field", "VisitorsByDomain": "By domain", "Events": "Events",
    "Imports": "Imported rows", "Leaving": "Why they unsubscribed",
}  # fmt: skip


def kinds() -> list[tuple[str, str, str]]:
    """The (short name, words, meaning) of each kind of report."""
    return [(name, words, meaning(full_name(name))) for name, words in KINDS.items()]


def full_name(kind: str) -> str:
    """The report type with the short name `kind`; "" without one."""
    return next((type_ for type_ in TYPES if kind_of(type_) == kind), "")


def meaning(report_type: str) -> str:
    return TYPES[report_type].meaning.replace("`", "")


def style_words(chart_style: str) -> str:
    return STYLE_WORDS[STYLES[chart_style]]


def read_report(form: Mapping[str, str]) -> dict[str, Any]:
    """The report in a form, as the API takes it. Raises `Refused`."""
    sent: dict[str, Any] = {name: form[name] for name in PLAIN if form.get(name, "").strip()}
    sent["settings"] = {name: form[name].strip() for name in SETTINGS if form.get(name, "").strip()}
    return validate(NewReport(), sent, NOT_SAVED)


def draft(sent: Mapping[str, str], report: Report | None) -> dict[str, str]:
    """The fields of the form as sent, else the report's, else empty."""
    if report is None or sent:
        return {name: sent.get(name, "") for name in (*PLAIN, *SETTINGS)}
    fields = {name: str(getattr(report, name) or "") for name in PLAIN}
    return fields | {name: str(value) for name, value in json.loads(report.settings).items()}


def choices(site: Site, report_type: str) -> dict[str, Any]:
    """The form's choices for a kind of report."""
    kind = TYPES[report_type]
    return {
        "kind": kind_of(report_type),
        "kind_words": KINDS[kind_of(report_type)],
        "meaning": meaning(report_type),
        "needs": kind.needs,
        "takes": kind.settings,
        "styles": [(style, style_words(style)) for style in kind.chart_styles],
        "segments": segments.list_all(site) if kind.counts_subscribers else [],
        "fields": [*NAMES, *(field.key for field in custom_fields.list_all(site))],
        "events": segments.event_types(site),
    }
