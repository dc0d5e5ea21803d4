"""Reports: one table of types, a function each, and the saved ones (contract sections 3 and 4)."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from audience import clock, periods, segments
from audience.errors import FieldError, NotFound, Refused
from audience.periods import Period
from audience.sites import Site
from storage import database, figures
from storage import reports as stored
from storage.reports import ReportRow as Report
from storage.sql import Sql

__all__ = ["Report"]

Data = dict[str, Any]

LIMIT = 20
MOST_TYPES = 10
CHARTS = ("line_chart", "column_chart", "area_chart")
OUTCOMES = ("created", "updated", "unchanged", "failed")

REFUSED = "Validation failed: correct what `errors` lists; nothing was written."
TYPE = "Send a report type of the published list: docs/reports.md has it."
STYLE = "Send one of {}."
NEEDED = "Send this value: reports of this type need it."
NO_SEGMENT = "Leave the segment out: imports are not people."


@dataclass(frozen=True)
class Question:
    """What a report is about. `limited` says whether the settings name a period, or it is the default."""

    site_id: int
    rule: Sql
    period: Period
    limited: bool
    settings: Mapping[str, Any]

    @property
    def span(self) -> tuple[int, int]:
        """For what is not cut into parts: the period, if one is named, else all time."""
        return self.period.whole if self.limited else figures.ALWAYS

    @property
    def limit(self) -> int:
        found: int = self.settings.get("limit", LIMIT)
        return found


def _value(number: int) -> Data:
    return {"value": number}


def _points(*series: tuple[str, list[tuple[str, int]]]) -> Data:
    return {"points": [{"x": x, "y": y, "g": name} for name, pairs in series for x, y in pairs]}


def _over_time(question: Question, name: str, numbers: list[int]) -> tuple[str, list[tuple[str, int]]]:
    return name, [(day.isoformat(), y) for day, y in zip(question.period.days, numbers, strict=True)]


def _people_in(question: Question, date: str) -> list[int]:
    return figures.people_in(question.site_id, date, question.rule, question.period.parts)


def count(question: Question) -> Data:
    return _value(figures.people(question.site_id, question.rule, question.span))


def new_people(question: Question) -> Data:
    return _points(_over_time(question, "New people", _people_in(question, "created_at")))


def unsubscribes(question: Question) -> Data:
    return _points(_over_time(question, "Unsubscribes", _people_in(question, "unsubscribed_at")))


def net_growth(question: Question) -> Data:
    new, gone = (_people_in(question, date) for date in ("created_at", "unsubscribed_at"))
    return _points(_over_time(question, "Net growth", [a - b for a, b in zip(new, gone, strict=True)]))


def total(question: Question) -> Data:
    before = figures.people(question.site_id, question.rule, (figures.ALWAYS[0], question.period.bounds[0]))
    totals = list(accumulate(_people_in(question, "created_at"), initial=before))
    return _points(_over_time(question, "People", totals[1:]))


def by_tag(question: Question) -> Data:
    pairs = figures.by_tag(question.site_id, question.rule, question.span, question.limit)
    return _points(("People", pairs))


def by_field(question: Question) -> Data:
    key = question.settings["field"]
    pairs = figures.by_field(question.site_id, key, question.rule, question.span, question.limit)
    return _points(("People", pairs))


def by_domain(question: Question) -> Data:
    pairs = figures.by_domain(question.site_id, question.rule, question.span, question.limit)
    return _points(("People", pairs))


def events(question: Question) -> Data:
    if "event" in question.settings:
        types = [question.settings["event"]]
    else:
        types = figures.event_types(question.site_id, question.rule, question.period.whole, MOST_TYPES)
    parts = question.period.parts
    return _points(
        *(
            _over_time(question, type_, figures.events_in(question.site_id, type_, question.rule, parts))
            for type_ in types
        )
    )


def imports(question: Question) -> Data:
    outcomes = figures.imported_in(question.site_id, question.period.parts)
    return _points(
        *(
            _over_time(question, outcome, [found[index] for found in outcomes])
            for index, outcome in enumerate(OUTCOMES)
        )
    )


@dataclass(frozen=True)
class Type:
    """`settings` are those that it reads beside the period; the first chart style is the default."""

    run: Callable[[Question], Data]
    meaning: str
    chart_styles: tuple[str, ...] = ("column_chart", "line_chart", "area_chart")
    settings: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    of_people: bool = True


TYPES = {
    f"Reporting::Reports::{name}Report": type_
    for name, type_ in {
        "VisitorCount": Type(count, "how many people there are", ("count",)),
        "NewVisitors": Type(new_people, "new people", settings=("unit",)),
        "Unsubscribes": Type(unsubscribes, "people who unsubscribed, and still are", settings=("unit",)),
        "NetGrowth": Type(net_growth, "new people less those who unsubscribed", settings=("unit",)),
        "TotalVisitors": Type(
            total, "all people, at the end of each part of the period",
            ("area_chart", "line_chart", "column_chart"), settings=("unit",),
        ),
        "VisitorsByTag": Type(by_tag, "people per tag", settings=("limit",)),
        "VisitorsByField": Type(
            by_field, "people per value of a field; the elements of an array each count",
            settings=("field", "limit"), needs=("field",),
        ),
        "VisitorsByDomain": Type(by_domain, "people per e-mail domain", settings=("limit",)),
        "Events": Type(
            events, f"events per type: the type `event`, or the {MOST_TYPES} commonest",
            ("line_chart", "column_chart", "area_chart"), settings=("unit", "event"),
        ),
        "Imports": Type(
            imports, "rows of imports: created, updated, unchanged, failed", settings=("unit",),
            of_people=False,
        ),
    }.items()
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    data: Data
    chart_style: str
    report_type: str
    report_name: str


@database.session()
def every(site: Site) -> list[Report]:
    """Oldest first."""
    return stored.all_reports(site.id)


@database.session()
def one(site: Site, report_id: str) -> Report:
    """Raises `NotFound`."""
    return _found(site.id, report_id)


@database.write()
def create(site: Site, item: Mapping[str, Any]) -> Report:
    """Raises `Refused`, and `NotFound` for the segment."""
    draft = _draft(site.id, item)
    report_id = stored.add(
        site.id,
        draft.name,
        draft.report_type,
        draft.chart_style,
        draft.segment_id,
        draft.settings,
        draft.created_at,
    )
    return draft._replace(id=report_id)


@database.write()
def replace(site: Site, report_id: str, item: Mapping[str, Any]) -> Report:
    """Raises `Refused`, and `NotFound` for the report or its segment."""
    report = _found(site.id, report_id)
    changed = _draft(site.id, item)._replace(id=report.id, created_at=report.created_at)
    stored.change(site.id, changed)
    return changed


@database.write()
def delete(site: Site, report_id: str) -> Report:
    """The report as it was. Raises `NotFound`."""
    report = _found(site.id, report_id)
    stored.delete(site.id, report.id)
    return report


@database.snapshot()
def run(site: Site, report_id: str) -> Answer:
    """Counts what a saved report asks for. Raises `NotFound`."""
    report = _found(site.id, report_id)
    settings = json.loads(report.settings)
    rule = segments.matching(site.id, str(report.segment_id)) if report.segment_id else figures.EVERYBODY
    limited = not settings.keys().isdisjoint(("days", "from", "to"))
    period = periods.of(settings, site.time_zone, clock.now())
    data = TYPES[report.report_type].run(Question(site.id, rule, period, limited, settings))
    return Answer(data, report.chart_style, report.report_type, report.name)


def _draft(site_id: int, item: Mapping[str, Any]) -> Report:
    """A report that is not written yet."""
    type_ = TYPES.get(item["report_type"])
    if type_ is None:
        raise Refused(REFUSED, [FieldError("report.report_type", TYPE)])
    chart_style = item.get("chart_style", type_.chart_styles[0])
    settings, segment_id = item.get("settings", {}), item.get("segment_id")
    problems = [FieldError(f"report.settings.{name}", NEEDED) for name in type_.needs if name not in settings]
    if chart_style not in type_.chart_styles:
        problems.append(FieldError("report.chart_style", STYLE.format(", ".join(type_.chart_styles))))
    if segment_id and not type_.of_people:
        problems.append(FieldError("report.segment_id", NO_SEGMENT))
    if problems:
        raise Refused(REFUSED, problems)
    at = clock.now()
    return Report(
        0,
        item["name"],
        item["report_type"],
        chart_style,
        segments.found(site_id, segment_id).id if segment_id else None,
        json.dumps(settings, ensure_ascii=False, separators=(",", ":")),
        at,
        at,
    )


def _found(site_id: int, report_id: str) -> Report:
    report = stored.by_id(site_id, int(report_id)) if segments.is_id(report_id) else None
    if report is None:
        raise NotFound("Report not found: GET /v1/fetch/reports lists the reports of the site.")
    return report
