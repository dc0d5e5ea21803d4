"""Segments by calendar days, through the API, on the days on which they are easily wrong."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from audience import clock
from audience.access import sites
from tests import response_assertions

DAYS = {
    "leap": "1988-02-29", "28th": "1990-02-28", "first": "1990-03-01", "leap time": "1988-02-29T12:00:00Z",
    "late": "2001-12-31", "early": "2002-01-02", "early time": "2002-01-01T23:30:00Z", "old": "1604-03-01",
    "today": "2026-03-01", "evening": "2026-02-28T23:30:00Z", "tomorrow": "2026-03-02", "number": 20260301,
    "text": "soon", "summer": "2026-03-29", "after summer": "2026-03-29T22:00:00Z",
}  # fmt: skip


@pytest.fixture
def people(client):
    sites.set_time_zone(client.site, "Europe/Berlin")
    for name, day in DAYS.items():
        client.create(f"{name.replace(' ', '-')}@example.com", fields={"day": day})
    return client


def matching(client, monkeypatch, now, **rule):
    at = dt.datetime.fromisoformat(now).replace(tzinfo=ZoneInfo("Europe/Berlin"))
    monkeypatch.setattr(clock, "now_ms", lambda: int(at.timestamp() * 1000))
    body = {"segment": {"rules": {"field": "day", **rule}}}
    answer = response_assertions.answer(client.post("/fetch/segments/preview", body))
    return sorted(row["attributes"]["email"].partition("@")[0] for row in answer["data"])


@pytest.mark.parametrize(("now", "days", "expected"), [
    ("2025-02-28T00:00", 0, ["28th", "leap", "leap-time"]), ("2025-03-01T00:00", 0, ["first", "old"]),
    ("2024-02-28T00:00", 0, ["28th"]), ("2024-02-29T23:59", 0, ["leap", "leap-time"]),
    ("2024-03-01T00:00", 0, ["first", "old"]), ("2025-02-27T12:00", 1, ["28th", "leap", "leap-time"]),
    ("2024-02-28T12:00", 2, ["28th", "first", "leap", "leap-time", "old"]),
    ("2025-12-30T12:00", 1, ["late"]), ("2025-12-31T12:00", 2, ["early", "early-time", "late"]),
    ("2026-03-01T12:00", 0, ["first", "old"]), ("2027-03-01T12:00", 0, ["evening", "first", "old", "today"]),
    ("2001-12-31T12:00", 2, []), ("2003-01-02T12:00", 0, ["early", "early-time"]),
])  # fmt: skip
def test_anniversaries(people, monkeypatch, now, days, expected):
    assert matching(people, monkeypatch, now, anniversary_in_next_days=days) == expected


def test_anniversaries_of_a_whole_year_are_all_of_the_past(people, monkeypatch):
    found = matching(people, monkeypatch, "2025-03-01T12:00", anniversary_in_next_days=364)
    assert found == ["28th", "early", "early-time", "first", "late", "leap", "leap-time", "old"]


@pytest.mark.parametrize(("now", "rule", "expected"), [
    ("2026-03-01T00:00", {"in_next_days": 0}, ["evening", "today"]),
    ("2026-02-28T23:59", {"in_next_days": 0}, []),
    ("2026-02-28T23:59", {"in_next_days": 1}, ["evening", "today"]),
    ("2026-02-28T23:59", {"in_next_days": 2}, ["evening", "today", "tomorrow"]),
    ("2026-03-29T23:59", {"in_next_days": 0}, ["summer"]),
    ("2026-03-30T00:00", {"in_next_days": 0}, ["after-summer"]),
    ("2026-03-02T00:00", {"days_ago": 1}, ["evening", "today"]),
    ("2026-03-02T00:00", {"days_ago": 0}, ["tomorrow"]),
    ("2026-03-30T23:59", {"days_ago": 1}, ["summer"]),
])  # fmt: skip
def test_days_are_those_of_the_site(people, monkeypatch, now, rule, expected):
    assert matching(people, monkeypatch, now, **rule) == expected


def test_subscribers_who_were_created_days_ago(client, monkeypatch):
    sites.set_time_zone(client.site, "Europe/Berlin")
    for name, at in (
        ("a", "2026-02-28T22:59:59Z"),
        ("b", "2026-02-28T23:00:00Z"),
        ("c", "2026-03-01T23:00:00Z"),
    ):
        instant = dt.datetime.fromisoformat(at)
        monkeypatch.setattr(clock, "now_ms", lambda instant=instant: int(instant.timestamp() * 1000))
        client.create(f"{name}@example.com")
    for days, expected in ((0, ["c"]), (1, ["b"]), (2, ["a"])):
        body = {"segment": {"rules": {"created_at": {"days_ago": days}}}}
        answer = response_assertions.answer(client.post("/fetch/segments/preview", body))
        assert [row["attributes"]["email"][0] for row in answer["data"]] == expected


@pytest.mark.parametrize(("operator", "days"), [
    ("days_ago", -1), ("days_ago", 36_501), ("days_ago", "1"), ("in_next_days", True), ("in_next_days", 1.5),
    ("anniversary_in_next_days", 365), ("anniversary_in_next_days", "NoneType"),
])  # fmt: skip
def test_a_wrong_number_of_days_is_refused(client, operator, days):
    body = {"segment": {"rules": {"field": "day", operator: days}}}
    answer = client.post("/fetch/segments/preview", body)
    assert response_assertions.error_fields(answer) == [f"segment.rules.{operator}"]


def test_the_first_and_the_last_days_there_are(client, monkeypatch):
    client.create("a@example.com", fields={"day": "0001-01-01"})
    client.create("b@example.com", fields={"day": "9999-12-31"})
    for days in (0, 36_500):
        assert matching(client, monkeypatch, "2026-03-01T12:00", days_ago=days) == []
    found = matching(client, monkeypatch, "2025-01-01T12:00", anniversary_in_next_days=0)
    assert found == ["a"]
