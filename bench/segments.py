"""`make bench`: counting segments and running reports, compared with a scan of all subscribers.

The scan is `count(*)` and `count(unsubscribed_at)` over the table, without an index. Compare the ratios, not
the figures: machines differ.
"""

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from audience import clock, custom_fields, pepper, reports, segments, sites, subscribers
from audience.changes import Change
from audience.config import Settings
from audience.sites import Site
from storage import database, events
from storage.events import Event

BATCH = 10_000
DAY_MS = 86_400_000
SPAN_MS = 365 * DAY_MS
RUNS = 3
TAGS = 20
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


def fill(site: Site, total: int) -> None:
    """A year of subscribers, each with four custom values, two tags, one event; a tenth unsubscribed."""
    at, chance = clock.now_ms(), random.Random(7)
    for first in range(0, total, BATCH):
        numbers = range(first, min(first + BATCH, total))
        batch = [person(number, at - SPAN_MS + SPAN_MS * number // total, chance) for number in numbers]
        with database.write():
            accepted = subscribers.accept_now(site.id)._replace(at=2**62)  # some dates are after now
            ids = subscribers.write(site.id, batch, accepted).ids
            events.add(site.id, [event(ids[each.key], each, chance) for each in batch], at)


def person(number: int, created_at: int, chance: random.Random) -> Change:
    email = f"person{number}@example{number % 500}.com"
    dates = {"created_at": created_at, "updated_at": created_at + chance.randrange(SPAN_MS)}
    if number % 3:
        dates["last_event_at"] = created_at + chance.randrange(30 * DAY_MS)
    if number % 10 == 0:
        dates["unsubscribed_at"] = created_at + 1000
    return Change(
        email, email, "Ann", "Lee",
        {
            "plan": chance.choice(["pro", "free", "Team", "café"]),
            "age": chance.randrange(90),
            "city": chance.choice(["Oslo", "Zürich", "Paris", "Rome"]),
            "renewal": f"2026-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
        },
        [f"tag{tag}" for tag in sorted(chance.sample(range(TAGS), 2))],
        dates=dates,
    )  # fmt: skip


def event(subscriber_id: int, row: Change, chance: random.Random) -> Event:
    return Event(
        subscriber_id,
        chance.choice(["$purchase", "visit", "open"]),
        "{}",
        None,
        row.dates["created_at"] + chance.randrange(DAY_MS),
    )


def best_ms(function: Callable[[], object]) -> float:
    """The shortest of `RUNS` runs, in milliseconds."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        function()
        times.append((time.perf_counter() - start) * 1000)
    return min(times)


def scan() -> None:
    with database.session():
        database.row(LIMIT)


def measure(site: Site) -> dict[str, float]:
    figures = {"limit: one scan": best_ms(scan)}
    saved = {
        name: str(segments.create(site, {"name": name, "rules": rules}).id) for name, rules in RULES.items()
    }
    for name, segment_id in saved.items():
        figures[f"segment: {name}"] = best_ms(lambda id_=segment_id: segments.counts(site, id_))  # type: ignore[misc]
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
        figures[f"report: {row.name}"] = best_ms(lambda id_=str(row.id): reports.run(site, id_))  # type: ignore[misc]
    query = subscribers.SearchRequest(after={}, before={}, segment_id=saved["field is text"])
    figures["search: page 1 of a segment"] = best_ms(lambda: subscribers.search(site, query, 1))
    figures["fields with their values"] = best_ms(lambda: custom_fields.common_values(site))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subscribers", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(instance=Path(folder))
        pepper.open(settings.instance)
        database.open(settings.database)
        database.migrate()
        site = sites.create("bench")
        fill(site, options.subscribers)
        figures = measure(site)
        database.close()
    limit = figures["limit: one scan"]
    if options.json:
        print(json.dumps({name: {"ms": ms, "of_limit": ms / limit} for name, ms in figures.items()}))
        return
    print(f"{options.subscribers:,} subscribers, {os.cpu_count()} cores\n\n{'':44}{'ms':>8}{'scans':>8}")
    for name, ms in figures.items():
        print(f"{name:44}{ms:8.0f}{ms / limit:8.2f}")


if __name__ == "__main__":
    main()
