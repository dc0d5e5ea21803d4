"""A condition of a segment's rule as a clause: "who are subscribed", "whose plan is not pro"."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from audience.console.rule_conditions import (
    NAMES,
    days,
    frequency_text,
    kind_of,
    operands,
    phrase,
    quoted,
    value,
)
from audience.console.wording import counted
from audience.segments.subjects import BOUNDS
from schemas.values import NAMES as PLAIN_FIELDS

DENIED = {"contains": "contain", "starts_with": "begin with"}
BOTH = " but "  # from 1 Jan but before 1 Feb: no "and", which would be read as one of the rule
Said = Callable[[str, Any, bool], str]  # an operator, its operand, and whether it holds


@dataclass(frozen=True)
class Clause:
    """A clause of a sentence: the words after "who" or, with `has_pronoun`, all of it."""

    words: str
    has_pronoun: bool = False

    def __str__(self) -> str:
        return self.words if self.has_pronoun else f"who {self.words}"


def clause(node: Mapping[str, Any], holds: bool) -> Clause:
    """The clause that states a condition or, if `holds` is false, denies it."""
    kind, asked = kind_of(node), operands(node)
    if kind == "event":
        return Clause(_event(node["event"], asked, holds))
    if kind == "field":
        return _field(node["field"], asked, holds)
    if kind in SAID:
        (operator, operand), *others = asked.items()
        more = [phrase(*other) for other in others]
        return Clause(BOTH.join([SAID[kind](operator, operand, holds), *more]))
    return _value(NAMES[kind], asked, holds)


def _event(type_: str, asked: Mapping[str, Any], holds: bool) -> str:
    times, lately = asked.get("at_least", 1), frequency_text({"within_days": asked.get("within_days")})
    if holds:
        return f"had the event {quoted(type_)}{frequency_text(asked)}"
    if times == 1:
        return f"did not have the event {quoted(type_)}{lately}"
    return f"had the event {quoted(type_)} fewer than {counted(times, 'time')}{lately}"


def _status(operator: str, operand: Any, holds: bool) -> str:
    is_subscribed = (operand == "subscribed") == ((operator == "is") == holds)
    return "are subscribed" if is_subscribed else "are unsubscribed"


def _tag(operator: str, operand: Any, holds: bool) -> str:
    return f"{'' if holds == (operator != 'is_not') else 'do not '}carry the tag {value(operand)}"


def _date_phrase(done: str) -> Said:
    """A function that puts a condition on a date into words; `done` is the verb."""

    def phrase_of(operator: str, operand: Any, holds: bool) -> str:
        holds, when = _when(operator, operand, holds)
        return f"were {'' if holds else 'not '}{done}{when}"

    return phrase_of


def _last_event(operator: str, operand: Any, holds: bool) -> str:
    if operator in (*BOUNDS, "days_ago"):
        return f"{'had' if holds else 'did not have'} their last event {phrase(operator, operand)}"
    holds, when = _when(operator, operand, holds)
    if not when:
        return "had an event at some time" if holds else "never had an event"
    return f"had {'an' if holds else 'no'} event{when}"


def _unsubscribed_phrase(operator: str, operand: Any, holds: bool) -> str:
    holds, when = _when(operator, operand, holds)
    if not when:
        return "have unsubscribed" if holds else "have not unsubscribed"
    return f"unsubscribed{when}" if holds else f"did not unsubscribe{when}"


def _when(operator: str, operand: Any, holds: bool) -> tuple[bool, str]:
    """The (whether the clause says that an event happened, words for when).

    The words begin with a space; they are "" if the condition is whether it ever happened.
    """
    if operator in BOUNDS:
        return holds, f" {phrase(operator, operand)}"
    if operator in ("exists", "missing"):
        return holds == ((operator == "exists") is operand), ""
    if operator == "days_ago":
        return holds, f" {phrase(operator, operand)}"
    return holds == (operator == "within_days"), f" in the last {days(operand)}"


def _field(key: str, asked: Mapping[str, Any], holds: bool) -> Clause:
    """A clause on a field: "have no value for plan", or as `_value`."""
    name = key.replace("_", " ") if key in PLAIN_FIELDS else quoted(key)
    if len(asked) == 1 and (operator := next(iter(asked))) in ("exists", "missing"):
        has_value = holds == ((operator == "exists") is asked[operator])
        return Clause(f"have {'a' if has_value else 'no'} value for {name}")
    return _value(name, asked, holds)


def _value(name: str, asked: Mapping[str, Any], holds: bool) -> Clause:
    """A clause on the value of what `name` names: "whose plan is not pro"."""
    (operator, operand), *others = asked.items()
    words = [_predicate(operator, operand, holds), *(phrase(*other) for other in others)]
    prefix = "value for " if operator in BOUNDS and not isinstance(operand, str) else ""
    return Clause(f"whose {prefix}{name} {BOTH.join(words)}", has_pronoun=True)


def _predicate(operator: str, operand: Any, holds: bool) -> str:
    if operator == "anniversary_in_next_days" and not holds:
        return f"does not have{phrase(operator, operand).removeprefix('has')}"
    if operator in (*BOUNDS, "days_ago", "in_next_days"):
        return f"is {'' if holds else 'not '}{phrase(operator, operand)}"
    if operator in ("contains", "starts_with") and not holds:
        return f"does not {DENIED[operator]} {value(operand)}"
    if operator in ("is", "is_not", "in") and holds == (operator == "is_not"):
        is_choice = isinstance(operand, list) and len(operand) > 1
        return f"is neither {value(operand, 'nor')}" if is_choice else f"is not {value(operand)}"
    return phrase("is" if operator == "is_not" else operator, operand)


SAID: dict[str, Said] = {
    "status": _status,
    "tag": _tag,
    "created_at": _date_phrase("created"),
    "updated_at": _date_phrase("changed"),
    "last_event_at": _last_event,
    "unsubscribed_at": _unsubscribed_phrase,
}
