"""The rules of segments as a tree."""

from dataclasses import dataclass
from typing import Any


class Instant(int):
    """An instant in milliseconds since 1970. By its type it is compared with dates, not with numbers."""


@dataclass(frozen=True, slots=True)
class Days:
    """Days of a calendar as periods in milliseconds, whose ends are excluded.

    `whole` is for dates without a time, `timed` for instants. `yearly` also limits the former to days of the
    year: from its first text (MM-DD) to before its second. The second may be in the next year.
    """

    whole: tuple[int, int]
    timed: tuple[tuple[int, int], ...]
    yearly: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a subscriber. `key` is that of the custom field if the subject is `field`.

    Texts in `operand` are casefolded; several operands are a tuple.
    """

    subject: str
    operator: str
    operand: Any
    key: str = ""


@dataclass(frozen=True, slots=True)
class Events:
    """A condition on events: at least a number of a type since an instant or, without one, ever."""

    type: str
    at_least: int
    since: Instant | None


@dataclass(frozen=True, slots=True)
class Group:
    """The rules in `parts`. By `operator`, all must match, any must, or (`not`) the only one must not."""

    operator: str
    parts: tuple["Rule", ...]


Rule = Condition | Events | Group
