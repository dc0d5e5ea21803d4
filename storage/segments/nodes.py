"""The rules of segments as a tree."""

from dataclasses import dataclass
from typing import Any


class Instant(int):
    """An instant in milliseconds since 1970. It has a type of its own, so that it is compared with dates
    instead of numbers.
    """


@dataclass(frozen=True, slots=True)
class Days:
    """Days of a calendar as periods in milliseconds, each with its end excluded: `whole` for dates without a
    time, `timed` for instants.

    With `yearly`, days of any year from the first text (MM-DD) on, before the second.
    """

    whole: tuple[int, int]
    timed: tuple[tuple[int, int], ...]
    yearly: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a subscriber. `key` is the key of the custom field, if the subject is one. Texts in
    `operand` are casefolded; several operands are a tuple.
    """

    subject: str
    operator: str
    operand: Any
    key: str = ""


@dataclass(frozen=True, slots=True)
class Events:
    """A condition on events: at least so many events of a type since an instant, or ever if there is none."""

    type: str
    at_least: int
    since: Instant | None


@dataclass(frozen=True, slots=True)
class Group:
    """The rules in `parts`, combined by `operator`: all must match, any must, or (`not`) the only part must
    not.
    """

    operator: str
    parts: tuple["Rule", ...]


Rule = Condition | Events | Group
