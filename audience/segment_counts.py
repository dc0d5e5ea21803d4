"""How many each saved segment had, once a day (UTC), for as long as `KEPT_DAYS`."""

import datetime as dt
import time
from collections.abc import Mapping
from contextlib import suppress

from audience import clock, segments
from audience.errors import AudienceError
from audience.sites import Site
from storage import database
from storage import segment_counts as stored
from storage import segments as stored_segments

KEPT_DAYS = 400
SHOWN_DAYS = 90
SWEEP_SECONDS = 0.5
MOST_DUE = 1_000


def sweep() -> None:
    """Counts some of the segments that were not counted today; call it again and again."""
    deadline, today = time.monotonic() + SWEEP_SECONDS, _today()
    with database.session():
        due = stored.due(today.isoformat(), MOST_DUE)
    for site_id, segment_id in due:
        with suppress(AudienceError):  # deleted meanwhile
            _count(site_id, segment_id, today)
        if time.monotonic() > deadline:
            return


def _count(site_id: int, segment_id: int, today: dt.date) -> None:
    with database.session():
        people, _ = stored_segments.count(site_id, segments.matching(site_id, str(segment_id)))
    with database.write(site_id):
        segments.require(site_id, str(segment_id))
        stored.put(site_id, segment_id, today.isoformat(), people)
        stored.forget(site_id, segment_id, _ago(today, KEPT_DAYS))


@database.session()
def by_segment(site: Site, days: int = SHOWN_DAYS) -> Mapping[int, list[int]]:
    """The counts of the last days by segment id, oldest first."""
    counts: dict[int, list[int]] = {}
    for segment_id, _, people in stored.of_site(site.id, _ago(_today(), days)):
        counts.setdefault(segment_id, []).append(people)
    return counts


def _today() -> dt.date:
    return dt.datetime.fromtimestamp(clock.now_ms() / 1000, dt.UTC).date()


def _ago(day: dt.date, days: int) -> str:
    return (day - dt.timedelta(days=days)).isoformat()
