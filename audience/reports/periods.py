"""Periods of days in a site's time zone, cut into days, weeks or months."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

MAX_DAYS = 3_660
DEFAULT_DAYS = 30
ONE_DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class Period:
    """A period in parts. `days` has the first day of each; part i lasts from `bounds[i]` to `bounds[i + 1]`.

    `whole` is (start, end), and may start before the first part. Instants are in milliseconds.
    """

    days: tuple[dt.date, ...]
    bounds: tuple[int, ...]
    whole: tuple[int, int]

    @property
    def parts(self) -> list[tuple[int, int]]:
        return list(zip(self.bounds, self.bounds[1:], strict=False))

    def last(self, count: int) -> "Period":
        """A period of the last `count` parts."""
        bounds = self.bounds[-count - 1 :]
        return Period(self.days[-count:], bounds, (bounds[0], bounds[-1]))


def from_settings(settings: Mapping[str, Any], time_zone: str, at: int) -> Period:
    """The period of the settings `unit`, `days`, `from` and `to` at an instant `at`, in milliseconds.

    The default is the last 30 days. A period begins with a whole week or month. Only its last 3,660 days are
    cut into parts.
    """
    zone, unit = ZoneInfo(time_zone), settings.get("unit", "day")
    first, last = _days(settings, day_of(at, time_zone))
    days = [_begin(max(first, last - (MAX_DAYS - 1) * ONE_DAY), unit)]
    while days[-1] <= last:
        days.append(_next(days[-1], unit))
    bounds = tuple(_midnight(day, zone) for day in days)
    begin = min(bounds[0], _midnight(_begin(first, unit), zone))
    return Period(tuple(days[:-1]), bounds, (begin, bounds[-1]))


def day_of(at: int, time_zone: str) -> dt.date:
    """The day, in a time zone, of an instant in milliseconds."""
    return dt.datetime.fromtimestamp(at / 1000, ZoneInfo(time_zone)).date()


def _days(settings: Mapping[str, Any], today: dt.date) -> tuple[dt.date, dt.date]:
    """The first and the last day of a period."""
    if "to" in settings:
        last = dt.date.fromisoformat(settings["to"])
    elif "from" in settings:
        last = max(today, dt.date.fromisoformat(settings["from"]))
    else:
        last = today
    if "from" not in settings:
        return last - (settings.get("days", DEFAULT_DAYS) - 1) * ONE_DAY, last
    return dt.date.fromisoformat(settings["from"]), last


def _begin(day: dt.date, unit: str) -> dt.date:
    if unit == "week":
        return day - day.weekday() * ONE_DAY
    return day.replace(day=1) if unit == "month" else day


def _next(day: dt.date, unit: str) -> dt.date:
    if unit == "month":
        return (day.replace(day=1) + 31 * ONE_DAY).replace(day=1)
    return day + (7 if unit == "week" else 1) * ONE_DAY


def _midnight(day: dt.date, zone: ZoneInfo) -> int:
    """The start of a day in milliseconds. If clocks skip midnight, the skip (PEP 495, `fold=0`)."""
    return int(dt.datetime.combine(day, dt.time(), zone).timestamp() * 1000)
