"""Segment rules in plain Python, the reference for the compiled SQL."""

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

import idna

from audience import addresses

DAY = 86_400_000
ZONE = ZoneInfo("Europe/Berlin")  # of the site
CALENDAR = ("days_ago", "in_next_days", "anniversary_in_next_days")
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
BLANKS = " \t\n\v\f\r"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)


@dataclass
class PlainSubscriber:
    """A subscriber with all subjects of rules; dates in milliseconds."""

    email: str
    fields: dict[str, Any] = field(default_factory=dict)
    first_name: str = ""
    last_name: str = ""
    tags: set[str] = field(default_factory=set)
    events: list[tuple[str, int]] = field(default_factory=list)
    created_at: int = 0
    updated_at: int = 0
    last_event_at: int | None = None
    unsubscribed_at: int | None = None


def holds(rule: dict[str, Any], subscriber: PlainSubscriber, at: int) -> bool:
    if "all" in rule:
        return all(holds(part, subscriber, at) for part in rule["all"])
    if "any" in rule:
        return any(holds(part, subscriber, at) for part in rule["any"])
    if "not" in rule:
        return not holds(rule["not"], subscriber, at)
    if "field" in rule:
        asked = [each for each in rule.items() if each[0] != "field"]
        return all(of_field(subscriber, rule["field"], *each, at) for each in asked)
    if "event" in rule:
        since = at - rule["within_days"] * DAY if "within_days" in rule else -(2**62)
        done = [when for type_, when in subscriber.events if type_ == rule["event"] and when >= since]
        return bool(len(done) >= rule.get("at_least", 1))
    [(subject, operators)] = rule.items()
    if not isinstance(operators, dict):
        operators = {"is": operators}
    return all(of_subject(subscriber, subject, *each, at) for each in operators.items())


def of_subject(subscriber: PlainSubscriber, subject: str, operator: str, operand: Any, at: int) -> bool:
    if operator.endswith("_not") or operator.startswith("not_"):
        plain = operator.removesuffix("_not").removeprefix("not_")
        return not of_subject(subscriber, subject, plain, operand, at)
    if subject == "tag":
        wanted = operand if operator == "in" else [operand]
        return any(name.casefold() in {each.casefold() for each in subscriber.tags} for name in wanted)
    if subject == "status":
        return bool(operand == ("subscribed" if subscriber.unsubscribed_at is None else "unsubscribed"))
    if subject == "email":
        whole, part = addresses.identity(subscriber.email), subscriber.email.casefold()
        return text(operator, operand, whole, part, identity)
    if subject == "email_domain":
        return of_domain(addresses.identity(subscriber.email).partition("@")[2], operator, operand)
    return of_date(getattr(subscriber, subject), operator, operand, at)


def of_domain(domain: str, operator: str, operand: Any) -> bool:
    """Whether a domain matches, as stored or as shown. A part of it is compared with `@` before the domain
    and a dot behind it.
    """
    if operator in ("contains", "starts_with"):
        shown = idna.decode(domain)
        part = operand.lower() if operator == "contains" else f"@{operand.lower().removeprefix('@')}"
        forms = [f"@{form}." for form in (domain, shown)]
        return any(part in form if operator == "contains" else form.startswith(part) for form in forms)
    return text(operator, operand, domain, "", lambda name: identity(f"x@{name}")[2:])


def identity(address: str) -> str:
    try:
        return addresses.identity(address)
    except addresses.MalformedAddress:
        return address.casefold()


def text(operator: str, operand: Any, whole: str, part: str, normal: Any) -> bool:
    if operator == "contains":
        return operand.casefold() in part
    if operator == "starts_with":
        return part.startswith(operand.casefold())
    return whole in [normal(each) for each in (operand if operator == "in" else [operand])]


def of_date(value: int | None, operator: str, operand: Any, at: int) -> bool:
    if operator in ("exists", "missing"):
        return (value is not None) is bool(operand == (operator == "exists"))
    if value is None:
        return False
    if operator == "within_days":
        return bool(value >= at - operand * DAY)
    if operator == "days_ago":
        return bool((local_day(at) - local_day(value)).days == operand)
    return compare(operator, value, instant(operand, ZONE))


def compare(operator: str, value: Any, operand: Any) -> bool:
    answers: dict[str, bool] = {
        "gt": value > operand, "gte": value >= operand, "lt": value < operand, "lte": value <= operand,
    }  # fmt: skip
    return answers[operator]


def of_field(subscriber: PlainSubscriber, key: str, operator: str, operand: Any, at: int) -> bool:
    names = {"first_name": subscriber.first_name or None, "last_name": subscriber.last_name or None}
    value = (subscriber.fields | names).get(key)
    if operator in ("exists", "missing"):
        return (value is not None) is bool(operand == (operator == "exists"))
    if operator == "is_not":
        return not of_field(subscriber, key, "is", operand, at)
    if operator == "in":
        return any(of_field(subscriber, key, "is", each, at) for each in operand)
    several = value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]
    if operator in CALENDAR:
        return any(of_calendar(each, operator, operand, at) for each in several)
    return any(of_value(each, operator, operand) for each in several)


def of_calendar(value: Any, operator: str, operand: int, at: int) -> bool:
    milliseconds = instant(value)
    if milliseconds is None:
        return False
    day = dt.date.fromisoformat(value) if len(value) == 10 else local_day(milliseconds)
    today = local_day(at)
    if operator == "days_ago":
        return bool((today - day).days == operand)
    if operator == "in_next_days":
        return 0 <= (day - today).days <= operand
    if len(value) != 10 and day.year < 1900:
        return False
    later = [today + dt.timedelta(days=number) for number in range(operand + 1)]
    return any(each.year > day.year and each == anniversary(day, each.year) for each in later)


def anniversary(day: dt.date, year: int) -> dt.date:
    """On 28 February for a 29 February in other years."""
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return dt.date(year, 2, 28) if (day.month, day.day) == (2, 29) and not is_leap else day.replace(year=year)


def local_day(milliseconds: int) -> dt.date:
    return (EPOCH + dt.timedelta(milliseconds=milliseconds)).astimezone(ZONE).date()


def of_value(value: Any, operator: str, operand: Any) -> bool:
    if operator in ("contains", "starts_with"):
        return isinstance(value, str) and text(operator, operand, "", value.casefold(), None)
    if operator == "is":
        if isinstance(operand, bool):
            return value is operand
        if isinstance(operand, str):
            return isinstance(value, str) and value.casefold() == operand.casefold()
        return bool(number(value) == operand)
    read = instant if isinstance(operand, str) else number
    parsed = read(value)
    return parsed is not None and compare(operator, parsed, read(operand))


def number(value: Any) -> int | float | None:
    """The number, or the number that a text spells; else None."""
    if isinstance(value, str):
        spelt = value.strip(BLANKS)
        if not NUMBER.fullmatch(spelt):
            return None
        return int(spelt) if spelt.lstrip("+-").isdigit() else float(spelt)
    return None if isinstance(value, bool) or not isinstance(value, int | float) else value


def instant(value: Any, zone: dt.tzinfo = dt.UTC) -> int | None:
    """The milliseconds of a date; None if the text is not a date."""
    if not isinstance(value, str) or not DATE.fullmatch(value):
        return None
    try:
        date = dt.datetime.fromisoformat(value)
    except ValueError:
        return None
    return (date.replace(tzinfo=date.tzinfo or zone) - EPOCH) // dt.timedelta(milliseconds=1)
