"""The rules of segments as a tree."""

from dataclasses import dataclass
from typing import Any


class Instant(int):
    """An instant in milliseconds since 1970, a type of its own so that it is compared with dates,
    not numbers.
    """


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a subscriber; `key` is that of a custom field. Text operands are casefolded, and several
    are a tuple.
    """

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
class Group:
    """A group of conditions: `all`, `any` or `not` of its parts; `not` has one part."""

    operator: str
    parts: tuple["Rule", ...]


Rule = Condition | Events | Group
