"""The demo's segments, and how many subscribers each had on earlier days."""

import datetime as dt
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from audience import clock
from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.searches import exports
from audience.segments import segments
from audience.segments.segments import Segment
from storage import database
from storage.segments import counts as segment_counts

DAYS = 90


def create(site: Site, items: Sequence[Mapping[str, Any]]) -> None:
    """Creates segments, with the counts that the present subscribers would have given on earlier days."""
    for item in items:
        segment = segments.create(site, item)
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
