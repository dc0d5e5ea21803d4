"""The demo's segments, and how many subscribers each had on earlier days."""

import datetime as dt
from bisect import bisect_right
from collections.abc import Sequence

from audience import clock
from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.searches import exports
from audience.segments import segments
from audience.segments.segments import Segment
from storage import database
from storage.segments import counts as segment_counts

DAYS = 90
SEGMENTS = (  # oldest first
    ("No first name", {"field": "first_name", "missing": True}),
    ("Press", {"tag": "press"}),
    ("Silent for a year", {"all": [{"status": "subscribed"}, {"last_event_at": {"not_within_days": 365}}]}),
    ("Fair visitors", {"any": [{"tag": "fair-2026"}, {"field": "source", "is": "fair"}]}),
    ("Low Countries", {"field": "country", "in": ["Netherlands", "Belgium"]}),
    ("Beta circle", {"all": [{"tag": "beta"}, {"status": "subscribed"}]}),
    ("Paying", {"all": [{"status": "subscribed"}, {"field": "plan", "in": ["monthly", "yearly", "team"]}]}),
    ("Readers of 90 days", {"event": "$open", "within_days": 90}),
    ("Warm and paying", {"all": [
        {"status": "subscribed"},
        {"field": "plan", "in": ["monthly", "yearly"]},
        {"any": [
            {"tag": "vip"},
            {"event": "$purchase", "within_days": 90, "at_least": 2},
            {"created_at": {"within_days": 30}},
        ]},
        {"not": {"any": [
            {"email_domain": "briefkasten.example"},
            {"last_event_at": {"not_within_days": 180}},
        ]}},
    ]}),
)  # fmt: skip


def create(site: Site) -> None:
    """Creates segments, with the counts that the present subscribers would have given on earlier days."""
    for name, rules in SEGMENTS:
        segment = segments.create(site, {"name": name, "rules": rules})
        created = [
            subscriber.created_at for page in exports.pages(site, str(segment.id)) for subscriber, _ in page
        ]
        _count_days(site, segment, sorted(created))


@database.writes_site
def _count_days(site: Site, segment: Segment, created: Sequence[int]) -> None:
    for age in range(DAYS - 1, -1, -1):
        at = clock.now_ms() - age * DAY_MS
        day = dt.datetime.fromtimestamp(at / 1000, dt.UTC).date().isoformat()
        segment_counts.put(site.id, segment.id, day, bisect_right(created, at))
