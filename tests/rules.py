"""Segment rules in plain Python: what the compiled SQL must agree with."""

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import Any

from audience import addresses

DAY = 86_400_000
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
BLANKS = " \t\n\v\f\r"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)


@dataclass
class Someone:
    """A person with everything that a rule can ask for; dates in milliseconds."""

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


def holds(rule: dict[str, Any], person: Someone, at: int) -> bool:
    if "all" in rule:
        return all(holds(part, person, at) for part in rule["all"])
    if "any" in rule:
        return any(holds(part, person, at) for part in rule["any"])
    if "not" in rule:
        return not holds(rule["not"], person, at)
    if "field" in rule:
        return all(of_field(person, rule["field"], *each) for each in rule.items() if each[0] != "field")
    if "event" in rule:
        since = at - rule["within_days"] * DAY if "within_days" in rule else -(2**62)
        done = [when for type_, when in person.events if type_ == rule["event"] and when >= since]
        return len(done) >= rule.get("at_least", 1)
    [(subject, operators)] = rule.items()
    if not isinstance(operators, dict):
        operators = {"is": operators}
    return all(of_subject(person, subject, *each, at) for each in operators.items())


def of_subject(person: Someone, subject: str, operator: str, operand: Any, at: int) -> bool:
    if operator.endswith("_not") or operator.startswith("not_"):
        plain = operator.removesuffix("_not").removeprefix("not_")
        return not of_subject(person, subject, plain, operand, at)
    if subject == "tag":
        wanted = operand if operator == "in" else [operand]
        return any(name.casefold() in {each.casefold() for each in person.tags} for name in wanted)
    if subject == "status":
        return operand == ("subscribed" if person.unsubscribed_at is None else "unsubscribed")
    if subject == "email":
        whole, part = addresses.identity(person.email), person.email.casefold()
        return text(operator, operand, whole, part, identity)
    if subject == "email_domain":
        domain = addresses.identity(person.email).partition("@")[2]
        return text(operator, operand, domain, domain, lambda name: identity(f"x@{name}")[2:])
    return of_date(getattr(person, subject), operator, operand, at)


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
        return (value is not None) == (operand == (operator == "exists"))
    if value is None:
        return False
    if operator == "within_days":
        return value >= at - operand * DAY
    return compare(operator, value, instant(operand))


def compare(operator: str, value: Any, operand: Any) -> bool:
    return {
        "gt": value > operand, "gte": value >= operand, "lt": value < operand, "lte": value <= operand,
    }[operator]  # fmt: skip


def of_field(person: Someone, key: str, operator: str, operand: Any) -> bool:
    names = {"first_name": person.first_name or None, "last_name": person.last_name or None}
    value = (person.fields | names).get(key)
    if operator in ("exists", "missing"):
        return (value is not None) == (operand == (operator == "exists"))
    if operator == "is_not":
        return not of_field(person, key, "is", operand)
    if operator == "in":
        return any(of_field(person, key, "is", each) for each in operand)
    several = value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]
    return any(of_value(each, operator, operand) for each in several)


def of_value(value: Any, operator: str, operand: Any) -> bool:
    if operator in ("contains", "starts_with"):
        return isinstance(value, str) and text(operator, operand, "", value.casefold(), None)
    if operator == "is":
        if isinstance(operand, bool):
            return value is operand
        if isinstance(operand, str):
            return isinstance(value, str) and value.casefold() == operand.casefold()
        return number(value) == operand
    read = instant if isinstance(operand, str) else number
    found = read(value)
    return found is not None and compare(operator, found, read(operand))


def number(value: Any) -> int | float | None:
    """A number, or text that spells one."""
    if isinstance(value, str):
        spelt = value.strip(BLANKS)
        if not NUMBER.fullmatch(spelt):
            return None
        return int(spelt) if spelt.lstrip("+-").isdigit() else float(spelt)
    return None if isinstance(value, bool) or not isinstance(value, int | float) else value


def instant(value: Any) -> int | None:
    """Milliseconds of text that is a date."""
    if not isinstance(value, str) or not DATE.fullmatch(value):
        return None
    try:
        found = dt.datetime.fromisoformat(value)
    except ValueError:
        return None
    return (found.replace(tzinfo=found.tzinfo or dt.UTC) - EPOCH) // dt.timedelta(milliseconds=1)
