"""The language of segment rules: one table of subjects and operators, and the reading of a rule.

A rule is `{"all": [...]}`, `{"any": [...]}`, `{"not": rule}` or a condition on one subject, which is
`{"field": KEY, OPERATOR: OPERAND}`, `{"event": TYPE, OPERATOR: OPERAND}`, `{SUBJECT: {OPERATOR: OPERAND}}`
or, for `is`, `{SUBJECT: OPERAND}`. Of several operators, all must hold. docs/segments.md shows the tables.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from audience import addresses, tags
from audience.errors import FieldError, Refused
from storage.rules import Condition, Events, Group, Instant, Rule

__all__ = ["Rule"]

DEEPEST = 16
MOST_NODES = 200
MOST_VALUES = 100
MOST_DAYS = 36_500
MOST_EVENTS = 1_000_000
NAME_CHARACTERS = 100
DAY = 86_400_000
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

REFUSED = "Validation failed: correct the rules where `errors` says; nothing was written."
LARGE = f"Send rules of at most {MOST_NODES} nodes, nested at most {DEEPEST} levels."
PARTS = "Send an array of rules."
NAME = f"Send the key of a custom field, or the type of an event, of 1 to {NAME_CHARACTERS} characters."
OPERATOR = "Send one or more of {}."
TEXT = "Send text that is not empty."
VALUE = "Send text, a number, true or false."
VALUES = f"Send an array of 1 to {MOST_VALUES} values."
DATE = "Send an ISO 8601 date or date-time, such as 2026-08-21 or 2026-08-21T02:08:30Z."
BOUND = "Send a number, or an ISO 8601 date or date-time such as 2026-08-21."
FLAG = "Send true or false."
STATUS = "Send subscribed or unsubscribed."
DAYS = f"Send a whole number of days from 1 to {MOST_DAYS}."
COUNT = f"Send a whole number from 1 to {MOST_EVENTS}."


@dataclass(frozen=True)
class Operator:
    """`operand` is the kind of what stands after it."""

    operand: str
    meaning: str


OPERATORS = {
    "is": Operator("value", "equals"),
    "is_not": Operator("value", "the opposite of `is`: another value, or none"),
    "in": Operator("values", "equals one of an array"),
    "contains": Operator("text", "has this part"),
    "starts_with": Operator("text", "begins so"),
    "gt": Operator("bound", "greater; later"),
    "gte": Operator("bound", "greater or equal; later or at that instant"),
    "lt": Operator("bound", "less; earlier"),
    "lte": Operator("bound", "less or equal; earlier or at that instant"),
    "within_days": Operator("days", "within the last so many times 24 hours"),
    "not_within_days": Operator("days", "the opposite of `within_days`: longer ago, or never"),
    "exists": Operator("flag", "there is a value; with `false`, there is none"),
    "missing": Operator("flag", "there is no value; with `false`, there is one"),
    "at_least": Operator("count", "so often or oftener; without it, once"),
}
OPPOSITES = {"exists": "missing", "missing": "exists"}
TEXTS = ("is", "is_not", "in", "contains", "starts_with")
BOUNDS = ("gt", "gte", "lt", "lte")
PRESENCE = ("exists", "missing")
DATES = (*BOUNDS, "within_days", "not_within_days", *PRESENCE)


class _Malformed(ValueError):
    """The message says what to send."""


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _Malformed(TEXT)
    return value


def _part(value: Any) -> str:
    return _text(value).casefold()


def _scalar(value: Any) -> bool | int | float | str:
    if not isinstance(value, bool | int | float | str):
        raise _Malformed(VALUE)
    return value.casefold() if isinstance(value, str) else value


def _date(value: Any) -> Instant:
    try:
        instant = dt.datetime.fromisoformat(_text(value).strip().upper())
        since = instant.replace(tzinfo=instant.tzinfo or dt.UTC) - EPOCH
    except (ValueError, OverflowError) as error:
        raise _Malformed(DATE) from error
    return Instant(since // dt.timedelta(milliseconds=1))


def _number_or_date(value: Any) -> int | float | Instant:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _Malformed(BOUND)
    return _date(value) if isinstance(value, str) else value


def _status(value: Any) -> str:
    if value not in ("subscribed", "unsubscribed"):
        raise _Malformed(STATUS)
    return str(value)


def _tag(value: Any) -> str:
    return tags.name_key(_text(value).strip())


def _address(value: Any) -> str:
    text = _text(value).strip()
    try:
        return addresses.identity(text)
    except addresses.MalformedAddress:
        return text.casefold()


def _domain(value: Any) -> str:
    return _address(f"x@{_text(value).strip()}").removeprefix("x@")


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Malformed(FLAG)
    return value


def _days(value: Any) -> int:
    return _whole(value, MOST_DAYS, DAYS)


def _count(value: Any) -> int:
    return _whole(value, MOST_EVENTS, COUNT)


def _whole(value: Any, most: int, message: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise _Malformed(message)
    return value


@dataclass(frozen=True)
class Subject:
    """`value` and `bound` read such operands; the operators of a `named` subject stand beside its name."""

    operators: tuple[str, ...]
    meaning: str
    example: str
    value: Callable[[Any], Any] = _scalar
    bound: Callable[[Any], Any] = _date
    named: bool = False


SUBJECTS = {
    "tag": Subject(("is", "is_not", "in"), "a tag of the person, by name", '{"tag": "vip"}', _tag),
    "field": Subject(
        (*TEXTS, *BOUNDS, *PRESENCE),
        "the custom value of that key, or `first_name` or `last_name`",
        '{"field": "plan", "is": "pro"}',
        bound=_number_or_date,
        named=True,
    ),
    "created_at": Subject(DATES, "when the person came", '{"created_at": {"gt": "2026-01-01"}}'),
    "updated_at": Subject(DATES, "when the person last changed", '{"updated_at": {"within_days": 7}}'),
    "last_event_at": Subject(
        DATES, "when the person last did something", '{"last_event_at": {"not_within_days": 30}}'
    ),
    "unsubscribed_at": Subject(
        DATES,
        "when the person unsubscribed",
        '{"unsubscribed_at": {"gte": "2026-01-01", "lt": "2026-02-01"}}',
    ),
    "status": Subject(
        ("is", "is_not"), "`subscribed` or `unsubscribed`", '{"status": "subscribed"}', _status
    ),
    "email": Subject(TEXTS, "the address", '{"email": {"starts_with": "info@"}}', _address),
    "email_domain": Subject(
        TEXTS, "what follows the @ of the address", '{"email_domain": "example.com"}', _domain
    ),
    "event": Subject(
        ("within_days", "at_least"),
        "an event of that type, to the letter",
        '{"event": "$purchase", "within_days": 90, "at_least": 2}',
        named=True,
    ),
}
GROUPS = {
    "all": "every rule within holds; of an empty array: everybody",
    "any": "one rule within holds, or several; of an empty array: nobody",
    "not": "the rule within does not hold",
}
NODE = f"Send an object with one of {', '.join((*GROUPS, *SUBJECTS))}."
NOBODY = Group("any", ())


def read(rules: Any, at: int, where: str) -> Rule:
    """A rule as of the instant `at`. Raises `Refused` with the path, from `where` on, of each bad node."""
    reader = _Reader(at)
    rule = reader.rule(rules, where, 1)
    if reader.nodes > MOST_NODES:
        raise Refused(REFUSED, [FieldError(where, LARGE)])
    if reader.problems:
        raise Refused(REFUSED, reader.problems)
    return rule


class _Reader:
    def __init__(self, at: int) -> None:
        self.at = at
        self.nodes = 0
        self.problems: list[FieldError] = []

    def rule(self, given: Any, where: str, depth: int) -> Rule:
        self.nodes += 1
        if depth > DEEPEST:
            return self._problem(where, LARGE)
        node = _without_nulls(given)
        heads = [key for key in (*GROUPS, *SUBJECTS) if key in node]
        if len(heads) != 1:
            return self._problem(where, NODE)
        operand = node.pop(heads[0])
        if heads[0] in SUBJECTS and SUBJECTS[heads[0]].named:
            return self._named(heads[0], operand, node, where)
        if node:
            return self._problem(where, NODE)
        if heads[0] in GROUPS:
            return self._group(heads[0], operand, f"{where}.{heads[0]}", depth)
        return self._plain(heads[0], operand, f"{where}.{heads[0]}")

    def _problem(self, where: str, message: str) -> Rule:
        self.problems.append(FieldError(where, message))
        return NOBODY

    def _group(self, head: str, given: Any, where: str, depth: int) -> Rule:
        if head == "not":
            return Group(head, (self.rule(given, where, depth + 1),))
        if not isinstance(given, list):
            return self._problem(where, PARTS)
        parts = []
        for index, part in enumerate(given):
            if self.nodes > MOST_NODES:
                break
            parts.append(self.rule(part, f"{where}[{index}]", depth + 1))
        return Group(head, tuple(parts))

    def _named(self, head: str, name: Any, given: Mapping[str, Any], where: str) -> Rule:
        if not isinstance(name, str) or not 0 < len(name) <= NAME_CHARACTERS:
            return self._problem(f"{where}.{head}", NAME)
        operands = self._operands(head, given, where)
        if head == "event":
            return Events(name, operands.get("at_least", 1), operands.get("within_days"))
        return self._conditions(head, operands, name)

    def _plain(self, head: str, given: Any, where: str) -> Rule:
        if isinstance(given, Mapping):
            return self._conditions(head, self._operands(head, _without_nulls(given), where))
        if "is" not in SUBJECTS[head].operators:
            return self._problem(where, OPERATOR.format(", ".join(SUBJECTS[head].operators)))
        return Condition(head, "is", self._operand(head, "is", given, where))

    def _conditions(self, head: str, operands: Mapping[str, Any], key: str = "") -> Rule:
        parts = tuple(
            Condition(head, OPPOSITES[operator] if operand is False and operator in OPPOSITES else operator,
                      operand, key)
            for operator, operand in operands.items()
        )  # fmt: skip
        return parts[0] if len(parts) == 1 else Group("all", parts)

    def _operands(self, head: str, given: Mapping[str, Any], where: str) -> dict[str, Any]:
        operators = SUBJECTS[head].operators
        if not given.keys() <= set(operators) or not (given or head == "event"):
            self._problem(where, OPERATOR.format(", ".join(operators)))
        return {
            operator: self._operand(head, operator, given[operator], f"{where}.{operator}")
            for operator in operators
            if operator in given
        }

    def _operand(self, head: str, operator: str, given: Any, where: str) -> Any:
        subject, kind = SUBJECTS[head], OPERATORS[operator].operand
        try:
            if kind == "days":
                return Instant(self.at - _days(given) * DAY)
            if kind == "values":
                return tuple(subject.value(each) for each in _values(given))
            return ({"value": subject.value, "bound": subject.bound} | PLAIN)[kind](given)
        except _Malformed as error:
            return self._problem(where, str(error))


PLAIN: dict[str, Callable[[Any], Any]] = {"text": _part, "flag": _flag, "count": _count}


def _values(given: Any) -> list[Any]:
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_VALUES:
        raise _Malformed(VALUES)
    return given


def _without_nulls(given: Any) -> dict[str, Any]:
    """The keys of an object; a `null` is an absent key."""
    return (
        {key: value for key, value in given.items() if value is not None}
        if isinstance(given, Mapping)
        else {}
    )
