"""Dates as files write them (docs/files.md)."""

import datetime as dt
import re
import unicodedata

from schemas import values
from schemas.formats.csv_values import strip

ISO, DMY, MDY, EPOCH = "iso", "dmy", "mdy", "epoch"
FORMS = (ISO, DMY, MDY, EPOCH)
FILE_DATE = (
    "Write the date as 2026-08-21, 21.08.2026, 21/08/2026, 08/21/2026 or 21 August 2026, with four digits "
    "for the year, and the time after it as 14:05:09 or 2:05:09 PM."
)
MAX_LENGTH = 80  # of a date in Go's form, or JavaScript's
CENTURY = 1969  # two digits of a year are of the hundred years from it
EXCEL_EPOCH = dt.datetime(1899, 12, 30)  # noqa: DTZ001 (a workbook's dates have no zone)
SERIAL = re.compile(r"[2-7]\d{4}(?:\.\d{1,15})?", re.ASCII)  # days since then: from 1954 to 2119
SINCE_1970 = re.compile(r"(?:(?P<seconds>\d{9,10})|(?P<milliseconds>\d{12,13}))(?:\.0+)?", re.ASCII)

MONTHS = (
    "JANUARY JANUAR JANVIER ENERO GENNAIO JANUARI JANEIRO",
    "FEBRUARY FEBRUAR FEVRIER FEBRERO FEBBRAIO FEBRUARI FEVEREIRO",
    "MARCH MARZ MARS MARZO MAART MARCO MRZ MRT",
    "APRIL AVRIL ABRIL APRILE",
    "MAY MAI MAYO MAGGIO MEI MAIO",
    "JUNE JUNI JUIN JUNIO GIUGNO JUNHO",
    "JULY JULI JUILLET JULIO LUGLIO JULHO",
    "AUGUST AOUT AGOSTO AUGUSTUS",
    "SEPTEMBER SEPTEMBRE SEPTIEMBRE SETTEMBRE SETEMBRO",
    "OCTOBER OKTOBER OCTOBRE OCTUBRE OTTOBRE OUTUBRO",
    "NOVEMBER NOVEMBRE NOVIEMBRE NOVEMBRO",
    "DECEMBER DEZEMBER DECEMBRE DICIEMBRE DICEMBRE DEZEMBRO",
)
HOURS = {"UT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}

NUMBER = r"\d{1,2}"
NAME = r"(?P<name>[A-Z]{3,10})\.?"
SECONDS = r"(?::(?P<seconds>\d\d)(?P<fraction>\.\d{1,9})?)?"
TIME = rf"(?P<hour>{NUMBER})(?::(?P<minute>\d\d){SECONDS})?(?: ?(?P<half>[AP])\.?M\.?)?"
OFFSET = r"(?:UTC|GMT)?(?P<offset>[+-]\d\d:?\d\d)(?: (?:[A-Z]{1,5}|[+-]\d{2,4}))?(?: M=[+-][\d.]{1,20})?"
ZONE = rf"(?: ?(?:{OFFSET}|(?P<zone>Z|UTC|GMT|{'|'.join(HOURS)}))(?: \([^()]*\))?)?"
REST = rf"(?:(?:,? |, ?|T| AT ){TIME}{ZONE})?"
WEEKDAY = r"(?:(?:MON|TUE|WED|THU|FRI|SAT|SUN)[A-Z]{0,6}\.?,? )?"
YEAR = r"(?P<year>\d{4}|\d\d)"
DAY = rf"(?P<day>{NUMBER})"
YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})([-/.])(?P<month>{NUMBER})\2{DAY}{REST}", re.ASCII)
NUMBERS = re.compile(
    rf"(?P<first>{NUMBER})(?P<mark>[-/.])(?P<second>{NUMBER})(?P=mark){YEAR}{REST}", re.ASCII
)
DAY_AND_NAME = re.compile(
    rf"{WEEKDAY}{DAY}(?:ST|ND|RD|TH|\.)?[-/ ]?(?:OF |DE )?{NAME},?[-/ ]?(?:DE )?{YEAR}{REST}", re.ASCII
)
NAME_AND_DAY = re.compile(rf"{WEEKDAY}{NAME} {DAY}(?:ST|ND|RD|TH)?,? (?P<year>\d{{4}}){REST}", re.ASCII)
YEAR_AT_END = re.compile(rf"{WEEKDAY}{NAME} {DAY} {TIME}{ZONE} (?P<year>\d{{4}})", re.ASCII)
YEAR_AND_NAME = re.compile(rf"(?P<year>\d{{4}})[-/ ]{NAME}[-/ ]{DAY}{REST}", re.ASCII)
PATTERNS = (YEAR_FIRST, NUMBERS, DAY_AND_NAME, NAME_AND_DAY, YEAR_AT_END, YEAR_AND_NAME)


def _beginnings() -> dict[str, int]:
    """The number of each month, by each beginning of its names (three letters or more) that is its alone."""
    numbers: dict[str, set[int]] = {}
    for month, names in enumerate(MONTHS, 1):
        for name in names.split():
            for end in range(3, len(name) + 1):
                numbers.setdefault(name[:end], set()).add(month)
    return {beginning: months.pop() for beginning, months in numbers.items() if len(months) == 1}


BY_NAME = _beginnings()


def read_date(cell: str, form: str = ISO, zone: dt.tzinfo = dt.UTC) -> int:
    """The instant of a date in a cell, in milliseconds since 1970. `form` is that of the column's dates.

    A date without a zone is in `zone`; one without a time becomes a `WholeDay`. Raises `ValueError`.
    """
    return _read(_normal(cell), form, zone)


def forms_of(cell: str) -> set[str]:
    """The forms that can read a cell."""
    text = _normal(cell)
    return (
        {ISO, DMY, MDY}
        if _can_read(text, ISO)
        else {form for form in (DMY, MDY, EPOCH) if _can_read(text, form)}
    )


def has_short_year(cell: str) -> bool:
    """Whether a date is in numbers, with a year of two digits."""
    match = NUMBERS.fullmatch(_normal(cell))
    return match is not None and len(match["year"]) == 2


def _can_read(text: str, form: str) -> bool:
    try:
        _read(text, form, dt.UTC)
    except ValueError:
        return False
    return True


def _read(text: str, form: str, zone: dt.tzinfo) -> int:
    """The instant of a date, in milliseconds since 1970. Raises `ValueError`."""
    try:
        if form == EPOCH:
            return _read_epoch(text)
        if text[:4].isdigit() and (at := _iso(text, zone)) is not None:
            return at
        instant, is_day = _excel(text) if SERIAL.fullmatch(text) else _read_written(text, form)
        return values.milliseconds(instant, zone, is_day)
    except (ValueError, OverflowError) as error:
        raise ValueError(FILE_DATE) from error


def _iso(text: str, zone: dt.tzinfo) -> int | None:
    try:
        return values.read_date(text, zone)
    except ValueError:
        return None


def _normal(cell: str) -> str:
    """The cell in capitals, without accents, with single blanks; empty if too long for a date."""
    text = strip(cell)
    if len(text) > MAX_LENGTH:
        return ""
    if not text.isascii():
        text = "".join(
            mark for mark in unicodedata.normalize("NFKD", text) if not unicodedata.combining(mark)
        )
    return " ".join(text.upper().split())


def _read_epoch(text: str) -> int:
    """The milliseconds since 1970 in a text, which may also be in seconds. Raises `ValueError`."""
    match = SINCE_1970.fullmatch(text)
    if match is None:
        raise ValueError
    return int(match["milliseconds"] or f"{match['seconds']}000")


def _excel(text: str) -> tuple[dt.datetime, bool]:
    """The (instant, whether a day without a time) of Excel's serial number."""
    return EXCEL_EPOCH + dt.timedelta(seconds=round(float(text) * 86_400)), "." not in text


def _read_written(text: str, form: str) -> tuple[dt.datetime, bool]:
    """The (instant, whether a day without a time) of a date in words or numbers. Raises `ValueError`."""
    match = next((match for pattern in PATTERNS if (match := pattern.fullmatch(text))), None)
    if match is None:
        raise ValueError
    groups = match.groupdict()
    if name := groups.get("name"):
        month, day = BY_NAME.get(name, 0), int(match["day"])
    elif groups.get("mark"):
        month, day = _month_and_day(
            int(match["first"]), int(match["second"]), match["mark"], match["year"], form
        )
    else:
        month, day = int(match["month"]), int(match["day"])
    return _instant(match, month, day), not match["hour"]


def _month_and_day(first: int, second: int, mark: str, year: str, form: str) -> tuple[int, int]:
    """The (month, day) in the first two numbers of a date, with `mark` between them.

    Raises `ValueError` if neither the mark nor the form tells which comes first.
    """
    if form == ISO and len(year) == 2:
        raise ValueError
    if mark == "." or form == DMY or first == second:
        return second, first
    if form == MDY:
        return first, second
    raise ValueError


def _instant(match: re.Match[str], month: int, day: int) -> dt.datetime:
    """The instant of a date with the parts in `match`, with a zone only if the text has one.

    Raises `ValueError` for a time or day that does not exist.
    """
    hour, half = int(match["hour"] or 0), match["half"]
    if match["hour"] and not (half or match["minute"]):
        raise ValueError
    if half:
        if not 1 <= hour <= 12:
            raise ValueError
        hour = hour % 12 + (12 if half == "P" else 0)
    year = int(match["year"])
    if len(match["year"]) == 2:
        year += 1900 if year >= CENTURY % 100 else 2000
    instant = dt.datetime(year, month, day, hour, int(match["minute"] or 0), int(match["seconds"] or 0))  # noqa: DTZ001
    instant += dt.timedelta(seconds=float(match["fraction"] or 0))
    if match["offset"] or match["zone"]:
        return instant.replace(tzinfo=dt.UTC) - _offset(match["offset"], match["zone"])
    return instant


def _offset(text: str | None, name: str | None) -> dt.timedelta:
    if not text:
        return dt.timedelta(hours=HOURS.get(name or "", 0))
    return dt.datetime.strptime(text, "%z").utcoffset() or dt.timedelta()
