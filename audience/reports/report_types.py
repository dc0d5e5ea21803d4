"""The report types, each with its query, settings and chart styles."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from audience.reports.periods import Period
from storage.reports import queries as report_queries
from storage.sql import Sql

DataPoints = dict[str, Any]

DEFAULT_LIMIT = 20
MAX_EVENT_TYPES = 10
OUTCOMES = ("created", "updated", "unchanged", "failed")


@dataclass(frozen=True)
class ReportRequest:
    """The input of a report. `period` is the default one unless `has_period`: the settings name one."""

    site_id: int
    rule: Sql
    period: Period
    has_period: bool
    settings: Mapping[str, Any]

    @property
    def span(self) -> tuple[int, int]:
        """The (start, end) of a report without a time axis: all time, unless the settings have a period."""
        return self.period.whole if self.has_period else report_queries.ALWAYS

    @property
    def limit(self) -> int:
        limit: int = self.settings.get("limit", DEFAULT_LIMIT)
        return limit


def _points(*series: tuple[str, list[tuple[str, int]]]) -> DataPoints:
    return {"points": [{"x": x, "y": y, "g": name} for name, pairs in series for x, y in pairs]}


def _over_time(request: ReportRequest, name: str, numbers: list[int]) -> tuple[str, list[tuple[str, int]]]:
    return name, [(day.isoformat(), y) for day, y in zip(request.period.days, numbers, strict=True)]


def _count_in(request: ReportRequest, date: str) -> list[int]:
    return report_queries.count_subscribers_in(request.site_id, date, request.rule, request.period.parts)


def count(request: ReportRequest) -> DataPoints:
    return {"value": report_queries.count_subscribers(request.site_id, request.rule, request.span)}


def new_subscribers(request: ReportRequest) -> DataPoints:
    return _points(_over_time(request, "New people", _count_in(request, "created_at")))


def unsubscribes(request: ReportRequest) -> DataPoints:
    return _points(_over_time(request, "Unsubscribes", _count_in(request, "unsubscribed_at")))


def net_growth(request: ReportRequest) -> DataPoints:
    new, lost = (_count_in(request, date) for date in ("created_at", "unsubscribed_at"))
    return _points(_over_time(request, "Net growth", [a - b for a, b in zip(new, lost, strict=True)]))


def count_total(request: ReportRequest) -> DataPoints:
    before = report_queries.count_subscribers(
        request.site_id, request.rule, (report_queries.ALWAYS[0], request.period.bounds[0])
    )
    totals = list(accumulate(_count_in(request, "created_at"), initial=before))
    return _points(_over_time(request, "People", totals[1:]))


def by_tag(request: ReportRequest) -> DataPoints:
    pairs = report_queries.by_tag(request.site_id, request.rule, request.span, request.limit)
    return _points(("People", pairs))


def by_field(request: ReportRequest) -> DataPoints:
    key = request.settings["field"]
    pairs = report_queries.by_field(request.site_id, key, request.rule, request.span, request.limit)
    return _points(("People", pairs))


def by_domain(request: ReportRequest) -> DataPoints:
    pairs = report_queries.by_domain(request.site_id, request.rule, request.span, request.limit)
    return _points(("People", pairs))


def events(request: ReportRequest) -> DataPoints:
    if "event" in request.settings:
        types = [request.settings["event"]]
    else:
        types = report_queries.event_types(
            request.site_id, request.rule, request.period.whole, MAX_EVENT_TYPES
        )
    counts = report_queries.events_in(request.site_id, types, request.rule, request.period.parts)
    return _points(*(_over_time(request, type_, counts[type_]) for type_ in types))


def imports(request: ReportRequest) -> DataPoints:
    outcomes = report_queries.imported_in(request.site_id, request.period.parts)
    return _points(
        *(
            _over_time(request, outcome, [counts[index] for counts in outcomes])
            for index, outcome in enumerate(OUTCOMES)
        )
    )


def unsubscribes_by_reason(request: ReportRequest) -> DataPoints:
    """A series for each source, with a point for each reason, the most common first."""
    rows = report_queries.unsubscribes(request.site_id, request.rule, request.span)
    by_reason, by_source = Counter[str](), defaultdict[str, Counter[str]](Counter)
    for reason, source, number in rows:
        by_reason[reason] += number
        by_source[source][reason] += number
    reasons = [reason for reason, _ in by_reason.most_common(request.limit)]
    sources = sorted(by_source, key=lambda source: -by_source[source].total())
    return _points(
        *((source, [(reason, by_source[source][reason]) for reason in reasons]) for source in sources)
    )


@dataclass(frozen=True)
class ReportType:
    """A type of report. `settings` names its settings besides the period, `needs` the required ones.

    The first chart style is the default.
    """

    run: Callable[[ReportRequest], DataPoints]
    meaning: str
    chart_styles: tuple[str, ...] = ("column_chart", "line_chart", "area_chart")
    settings: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    counts_subscribers: bool = True


HOSTED = {  # types that the hosted service has
    f"Reporting::Reports::{name}Report": type_
    for name, type_ in {
        "VisitorCount": ReportType(count, "number of subscribers", ("count",)),
        "NewVisitors": ReportType(new_subscribers, "new subscribers", settings=("unit",)),
        "Unsubscribes": ReportType(
            unsubscribes, "subscribers who unsubscribed, and still are unsubscribed", settings=("unit",),
        ),
        "NetGrowth": ReportType(net_growth, "new subscribers minus unsubscribes", settings=("unit",)),
        "TotalVisitors": ReportType(
            count_total, "all subscribers, at the end of each part of the period",
            ("area_chart", "line_chart", "column_chart"), settings=("unit",),
        ),
        "VisitorsByTag": ReportType(by_tag, "subscribers per tag", settings=("limit",)),
        "VisitorsByField": ReportType(
            by_field, "subscribers per value of a field; each element of an array counts",
            settings=("field", "limit"), needs=("field",),
        ),
        "VisitorsByDomain": ReportType(by_domain, "subscribers per e-mail domain", settings=("limit",)),
        "Events": ReportType(
            events, f"events per type: the type `event`, or the {MAX_EVENT_TYPES} most frequent",
            ("line_chart", "column_chart", "area_chart"), settings=("unit", "event"),
        ),
        "Imports": ReportType(
            imports, "created, updated, unchanged and failed rows of imports", settings=("unit",),
            counts_subscribers=False,
        ),
    }.items()
}  # fmt: skip
TYPES = HOSTED | {
    "LeavingReport": ReportType(
        unsubscribes_by_reason, "unsubscribes by reason and source", settings=("limit",)
    ),
}
