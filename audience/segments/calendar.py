"""Calendar days of a time zone, counted from today, as segment rules compare them."""

import datetime as dt

from schemas.values import EPOCH
from storage.segments.nodes import Days

FIRST_YEAR = 1900  # of anniversaries of dates with a time
MILLISECOND = dt.timedelta(milliseconds=1)


def days_ago(count: int, at: int, zone: dt.tzinfo) -> Days:
    """The day that is `count` days before the day of the instant `at` (milliseconds)."""
    day = _day(at, zone) - dt.timedelta(days=count)
    return _days(day, day + dt.timedelta(days=1), zone)


def next_days(count: int, at: int, zone: dt.tzinfo) -> Days:
    """The days from the day of the instant `at` (milliseconds) to `count` days later, inclusive."""
    today = _day(at, zone)
    return _days(today, today + dt.timedelta(days=count + 1), zone)


def anniversaries(count: int, at: int, zone: dt.tzinfo) -> Days:
    """The days of earlier years whose anniversary is from the day of `at` to `count` days later.

    `at` is in milliseconds. The anniversary of 29 February is 28 February in years without that day.
    """
    first = _day(at, zone)
    end = first + dt.timedelta(days=count + 1)
    timed = tuple(
        (
            _midnight(_in_year(first, year), zone),
            _midnight(_in_year(end, year + end.year - first.year), zone),
        )
        for year in range(FIRST_YEAR, first.year)
    )
    before = _midnight(_in_year(end, end.year - 1), dt.UTC)
    return Days((-(2**62), before), timed, (f"{first:%m-%d}", f"{end:%m-%d}"))


def _days(first: dt.date, end: dt.date, zone: dt.tzinfo) -> Days:
    """The days from `first` to the day before `end`."""
    whole = _midnight(first, dt.UTC), _midnight(end, dt.UTC)
    return Days(whole, ((_midnight(first, zone), _midnight(end, zone)),))


def _day(at: int, zone: dt.tzinfo) -> dt.date:
    return (EPOCH + at * MILLISECOND).astimezone(zone).date()


def _in_year(day: dt.date, year: int) -> dt.date:
    """The same day of another year; for 29 February, 1 March in years without it.

    `day` is the first of a range, or the day after its last.
    """
    try:
        return day.replace(year=year)
    except ValueError:
        return dt.date(year, 3, 1)


def _midnight(day: dt.date, zone: dt.tzinfo) -> int:
    """The first instant of a day in a time zone, in milliseconds since 1970."""
    local = dt.datetime.combine(day, dt.time(), zone)
    return (local - EPOCH) // MILLISECOND
