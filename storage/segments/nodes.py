"""The rules of segments as a tree, and the same with fewer conditions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

BOUNDS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
LOWER, STRICT = ("gt", "gte"), ("gt", "lt")


class Instant(int):
    """An instant in milliseconds since 1970, a type of its own so that it is compared with dates,
    not numbers.
    """


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a subscriber; `key` is that of a custom field. Text operands are casefolded."""

    subject: str
    operator: str
    operand: Any
    key: str = ""


@dataclass(frozen=True, slots=True)
class Events:
    """A condition on events: at least a number of events of a type, since an instant or ever."""

    type: str
    at_least: int
    since: Instant | None


@dataclass(frozen=True, slots=True)
class Between:
    """A lower and an upper bound on a custom field. Different members of a list may meet them."""

    lower: Condition
    upper: Condition


@dataclass(frozen=True, slots=True)
class Group:
    """A group of conditions: `all`, `any` or `not` of its parts; `not` has one part."""

    operator: str
    parts: tuple["Rule", ...]


Rule = Condition | Events | Between | Group


def simplify(group: Group) -> list[Rule]:
    """The parts of a group. `all` and `any` keep at most one lower and one upper bound on each
    field.

    A value that meets the strictest bound meets the others, also in a list.
    """
    parts: list[Rule] = []
    bounds: dict[tuple[str, bool, bool], list[Condition]] = {}
    for part in _flat(group):
        if isinstance(part, Condition) and part.subject == "field" and part.operator in BOUNDS:
            side = (part.key, isinstance(part.operand, Instant), part.operator in LOWER)
            bounds.setdefault(side, []).append(part)
        else:
            parts.append(part)
    decisive = {
        side: _decisive(candidates, side[2], group.operator == "all") for side, candidates in bounds.items()
    }
    for (key, is_date, is_lower), bound in decisive.items():
        opposite = decisive.get((key, is_date, not is_lower)) if group.operator == "all" else None
        if opposite is None:
            parts.append(bound)
        elif is_lower:
            parts.append(Between(bound, opposite))
    return parts


def _flat(group: Group) -> Iterator[Rule]:
    for part in group.parts:
        if isinstance(part, Group) and part.operator == group.operator != "not":
            yield from _flat(part)
        else:
            yield part


def _decisive(bounds: list[Condition], is_lower: bool, is_all: bool) -> Condition:
    """The strictest of several bounds to one side or, if any of them must hold, the least strict."""
    choose = max if is_lower == is_all else min
    return choose(bounds, key=lambda bound: (bound.operand, (bound.operator in STRICT) == is_lower))
