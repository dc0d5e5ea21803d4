"""The record of changes ends after its time, and no place before its end is good again."""

import pytest

from audience import clock
from audience.changes import log as change_log
from audience.changes import pages as change_log_pages
from audience.changes import retention as change_log_retention
from audience.clock import DAY_MS
from audience.erasures import erasures
from audience.errors import Refused
from audience.sources import RESTORE
from audience.subscribers import subscribers
from storage import database
from tests.audience.changes.test_change_log import ANN, BOB, sizes

pytestmark = pytest.mark.usefixtures("small_parts")


def test_what_is_too_old_is_dropped_and_a_quiet_place_stays_good(site, folder, later, monkeypatch):
    monkeypatch.setattr(change_log_retention, "ROWS_AT_ONCE", 2)
    for email in (ANN, BOB, "cy@a.example"):
        subscribers.create(site, {"email": email})
        subscribers.create(site, {"email": email, "first_name": "New"})
    erasures.erase(site, folder, BOB)
    last = change_log_pages.newest_number(site)
    later(29 * DAY_MS)
    change_log_retention.sweep(30)
    assert len(change_log_pages.page(site, 0, 100).changes) == last
    later(2 * DAY_MS)
    change_log_retention.sweep(30)
    page = change_log_pages.page(site, last, 100)
    assert (page.changes, page.oldest, page.newest, page.next) == ([], last + 1, last, last)
    with pytest.raises(Refused):
        change_log_pages.page(site, last - 1, 100)
    assert sizes(site) == (0, 0, 0, 0)
    subscribers.create(site, {"email": "dy@a.example"})
    assert [each.kind for each in change_log_pages.page(site, last, 100).changes] == ["created"]


def test_nobody_goes_on_behind_a_reset(site):
    subscribers.create(site, {"email": ANN})
    with database.write():
        change_log.record_reset(site.id, RESTORE, clock.now_ms() * 1000)
    page = change_log_pages.page(site, None, 1)
    for place in (0, 1):
        with pytest.raises(Refused):
            change_log_pages.page(site, place, 1)
    [reset] = change_log_pages.page(site, page.newest - 1, 1).changes
    assert (reset.kind, reset.source, reset.uuid, reset.changed) == ("reset", ("restore", None), None, {})
    subscribers.create(site, {"email": BOB})
    assert change_log_pages.page(site, page.newest, 5).changes[0].email == BOB


def test_a_sweep_after_a_reset_makes_no_old_place_good_again(site, later):
    subscribers.create(site, {"email": ANN})
    later(31 * DAY_MS)
    with database.write():
        change_log.record_reset(site.id, RESTORE, clock.now_ms() * 1000)
    change_log_retention.sweep(30)
    for place in (0, 1, 2):
        with pytest.raises(Refused):
            change_log_pages.page(site, place, 1)


def test_what_came_after_a_clock_that_was_ahead_is_dropped_after_it(site, later):
    for days in (0, 20, -20):
        later(days * DAY_MS)
        subscribers.create(site, {"email": f"{days}@a.example"})
    for days, kept in ((31, [2, 3]), (20, [])):
        later(days * DAY_MS)
        change_log_retention.sweep(30)
        page = change_log_pages.page(site, None, 100)
        found = change_log_pages.page(site, page.oldest - 1, 100).changes
        assert [each.number for each in found] == kept
