"""The language of segment rules: a reader, by the tables in `subjects`.

A rule is `{"all": [...]}`, `{"any": [...]}`, `{"not": rule}` or a condition: `{"field": KEY, OPERATOR:
OPERAND}`, `{"event": TYPE, OPERATOR: OPERAND}`, `{SUBJECT: {OPERATOR: OPERAND}}` or, for `is`, `{SUBJECT:
OPERAND}`. Of several operators, all must hold.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from audience.clock import DAY_MS
from audience.errors import Refused
from audience.segments import calendar
from audience.segments.subjects import (
    DAYS,
    GROUPS,
    MAX_DAYS,
    MAX_NAME_LENGTH,
    MEANT,
    OPERATORS,
    OPPOSITES,
    PLAIN,
    SUBJECTS,
    values,
    whole_number,
)
from schemas.codes import Code, Sentence
from schemas.values import FieldError, closest
from storage.segments.nodes import Condition, Events, Group, Instant, Rule

__all__ = ["Rule"]

MAX_DEPTH = 16
MAX_NODES = 200

REFUSED = "Validation failed: correct the rules that `errors` lists."
LARGE = Sentence(
    Code.TOO_MANY, f"Send rules of at most {MAX_NODES} nodes, nested at most {MAX_DEPTH} levels."
)
PARTS = Sentence(Code.WRONG_TYPE, "Send an array of rules.")
NAME = Sentence(
    Code.MALFORMED_VALUE,
    f"Send a custom field's key or an event's type, of 1 to {MAX_NAME_LENGTH} characters.",
)
NO_FIELD = Sentence(Code.RESERVED_KEY, "Use `{}` in place of `field`: no custom field is called {}.")
OPERATOR = Sentence(Code.UNKNOWN_KEY, "Send one or more of {}.")
HEADS = (*GROUPS, *SUBJECTS)
NODE = Sentence(Code.WRONG_TYPE, f"Send an object with one of {', '.join(HEADS)}.")
UNKNOWN = Sentence(Code.UNKNOWN_KEY, "The names in `unknown` are not known here. {}")
SEVERAL = Sentence(
    Code.MALFORMED_VALUE,
    'Send only one condition in each object; put several conditions into an array of "all" or "any".',
)
NO_SUBJECT = Sentence(
    Code.REQUIRED,
    "Send an option beside the name of its field or event, or inside the object of its subject, "
    'such as {"created_at": {"within_days": 7}}.',
)
DAYS_OF = {
    "days_ago": calendar.days_ago,
    "in_next_days": calendar.next_days,
    "anniversary_in_next_days": calendar.anniversaries,
}
MATCHES_NONE = Group("any", ())


def read(
    rules: Any, at: int, where: str, zone: dt.tzinfo = dt.UTC, has_field: Callable[[str], bool] = bool
) -> Rule:
    """Reads a rule. Days are counted from `at`, in milliseconds; dates without a zone are in `zone`.

    A field that `has_field` denies is refused if its key is the name of a condition; by default, none is.
    Raises `Refused` with the path of each wrong node, below `where`.
    """
    reader = _Reader(at, zone, has_field)
    rule = reader.rule(rules, where, 1)
    if reader.nodes > MAX_NODES:
        raise Refused(REFUSED, [FieldError(where, LARGE)])
    if reader.problems:
        raise Refused(REFUSED, reader.problems)
    return rule


class _Reader:
    def __init__(self, at: int, zone: dt.tzinfo, has_field: Callable[[str], bool]) -> None:
        self.at, self.zone, self.has_field = at, zone, has_field
        self.nodes = 0
        self.problems: list[FieldError] = []

    def rule(self, node: Any, where: str, depth: int) -> Rule:
        """Reads a node at the path `where`. Adds errors to `problems`, instead of raising them."""
        self.nodes += 1
        if depth > MAX_DEPTH:
            return self._problem(where, LARGE)
        node = _without_nulls(node)
        heads = [key for key in HEADS if key in node]
        if len(heads) == 1 and heads[0] in SUBJECTS and SUBJECTS[heads[0]].has_name:
            return self._with_name(heads[0], node.pop(heads[0]), node, where)
        valid = (*HEADS, *OPERATORS)
        if unknown := [key for key in node if key not in valid]:
            return self._problem(where, UNKNOWN.format(NODE), unknown, valid)
        if len(heads) != 1:
            return self._problem(where, SEVERAL if heads else NO_SUBJECT if node else NODE)
        operand = node.pop(heads[0])
        if node:
            return self._problem(where, NO_SUBJECT)
        if heads[0] in GROUPS:
            return self._group(heads[0], operand, f"{where}.{heads[0]}", depth)
        return self._plain(heads[0], operand, f"{where}.{heads[0]}")

    def _problem(
        self, where: str, message: str, unknown: Sequence[str] = (), valid: Iterable[str] = ()
    ) -> Rule:
        """Adds an error. Returns a rule that matches nobody, in place of the wrong node."""
        self.problems.append(FieldError(where, message, tuple(unknown), closest(unknown, valid)))
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
        meant = MEANT.get(name.lower(), "") if head == "field" else ""
        if meant and not self.has_field(name):
            return self._problem(f"{where}.{head}", NO_FIELD.format(meant, name))
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
        message = OPERATOR.format(", ".join(operators))
        if unknown := [key for key in node if key not in operators]:
            self._problem(where, UNKNOWN.format(message), unknown, (*HEADS, *operators))
        elif not (node or head == "event"):
            self._problem(where, message)
        return {
            operator: self._operand(head, operator, node[operator], f"{where}.{operator}")
            for operator in operators
            if operator in node
        }

    def _operand(self, head: str, operator: str, operand: Any, where: str) -> Any:
        subject, kind = SUBJECTS[head], OPERATORS[operator].operand
        try:
            if kind == "days":
                return Instant(self.at - whole_number(operand, MAX_DAYS, DAYS) * DAY_MS)
            if kind == "values":
                return tuple(subject.value(value) for value in values(operand))
            if kind == "bound":
                return subject.bound(operand, self.zone)
            read = ({"value": subject.value, "text": subject.text} | PLAIN)[kind](operand)
            return DAYS_OF[operator](read, self.at, self.zone) if operator in DAYS_OF else read
        except ValueError as error:
            return self._problem(where, str(error))


def _without_nulls(node: Any) -> dict[str, Any]:
    """The object without keys whose value is `null`."""
    items = node.items() if isinstance(node, Mapping) else ()
    return {key: value for key, value in items if value is not None}
