"""A condition of a segment's rule as a phrase in a tree: "plan is monthly or yearly"."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from audience.console.wording import counted, number, short_day
from audience.segments.subjects import CALENDAR, GROUPS, SUBJECTS

NAMES = {
    "tag": "tag", "status": "status", "email": "address", "email_domain": "domain", "created_at": "created",
    "updated_at": "changed", "last_event_at": "last event", "unsubscribed_at": "unsubscribed",
}  # fmt: skip
DATES = ("created_at", "updated_at", "last_event_at", "unsubscribed_at")
OPERATORS = {
    "is": "is {}", "is_not": "is not {}", "in": "is {}", "contains": "contains {}",
    "starts_with": "begins with {}", "gt": "after {}", "gte": "from {}", "lt": "before {}", "lte": "until {}",
    "days_ago": "{}", "in_next_days": "{}", "anniversary_in_next_days": "has its anniversary {}",
    "within_days": "in the last {}", "not_within_days": "not in the last {}",
}  # fmt: skip
NUMBERS = {"gt": "more than {}", "gte": "at least {}", "lt": "less than {}", "lte": "at most {}"}
NO_EVENT = "no event in the last {}"
PARTING = (",", ";", ":", '"', "(", ")", "“", "”")


def kind_of(node: Mapping[str, Any]) -> str:
    """The group or subject of a rule's node, such as "all" or "tag"; "" without one."""
    return next((key for key in (*GROUPS, *SUBJECTS) if node.get(key) is not None), "")


def condition(node: Mapping[str, Any]) -> str:
    kind, asked = kind_of(node), operands(node)
    if kind == "event":
        return f"event {quoted(node['event'])}{frequency_text(asked)}"
    if kind == "field":
        return f"{node['field']} {phrases(asked)}"
    if kind == "status" and "is" in asked:
        return "subscribed" if asked["is"] == "subscribed" else "unsubscribed"
    if kind == "last_event_at" and list(asked) == ["not_within_days"]:
        return NO_EVENT.format(days(asked["not_within_days"]))
    return f"{NAMES[kind]} {phrases(asked)}"


def operands(node: Mapping[str, Any]) -> dict[str, Any]:
    """The operands of a condition, by operator; a bare operand means `is`."""
    kind = kind_of(node)
    if SUBJECTS[kind].has_name:
        asked: Any = {key: value for key, value in node.items() if key != kind}
    else:
        asked = node[kind] if isinstance(node[kind], Mapping) else {"is": node[kind]}
    return {operator: operand for operator, operand in asked.items() if operand is not None}


def frequency_text(asked: Mapping[str, Any]) -> str:
    """How often and how recently an event must have happened, after a space; "" for "once"."""
    times, lately = asked.get("at_least", 1), asked.get("within_days")
    words = "" if times == 1 else f" at least {counted(times, 'time')}"
    return words + (f" in the last {days(lately)}" if lately else "")


def days(count: int) -> str:
    """The words after "in the last": day, or 3 days."""
    return "day" if count == 1 else counted(count, "day")


def calendar_days(operator: str, count: int) -> str:
    """When a date is, by calendar days: "exactly 3 days ago", "today or in the next 3 days"."""
    if count == 0:
        return "today"
    if operator == "days_ago":
        return f"exactly {counted(count, 'day')} ago"
    return f"today or in the next {days(count)}"


def phrases(asked: Mapping[str, Any]) -> str:
    return " but ".join(phrase(operator, operand) for operator, operand in asked.items())


def phrase(operator: str, operand: Any) -> str:
    if operator in ("exists", "missing"):
        return "has a value" if (operator == "exists") is operand else "has no value"
    if operator.endswith("within_days"):
        return OPERATORS[operator].format(days(operand))
    if operator in CALENDAR:
        return OPERATORS[operator].format(calendar_days(operator, operand))
    if operator in NUMBERS and isinstance(operand, int | float):
        return NUMBERS[operator].format(number(operand))
    return OPERATORS[operator].format(value(operand))


def value(operand: Any, last: str = "or") -> str:
    """One value, or several with the word `last` before the last one: monthly, yearly or none."""
    if not isinstance(operand, list):
        return _scalar(operand)
    words = list(dict.fromkeys(map(_scalar, operand)))
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _scalar(operand: Any) -> str:
    if isinstance(operand, bool):
        return "true" if operand else "false"
    try:
        return short_day(dt.date.fromisoformat(operand))
    except (TypeError, ValueError):
        return quoted(str(operand))


def quoted(text: str) -> str:
    """The text, in quotes unless it is one word without confusing punctuation."""
    is_plain = text.split() == [text] and not any(mark in text for mark in PARTING)
    return text if is_plain else f"“{text}”"
