"""How many subscribers each saved segment had, counted once a day (UTC), and kept for `KEPT_DAYS`."""

import datetime as dt
from collections.abc import Mapping

from audience import clock
from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.jobs import DB, Job, Kind
from audience.segments import segments
from storage import database
from storage.segments import counts as stored
from storage.segments import members as stored_members
from storage.segments import segments as stored_segments

KEPT_DAYS = 400
SHOWN_DAYS = 90
SPREAD_MS = 600_000


def _step(job: Job, _deadline: float) -> int:
    """Counts a segment for today. Returns the milliseconds until the next count."""
    site_id, segment_id, today = job.site_id, job.subject, _today()
    with database.snapshot():
        count, _ = stored_members.count(site_id, segments.members(site_id, str(segment_id)))
    with database.write(site_id):
        segments.require(site_id, str(segment_id))  # a count may outlast the lease, and counts
        stored.put(site_id, segment_id, today.isoformat(), count)
        stored.forget(site_id, segment_id, _ago(today, KEPT_DAYS))
    return _until_tomorrow(segment_id)


KIND = Kind(stored_segments.JOB, DB, _step)


def _until_tomorrow(segment_id: int) -> int:
    """Milliseconds until the next count, up to ten minutes after midnight (UTC): spread over the segments."""
    return DAY_MS - clock.now_ms() % DAY_MS + segment_id * 1_000 % SPREAD_MS


@database.session()
def by_segment(site: Site, days: int = SHOWN_DAYS) -> Mapping[int, list[int]]:
    """The daily counts of the last `days`, oldest first, by segment id."""
    counts: dict[int, list[int]] = {}
    for segment_id, _, count in stored.site_counts(site.id, _ago(_today(), days)):
        counts.setdefault(segment_id, []).append(count)
    return counts


def _today() -> dt.date:
    return dt.datetime.fromtimestamp(clock.now_ms() / 1000, dt.UTC).date()


def _ago(day: dt.date, days: int) -> str:
    return (day - dt.timedelta(days=days)).isoformat()
