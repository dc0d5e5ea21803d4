"""Periods of days in a site's time zone, cut into days, weeks or months."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

MOST_DAYS = 3_660
DAYS = 30
ONE_DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class Period:
    """`days` are the first days of its parts; each lasts from a bound, in milliseconds, to the next one."""

    days: tuple[dt.date, ...]
    bounds: tuple[int, ...]

    @property
    def whole(self) -> tuple[int, int]:
        return self.bounds[0], self.bounds[-1]

    @property
    def parts(self) -> list[tuple[int, int]]:
        return list(zip(self.bounds, self.bounds[1:], strict=False))


def of(settings: Mapping[str, Any], time_zone: str, at: int) -> Period:
    """The period that `unit`, `days`, `from` and `to` name as of an instant; by default the last 30 days.

    It begins with a whole week or month, and is cut to 3,660 days.
    """
    zone, unit = ZoneInfo(time_zone), settings.get("unit", "day")
    today = dt.datetime.fromtimestamp(at / 1000, zone).date()
    first, last = _days(settings, today)
    days = [_begin(first, unit)]
    while days[-1] <= last:
        days.append(_next(days[-1], unit))
    return Period(tuple(days[:-1]), tuple(_midnight(day, zone) for day in days))


def _days(settings: Mapping[str, Any], today: dt.date) -> tuple[dt.date, dt.date]:
    """The first and the last day."""
    if "to" in settings:
        last = dt.date.fromisoformat(settings["to"])
    elif "from" in settings:
        last = max(today, dt.date.fromisoformat(settings["from"]))
    else:
        last = today
    if "from" not in settings:
        return last - (settings.get("days", DAYS) - 1) * ONE_DAY, last
    first = dt.date.fromisoformat(settings["from"])
    return first, min(last, first + (MOST_DAYS - 1) * ONE_DAY)


def _begin(day: dt.date, unit: str) -> dt.date:
    if unit == "week":
        return day - day.weekday() * ONE_DAY
    return day.replace(day=1) if unit == "month" else day


def _next(day: dt.date, unit: str) -> dt.date:
    if unit == "month":
        return (day.replace(day=1) + 31 * ONE_DAY).replace(day=1)
    return day + (7 if unit == "week" else 1) * ONE_DAY


def _midnight(day: dt.date, zone: ZoneInfo) -> int:
    """When a day begins; where the clocks leave midnight out, when they do (PEP 495, `fold=0`)."""
    return int(dt.datetime.combine(day, dt.time(), zone).timestamp() * 1000)
