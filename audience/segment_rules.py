"""The language of segment rules: tables of subjects and operators, and a reader.

A rule is `{"all": [...]}`, `{"any": [...]}`, `{"not": rule}` or a condition: `{"field": KEY, OPERATOR:
OPERAND}`, `{"event": TYPE, OPERATOR: OPERAND}`, `{SUBJECT: {OPERATOR: OPERAND}}` or, for `is`, `{SUBJECT:
OPERAND}`. Of several operators, all must hold. docs/segments.md shows the tables.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from audience import addresses, tags
from audience.errors import Refused
from schemas.values import NAMES, FieldError, read_date
from storage.segment_rules import Condition, Events, Group, Instant, Rule

__all__ = ["Rule"]

MAX_DEPTH = 16
MAX_NODES = 200
MAX_VALUES = 100
MAX_DAYS = 36_500
MAX_EVENTS = 1_000_000
MAX_NAME_LENGTH = 100
DAY_MS = 86_400_000

REFUSED = "Validation failed: correct the rules that `errors` lists; nothing was written."
LARGE = f"Send rules of at most {MAX_NODES} nodes, nested at most {MAX_DEPTH} levels."
PARTS = "Send an array of rules."
NAME = f"Send a custom field's key or an event's type, of 1 to {MAX_NAME_LENGTH} characters."
OPERATOR = "Send one or more of {}."
TEXT = "Send text that is not empty."
VALUE = "Send text, a number, true or false."
VALUES = f"Send an array of 1 to {MAX_VALUES} values."
BOUND = "Send a number, or an ISO 8601 date or date-time such as 2026-08-21."
FLAG = "Send true or false."
STATUS = "Send subscribed or unsubscribed."
DAYS = f"Send a whole number of days from 1 to {MAX_DAYS}."
COUNT = f"Send a whole number from 1 to {MAX_EVENTS}."


@dataclass(frozen=True)
class Operator:
    """`operand` is the kind of its operand."""

    operand: str
    meaning: str


OPERATORS = {
    "is": Operator("value", "equals"),
    "is_not": Operator("value", "the opposite of `is`: has another value or none"),
    "in": Operator("values", "equals one of the array"),
    "contains": Operator("text", "contains the text"),
    "starts_with": Operator("text", "starts with the text"),
    "gt": Operator("bound", "greater; later"),
    "gte": Operator("bound", "greater or equal; at that instant or later"),
    "lt": Operator("bound", "less; earlier"),
    "lte": Operator("bound", "less or equal; at that instant or earlier"),
    "within_days": Operator("days", "within the last that many times 24 hours"),
    "not_within_days": Operator("days", "the opposite of `within_days`: longer ago, or never"),
    "exists": Operator("flag", "has a value; with `false`, has none"),
    "missing": Operator("flag", "has no value; with `false`, has one"),
    "at_least": Operator("count", "at least that often; without it, once"),
}
OPPOSITES = {"exists": "missing", "missing": "exists"}
TEXTS = ("is", "is_not", "in", "contains", "starts_with")
BOUNDS = ("gt", "gte", "lt", "lte")
PRESENCE = ("exists", "missing")
TIMES = (*BOUNDS, "within_days", "not_within_days", *PRESENCE)


def _text(value: Any) -> str:
    """Like every reader of an operand, raises `ValueError` with a message for the client."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(TEXT)
    return value


def _scalar(value: Any) -> bool | int | float | str:
    if not isinstance(value, bool | int | float | str):
        raise ValueError(VALUE)
    return value.casefold() if isinstance(value, str) else value


def _date(value: Any) -> Instant:
    return Instant(read_date(_text(value)))


def _number_or_date(value: Any) -> int | float | Instant:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(BOUND)
    return _date(value) if isinstance(value, str) else value


def _status(value: Any) -> str:
    if value not in ("subscribed", "unsubscribed"):
        raise ValueError(STATUS)
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
        raise ValueError(FLAG)
    return value


def _whole(value: Any, maximum: int, message: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= maximum:
        raise ValueError(message)
    return value


@dataclass(frozen=True)
class Subject:
    """`value` and `bound` read operands; a subject that `has_name` has its operators beside its name."""

    operators: tuple[str, ...]
    meaning: str
    example: str
    value: Callable[[Any], Any] = _scalar
    bound: Callable[[Any], Any] = _date
    has_name: bool = False


SUBJECTS = {
    "tag": Subject(("is", "is_not", "in"), "a tag, by name", '{"tag": "vip"}', _tag),
    "field": Subject(
        (*TEXTS, *BOUNDS, *PRESENCE),
        f"the value of that custom field, or of {' or '.join(f'`{name}`' for name in NAMES)}",
        '{"field": "plan", "is": "pro"}',
        bound=_number_or_date,
        has_name=True,
    ),
    "created_at": Subject(TIMES, "when the subscriber was created", '{"created_at": {"gt": "2026-01-01"}}'),
    "updated_at": Subject(TIMES, "when the subscriber last changed", '{"updated_at": {"within_days": 7}}'),
    "last_event_at": Subject(
        TIMES, "when the last event occurred", '{"last_event_at": {"not_within_days": 30}}'
    ),
    "unsubscribed_at": Subject(
        TIMES,
        "when the subscriber unsubscribed",
        '{"unsubscribed_at": {"gte": "2026-01-01", "lt": "2026-02-01"}}',
    ),
    "status": Subject(
        ("is", "is_not"), "`subscribed` or `unsubscribed`", '{"status": "subscribed"}', _status
    ),
    "email": Subject(TEXTS, "the address", '{"email": {"starts_with": "info@"}}', _address),
    "email_domain": Subject(
        TEXTS, "the part of the address after the @", '{"email_domain": "example.com"}', _domain
    ),
    "event": Subject(
        ("within_days", "at_least"),
        "an event of exactly that type",
        '{"event": "$purchase", "within_days": 90, "at_least": 2}',
        has_name=True,
    ),
}
GROUPS = {
    "all": "every rule in it holds; an empty array matches every subscriber",
    "any": "at least one rule in it holds; an empty array matches no subscriber",
    "not": "the rule in it does not hold",
}
NODE = f"Send an object with one of {', '.join((*GROUPS, *SUBJECTS))}."
MATCHES_NONE = Group("any", ())


def read(rules: Any, at: int, where: str) -> Rule:
    """A rule as of `at` (milliseconds). Raises `Refused` with the path of each wrong node, below `where`."""
    reader = _Reader(at)
    rule = reader.rule(rules, where, 1)
    if reader.nodes > MAX_NODES:
        raise Refused(REFUSED, [FieldError(where, LARGE)])
    if reader.problems:
        raise Refused(REFUSED, reader.problems)
    return rule


class _Reader:
    def __init__(self, at: int) -> None:
        self.at = at
        self.nodes = 0
        self.problems: list[FieldError] = []

    def rule(self, node: Any, where: str, depth: int) -> Rule:
        self.nodes += 1
        if depth > MAX_DEPTH:
            return self._problem(where, LARGE)
        node = _without_nulls(node)
        heads = [key for key in (*GROUPS, *SUBJECTS) if key in node]
        if len(heads) != 1:
            return self._problem(where, NODE)
        operand = node.pop(heads[0])
        if heads[0] in SUBJECTS and SUBJECTS[heads[0]].has_name:
            return self._with_name(heads[0], operand, node, where)
        if node:
            return self._problem(where, NODE)
        if heads[0] in GROUPS:
            return self._group(heads[0], operand, f"{where}.{heads[0]}", depth)
        return self._plain(heads[0], operand, f"{where}.{heads[0]}")

    def _problem(self, where: str, message: str) -> Rule:
        self.problems.append(FieldError(where, message))
        return MATCHES_NONE

    def _group(self, head: str, node: Any, where: str, depth: int) -> Rule:
        if head == "not":
            return Group(head, (self.rule(node, where, depth + 1),))
        if not isinstance(node, list):
            return self._problem(where, PARTS)
        parts = []
        for index, part in enumerate(node):
            if self.nodes > MAX_NODES:
                break
            parts.append(self.rule(part, f"{where}[{index}]", depth + 1))
        return Group(head, tuple(parts))

    def _with_name(self, head: str, name: Any, node: Mapping[str, Any], where: str) -> Rule:
        if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_LENGTH:
            return self._problem(f"{where}.{head}", NAME)
        operands = self._operands(head, node, where)
        if head == "event":
            return Events(name, operands.get("at_least", 1), operands.get("within_days"))
        return self._conditions(head, operands, name)

    def _plain(self, head: str, operand: Any, where: str) -> Rule:
        if isinstance(operand, Mapping):
            return self._conditions(head, self._operands(head, _without_nulls(operand), where))
        if "is" not in SUBJECTS[head].operators:
            return self._problem(where, OPERATOR.format(", ".join(SUBJECTS[head].operators)))
        return Condition(head, "is", self._operand(head, "is", operand, where))

    def _conditions(self, head: str, operands: Mapping[str, Any], key: str = "") -> Rule:
        parts = tuple(
            Condition(head, OPPOSITES[operator] if operand is False and operator in OPPOSITES else operator,
                      operand, key)
            for operator, operand in operands.items()
        )  # fmt: skip
        return parts[0] if len(parts) == 1 else Group("all", parts)

    def _operands(self, head: str, node: Mapping[str, Any], where: str) -> dict[str, Any]:
        operators = SUBJECTS[head].operators
        if not node.keys() <= set(operators) or not (node or head == "event"):
            self._problem(where, OPERATOR.format(", ".join(operators)))
        return {
            operator: self._operand(head, operator, node[operator], f"{where}.{operator}")
            for operator in operators
            if operator in node
        }

    def _operand(self, head: str, operator: str, operand: Any, where: str) -> Any:
        subject, kind = SUBJECTS[head], OPERATORS[operator].operand
        try:
            if kind == "days":
                return Instant(self.at - _whole(operand, MAX_DAYS, DAYS) * DAY_MS)
            if kind == "values":
                return tuple(subject.value(value) for value in _values(operand))
            return ({"value": subject.value, "bound": subject.bound} | PLAIN)[kind](operand)
        except ValueError as error:
            return self._problem(where, str(error))


PLAIN: dict[str, Callable[[Any], Any]] = {
    "text": lambda value: _text(value).casefold(),
    "flag": _flag,
    "count": lambda value: _whole(value, MAX_EVENTS, COUNT),
}


def _values(operand: Any) -> list[Any]:
    if not isinstance(operand, list) or not 1 <= len(operand) <= MAX_VALUES:
        raise ValueError(VALUES)
    return operand


def _without_nulls(node: Any) -> dict[str, Any]:
    """The object without keys whose value is `null`."""
    items = node.items() if isinstance(node, Mapping) else ()
    return {key: value for key, value in items if value is not None}
