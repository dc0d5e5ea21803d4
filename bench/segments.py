"""Counting segments and running reports, in one process, compared with a scan of all subscribers.

The scan is `count(*)` and `count(unsubscribed_at)` over the table, without an index. It leaves out the
values, tags and events that a rule asks for. Each round has the scan and all others, the median of the runs.
"""

from functools import partial
from pathlib import Path
from typing import Any

from audience.access.sites import Site
from audience.reports import reports
from audience.searches import searches
from audience.segments import segments
from audience.subscribers import custom_fields
from bench import instances, people, scans
from bench.rows import Row

GOAL_MS = 300
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
    "address": {"email": people.email(5)},
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


def calls_of(site: Site) -> dict[str, scans.Call]:
    saved = {
        name: str(segments.create(site, {"name": name, "rules": rules}).id) for name, rules in RULES.items()
    }
    save_reports(site, saved["field is text"])
    query = searches.SearchRequest(after={}, before={}, segment_id=saved["field is text"])
    counted = {
        f"segment: {name}": partial(segments.counts, site, conditions) for name, conditions in saved.items()
    }
    run = {f"report: {row.name}": partial(reports.run, site, str(row.id)) for row in reports.list_all(site)}
    return {
        **counted,
        **run,
        "search: page 1 of a segment": partial(searches.search, site, query, 1),
        "fields with their values": partial(custom_fields.common_values, site),
    }


def save_reports(site: Site, segment_id: str) -> None:
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
    narrowed = {"segment_id": segment_id, "settings": {"days": 365}}
    reports.create(
        site, {"name": "New subscribers of a segment, a year", "report_type": kind("NewVisitors"), **narrowed}
    )


def measure(instance: Path, _: int, runs: int) -> list[Row]:
    with instances.open_instance(instance) as site:
        calls = calls_of(site)
        return scans.rows(calls, dict.fromkeys(calls, GOAL_MS), runs)
