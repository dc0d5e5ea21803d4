"""Counts: kept by every change, equal to what counting gives, and repaired where they are not."""

import datetime as dt

import pytest

from audience import clock
from audience.clock import DAY_MS
from audience.reports import growth, periods
from audience.subscribers import stats
from audience.subscribers.stats import Counts
from storage import database
from storage.access import sites as stored
from storage.subscribers import tags


@pytest.fixture
def site(client):
    for email in ("ann@example.com", "bob@example.com", "eve@example.org"):
        client.create(email, tags="vip")
    client.post("/fetch/commands", {"command": [{"command": "unsubscribe", "email": "bob@example.com"}]})
    return client.site


def test_the_counts_of_a_site_are_its_own(site, other_client):
    other_client.create("ann@example.com", tags="vip")
    assert stats.for_site(site) == stats.recount(site) == Counts(3, 1)
    assert stats.for_site(site).subscribers == 2
    assert stats.for_site(other_client.site) == Counts(1, 0)


def test_wrong_counts_are_told_and_repaired(site, other_client):
    other_client.create("ann@example.com", tags="vip")
    with database.write():
        for each in (site, other_client.site):
            stored.put_counters(each.id, 70, 7)
            tags.put_bearers(each.id, {tag.id: 5 for tag in tags.list_all(each.id)})
    assert stats.stored_and_counted(site) == (Counts(70, 7), Counts(3, 1))
    assert stats.wrong_counters(site) == ["tags"]
    stats.repair(site)
    assert stats.stored_and_counted(site) == (Counts(3, 1), Counts(3, 1))
    assert stats.wrong_counters(site) == []
    assert stats.for_site(other_client.site) == Counts(70, 7)
    assert stats.wrong_counters(other_client.site) == ["tags"]


def test_growth_is_of_the_days_on_which_they_came_and_left(site):
    today = dt.datetime.fromtimestamp(clock.now_ms() / 1000, dt.UTC).date()
    yesterday = today - dt.timedelta(days=1)
    with database.write():
        database.execute(
            "UPDATE subscribers SET created_at = created_at - ? WHERE email = 'ann@example.com'", (DAY_MS,)
        )
    settings = {"from": str(yesterday), "to": str(today)}
    grown = growth.measure(site, periods.from_settings(settings, "UTC", clock.now_ms()))
    assert (grown.new, grown.unsubscribed, grown.net) == ([1, 2], [0, 1], [1, 1])
