"""`make bench`: counting segments and running reports, compared with a scan of all subscribers.

The scan is `count(*)` and `count(unsubscribed_at)` over the table, without an index. Compare the ratios, not
the figures: machines differ.
"""

import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from audience import custom_fields, reports, segments, subscribers
from audience.sites import Site
from bench import instances
from bench.rows import MS, Row, parser, show
from storage import database

SCAN, GOAL = "one scan", "300 ms"
LIMIT = "SELECT count(*), count(unsubscribed_at) FROM subscribers NOT INDEXED"
RULES: dict[str, Any] = {
    "all subscribers": {"all": []},
    "tag": {"tag": "tag3"},
    "not tag": {"not": {"tag": "tag3"}},
    "field is text": {"field": "plan", "is": "PRO"},
    "field is not text": {"field": "plan", "is_not": "PRO"},
    "field contains": {"field": "city", "contains": "ri"},
    "field > number": {"field": "age", "gt": 30},
    "field > date": {"field": "renewal", "gt": "2026-06-01"},
    "created within 30 days": {"created_at": {"within_days": 30}},
    "updated within 30 days": {"updated_at": {"within_days": 30}},
    "quiet for 30 days": {"last_event_at": {"not_within_days": 30}},
    "domain": {"email_domain": "example3.com"},
    "address": {"email": "person5@example5.com"},
    "event twice in 90 days": {"event": "$purchase", "within_days": 90, "at_least": 2},
    "five conditions": {
        "all": [
            {"status": "subscribed"},
            {"field": "plan", "in": ["pro", "team"]},
            {"field": "age", "gte": 18, "lt": 65},
            {"any": [{"tag": "tag3"}, {"event": "$purchase", "within_days": 90}]},
        ]
    },
}


def middle_ms(function: Callable[[], object], runs: int) -> float:
    """The median, in milliseconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append((time.perf_counter() - start) * 1000)
    return median(times)


def scan() -> None:
    with database.session():
        database.row(LIMIT)


def measure(site: Site, runs: int) -> dict[str, float]:
    figures = {SCAN: middle_ms(scan, runs)}
    saved = {
        name: str(segments.create(site, {"name": name, "rules": rules}).id) for name, rules in RULES.items()
    }
    for name, segment_id in saved.items():
        figures[f"segment: {name}"] = middle_ms(partial(segments.counts, site, segment_id), runs)
    plans = {"field": "plan"}
    kind = "Reporting::Reports::{}Report".format
    reports.create(site, {"name": "Plans", "report_type": kind("VisitorsByField"), "settings": plans})
    for name, settings in (
        ("a year by day", {"days": 365}),
        ("a year by month", {"days": 365, "unit": "month"}),
    ):
        reports.create(
            site, {"name": f"Total, {name}", "report_type": kind("TotalVisitors"), "settings": settings}
        )
        reports.create(site, {"name": f"Events, {name}", "report_type": kind("Events"), "settings": settings})
    narrowed = {"segment_id": saved["field is text"], "settings": {"days": 365}}
    reports.create(
        site, {"name": "New subscribers of a segment, a year", "report_type": kind("NewVisitors"), **narrowed}
    )
    for row in reports.list_all(site):
        figures[f"report: {row.name}"] = middle_ms(partial(reports.run, site, str(row.id)), runs)
    query = subscribers.SearchRequest(after={}, before={}, segment_id=saved["field is text"])
    figures["search: page 1 of a segment"] = middle_ms(lambda: subscribers.search(site, query, 1), runs)
    figures["fields with their values"] = middle_ms(lambda: custom_fields.common_values(site), runs)
    return figures


def main() -> None:
    options = parser(__doc__, 1_000_000).parse_args()
    with (
        instances.filled(options.instance, options.subscribers) as instance,
        instances.opened(instance) as site,
    ):
        figures = measure(site, options.runs)
    limit = figures.pop(SCAN)
    show(
        [
            Row(what=name, ours=ms, unit=MS, limit=limit, of_limit=limit / ms, goal=GOAL)
            for name, ms in figures.items()
        ],
        options.json,
    )


if __name__ == "__main__":
    main()
