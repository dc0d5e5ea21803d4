"""Dates as files write them: ISO 8601, Go's and Excel's forms, day first or month first (docs/files.md)."""

import datetime as dt
import re

from schemas import values
from schemas.formats.csv_values import stripped

ISO, DMY, MDY = "iso", "dmy", "mdy"
FILE_DATE = (
    "Write the date as 2026-08-21, 21.08.2026, 21/08/2026 or 08/21/2026, with four digits for the year, "
    "and the time after it as 14:05:09 or 2:05:09 PM."
)
MAX_LENGTH = 80  # of a date in Go's form
MONTHS = 12
EXCEL_EPOCH = dt.datetime(1899, 12, 30, tzinfo=dt.UTC)
SERIAL = re.compile(r"[2-7]\d{4}(?:\.\d{1,15})?", re.ASCII)  # days since then: from 1954 to 2119
SECONDS = r"(?::(?P<second>\d\d)(?P<fraction>\.\d{1,9})?)?"
TIME = rf"(?P<hour>\d{{1,2}}):(?P<minute>\d\d){SECONDS}(?: ?(?P<half>[AP])\.?M\.?)?"
GO_ZONE = r"(?P<offset>[+-]\d\d:?\d\d)(?: (?:[A-Z]{1,5}|[+-]\d{2,4}))?(?: M=[+-][\d.]{1,20})?"
REST = rf"(?:(?:,? |T){TIME}(?: ?(?:{GO_ZONE}|Z|UTC|GMT))?)?"
YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})([-/.])(?P<month>\d{{1,2}})\2(?P<day>\d{{1,2}}){REST}", re.ASCII)
YEAR_LAST = re.compile(
    rf"(?P<first>\d{{1,2}})(?P<mark>[-/.])(?P<second_number>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}){REST}",
    re.ASCII,
)


class DateOrder:
    """Whether day or month comes first in the dates of one column, told by a number above 12."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def see(self, cell: str) -> None:
        match = YEAR_LAST.fullmatch(_normal(cell))
        if match is None or match["mark"] == ".":
            return
        first, second = int(match["first"]), int(match["second_number"])
        if first > MONTHS >= second:
            self._seen.add(DMY)
        elif second > MONTHS >= first:
            self._seen.add(MDY)
        elif first != second:
            self._seen.add("either")

    def order(self) -> str | None:
        """`ISO` if no cell depends on it; None if it could be either, or if cells contradict each other."""
        decided = self._seen & {DMY, MDY}
        if len(decided) == 1:
            return decided.pop()
        return None if self._seen else ISO


def read_date(cell: str, order: str = ISO) -> int:
    """Milliseconds since 1970; midnight and UTC unless given. Raises `ValueError` with `FILE_DATE`."""
    text = _normal(cell)
    try:
        return values.read_date(text)
    except ValueError:
        pass
    try:
        instant = _excel(text) if SERIAL.fullmatch(text) else _written(text, order)
        return (instant - values.EPOCH) // values.MILLISECOND
    except (ValueError, OverflowError) as error:
        raise ValueError(FILE_DATE) from error


def _normal(cell: str) -> str:
    """In capitals, with single blanks; nothing if it is too long for a date."""
    text = stripped(cell)
    return " ".join(text.upper().split()) if len(text) <= MAX_LENGTH else ""


def _excel(text: str) -> dt.datetime:
    return EXCEL_EPOCH + dt.timedelta(seconds=round(float(text) * 86_400))


def _written(text: str, order: str) -> dt.datetime:
    if match := YEAR_FIRST.fullmatch(text):
        return _instant(match, int(match["month"]), int(match["day"]))
    match = YEAR_LAST.fullmatch(text)
    if match is None:
        raise ValueError
    first, second = int(match["first"]), int(match["second_number"])
    if match["mark"] == "." or order == DMY or first == second:
        return _instant(match, second, first)
    if order == MDY:
        return _instant(match, first, second)
    raise ValueError


def _instant(match: re.Match[str], month: int, day: int) -> dt.datetime:
    hour, half = int(match["hour"] or 0), match["half"]
    if half:
        if not 1 <= hour <= MONTHS:
            raise ValueError
        hour = hour % 12 + (12 if half == "P" else 0)
    instant = dt.datetime(
        int(match["year"]),
        month,
        day,
        hour,
        int(match["minute"] or 0),
        int(match["second"] or 0),
        tzinfo=dt.UTC,
    )
    return instant + dt.timedelta(seconds=float(match["fraction"] or 0)) - _offset(match["offset"])


def _offset(text: str | None) -> dt.timedelta:
    if not text:
        return dt.timedelta()
    digits = text[1:].replace(":", "")
    size = dt.timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -size if text[0] == "-" else size
