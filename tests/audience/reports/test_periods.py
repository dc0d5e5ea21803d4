"""Periods: days in the site's time zone, also when the clocks change."""

import datetime as dt
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from audience.reports import periods
from tests.rows import each_row

HOUR = 3_600_000
ZONES = [
    "UTC", "Europe/Berlin", "America/New_York", "America/Havana", "America/Sao_Paulo", "Asia/Beirut",
    "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "Africa/Casablanca",
]  # fmt: skip


def at(text, zone="UTC"):
    return int(dt.datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp() * 1000)


@each_row(("settings", "zone", "hours"), [
    ({"from": "2026-03-28", "to": "2026-03-30"}, "Europe/Berlin", [24, 23, 24]),
    ({"from": "2026-10-24", "to": "2026-10-26"}, "Europe/Berlin", [24, 25, 24]),
    ({"from": "2026-03-23", "to": "2026-03-29", "unit": "week"}, "Europe/Berlin", [167]),
    ({"from": "2026-10-01", "to": "2026-10-31", "unit": "month"}, "Europe/Berlin", [31 * 24 + 1]),
    ({"from": "2018-11-03", "to": "2018-11-05"}, "America/Sao_Paulo", [24, 23, 24]),  # no midnight
    ({"from": "2018-02-16", "to": "2018-02-18"}, "America/Sao_Paulo", [24, 25, 24]),
    ({"from": "2026-10-31", "to": "2026-11-02"}, "America/Havana", [24, 25, 24]),  # midnight twice
    ({"from": "2026-04-04", "to": "2026-04-06"}, "Australia/Lord_Howe", [24, 24.5, 24]),
    ({"from": "2011-12-29", "to": "2011-12-31"}, "Pacific/Apia", [24, 0, 24]),  # a day left out
])  # fmt: skip
def test_days_are_as_long_as_the_clocks_make_them(settings, zone, hours):
    period = periods.from_settings(settings, zone, at("2026-06-01"))
    assert [(end - first) / HOUR for first, end in period.parts] == hours


@each_row(("settings", "first", "last", "parts"), [
    ({}, "2026-08-02", "2026-08-31", 30),
    ({"days": 1}, "2026-08-31", "2026-08-31", 1),
    ({"days": 7, "to": "2026-08-10"}, "2026-08-04", "2026-08-10", 7),
    ({"from": "2026-08-30"}, "2026-08-30", "2026-08-31", 2),
    ({"from": "2027-01-01"}, "2027-01-01", "2027-01-01", 1),
    ({"from": "2026-08-30", "to": "2026-09-02"}, "2026-08-30", "2026-09-02", 4),
    ({"days": 8, "unit": "week"}, "2026-08-24", "2026-08-31", 2),
    ({"days": 90, "unit": "month"}, "2026-06-01", "2026-08-01", 3),
    ({"from": "2025-12-31", "to": "2026-01-01", "unit": "month"}, "2025-12-01", "2026-01-01", 2),
    ({"from": "1970-01-01"}, "2016-08-24", "2026-08-31", 3_660),
    ({"from": "2199-12-31", "to": "2199-12-31", "unit": "month"}, "2199-12-01", "2199-12-01", 1),
])  # fmt: skip
def test_days_of_the_settings(settings, first, last, parts):
    period = periods.from_settings(settings, "UTC", at("2026-08-31T12:00"))
    assert [period.days[0].isoformat(), period.days[-1].isoformat(), len(period.days)] == [first, last, parts]


def test_a_long_period_is_not_truncated():
    period = periods.from_settings({"from": "1970-01-01"}, "UTC", at("2026-08-31T12:00"))
    assert period.whole == (0, at("2026-09-01T00:00"))


def test_today_is_the_sites_today():
    instant = at("2026-08-31T23:30")
    assert periods.from_settings({"days": 1}, "UTC", instant).days == (dt.date(2026, 8, 31),)
    assert periods.from_settings({"days": 1}, "Asia/Kathmandu", instant).days == (dt.date(2026, 9, 1),)
    assert periods.from_settings({"days": 1}, "America/Havana", at("2026-09-01T01:00")).days == (
        dt.date(2026, 8, 31),
    )


@given(
    zone=st.sampled_from(ZONES),
    day=st.dates(dt.date(1971, 1, 1), dt.date(2037, 1, 1)),
    unit=st.sampled_from(["day", "week", "month"]),
    days=st.integers(1, 800),
    instant=st.floats(0, 1, exclude_max=True),
)
def test_every_instant_falls_into_the_part_of_its_local_day(zone, day, unit, days, instant):
    settings = {"from": day.isoformat(), "to": (day + dt.timedelta(days)).isoformat(), "unit": unit}
    period = periods.from_settings(settings, zone, 0)
    first, end = period.whole
    when = first + int((end - first) * instant)
    local = dt.datetime.fromtimestamp(when / 1000, ZoneInfo(zone)).date()
    [part] = [index for index, (lower, upper) in enumerate(period.parts) if lower <= when < upper]
    assert period.days[part] <= local
    assert part + 1 == len(period.days) or local < period.days[part + 1]
