"""Numbers and dates that a text spells, as segments and reports compare them."""

import datetime as dt
import re

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MILLISECOND = dt.timedelta(milliseconds=1)
BLANKS = " \t\n\v\f\r"
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?", re.ASCII)
MAX_LENGTH = 64  # characters of a number or a date
MAX_INTEGER = 2**63


def number(text: str) -> int | float | None:
    """The number that a text spells, ignoring blanks around it; None if it spells none."""
    spelt = text.strip(BLANKS)
    if not spelt or spelt[0] not in "0123456789+-." or len(spelt) > MAX_LENGTH:
        return None
    if not NUMBER.fullmatch(spelt):
        return None
    if not spelt.lstrip("+-").isdigit():
        return float(spelt)
    whole = int(spelt)
    return whole if -MAX_INTEGER <= whole < MAX_INTEGER else float(whole)


def instant(text: str) -> int | None:
    """The milliseconds since 1970 of a date or date-time; UTC unless it has a zone. None for other texts."""
    if len(text) > MAX_LENGTH or text[4:5] != "-" or not DATE.fullmatch(text):
        return None
    try:
        date = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return (date.replace(tzinfo=date.tzinfo or dt.UTC) - EPOCH) // MILLISECOND
