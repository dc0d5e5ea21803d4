"""A segment's rule as a tree to draw, and in words."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audience import segments
from audience.console.wording import counted, number, short_day
from audience.segment_subjects import GROUPS, SUBJECTS
from audience.sites import Site

MOST_COUNTED = 30  # conditions; each is a count over the site
HEADS = {"all": "All of these hold", "any": "Any of these holds", "not": "None of these holds"}
NAMES = {
    "tag": "tag", "status": "status", "email": "address", "email_domain": "domain", "created_at": "created",
    "updated_at": "changed", "last_event_at": "last event", "unsubscribed_at": "left",
}  # fmt: skip
OPERATORS = {
    "is": "is {}", "is_not": "is not {}", "in": "is one of {}", "contains": "contains {}",
    "starts_with": "begins with {}", "gt": "after {}", "gte": "from {}", "lt": "before {}", "lte": "until {}",
    "within_days": "within {}", "not_within_days": "not within {}",
}  # fmt: skip
DATES = {
    "created_at": "were created", "updated_at": "were changed", "unsubscribed_at": "left",
    "last_event_at": "had their last event",
}  # fmt: skip
NUMBERS = {"gt": "more than {}", "gte": "at least {}", "lt": "less than {}", "lte": "at most {}"}


@dataclass(frozen=True)
class Branch:
    """A group with its `branches`, or a condition with the number of those for whom it holds alone.

    For one subscriber, whether it `holds` and, of a condition, what it `met`.
    """

    kind: str
    words: str
    count: int | None = None
    branches: tuple["Branch", ...] = ()
    holds: bool | None = None
    met: str = ""


def tree(site: Site, rules: Any) -> Branch:
    return _branch(site, rules, iter(range(MOST_COUNTED)))


def _branch(site: Site, node: Mapping[str, Any], left: Iterator[int]) -> Branch:
    kind = _kind(node)
    if kind in GROUPS:
        inner = _inner(kind, node)
        return Branch(kind, HEADS[kind], branches=tuple(_branch(site, each, left) for each in inner))
    total = segments.count(site, node) if next(left, None) is not None else None
    return Branch("condition", condition(node), total)


def matched(node: Mapping[str, Any]) -> Branch:
    """The tree of one subscriber, from `audience.segment_matches`."""
    kind = _kind(node)
    if kind in GROUPS:
        inner = tuple(map(matched, _inner(kind, node)))
        return Branch(kind, HEADS[kind], branches=inner, holds=node["matches"])
    said = {key: value for key, value in node.items() if key not in ("matches", "value")}
    return Branch("condition", condition(said), holds=node["matches"], met=_met(node["value"]))


def _met(value: Any) -> str:
    if value in (None, []):
        return "nothing"
    return _operand(value) if not isinstance(value, dict) else "an object"


def _inner(kind: str, node: Mapping[str, Any]) -> list[Any]:
    """What is in a group; `not` of `any` is one group, none of which holds."""
    if kind != "not":
        return list(node[kind])
    return list(node["not"]["any"]) if _kind(node["not"]) == "any" else [node["not"]]


def _kind(node: Mapping[str, Any]) -> str:
    return next((key for key in (*GROUPS, *SUBJECTS) if node.get(key) is not None), "")


def in_words(node: Mapping[str, Any]) -> str:
    """One sentence."""
    return f"Subscribers {_clause(node, is_top=True)}."


def _clause(node: Mapping[str, Any], is_top: bool = False) -> str:
    kind = _kind(node)
    if kind not in GROUPS:
        return _relative(node)
    if kind == "not":
        return (
            f"other than those {', or '.join(map(_clause, _inner(kind, node))) or 'whom nothing describes'}"
        )
    if kind == "all" and is_top:
        return _all(node[kind])
    parts = [_clause(each) for each in node[kind]]
    if not parts:
        return "without exception" if kind == "all" else "whom nothing describes: nobody"
    joined = (", and " if kind == "all" else ", or ").join(parts)
    return joined if is_top or len(parts) == 1 else f"({joined})"


def _all(nodes: Sequence[Any]) -> str:
    """What must hold, then whom that leaves out."""
    held = [_clause(each) for each in nodes if _kind(each) != "not"]
    left_out = [", or ".join(map(_clause, _inner("not", each))) for each in nodes if _kind(each) == "not"]
    return ", and ".join(held or ["without exception"]) + "".join(
        f"; but not those {each}" for each in left_out
    )


def _relative(node: Mapping[str, Any]) -> str:
    """A condition as a clause: whose plan is one of monthly, yearly."""
    phrase, kind = condition(node), _kind(node)
    if kind == "status":
        return f"who {'are' if phrase == 'subscribed' else 'have'} {phrase}"
    if kind == "tag":
        return _tagged(node["tag"])
    if kind == "event":
        return f"who had the {phrase}"
    if kind in DATES:
        return f"who {DATES[kind]} {phrase.removeprefix(NAMES[kind]).lstrip()}"
    return f"whose {phrase}"


def _tagged(operand: Any) -> str:
    operator, names = next(iter(operand.items())) if isinstance(operand, Mapping) else ("is", operand)
    if operator == "in":
        return f"who carry one of the tags {_operand(names)}"
    return f"who {'do not ' if operator == 'is_not' else ''}carry the tag {_operand(names)}"


def condition(node: Mapping[str, Any]) -> str:
    """A condition as a phrase: plan is one of monthly, yearly."""
    kind = _kind(node)
    operands = {key: value for key, value in node.items() if key != kind and value is not None}
    if kind == "event":
        return _events(node["event"], operands)
    if kind == "field":
        return f"{node['field']} {_phrases(operands)}"
    operand = node[kind]
    if kind == "status" and isinstance(operand, str):
        return "subscribed" if operand == "subscribed" else "left"
    return f"{NAMES[kind]} {_phrases(operand if isinstance(operand, Mapping) else {'is': operand})}"


def _events(type_: str, operands: Mapping[str, Any]) -> str:
    times = operands.get("at_least", 1)
    often = "" if times == 1 else f" at least {counted(times, 'time')}"
    days = operands.get("within_days")
    return f"event {type_}{often}" + (f" within {counted(days, 'day')}" if days else "")


def _phrases(operands: Mapping[str, Any]) -> str:
    return " and ".join(
        _phrase(operator, operand) for operator, operand in operands.items() if operand is not None
    )


def _phrase(operator: str, operand: Any) -> str:
    if operator in ("exists", "missing"):
        return "has a value" if (operator == "exists") is operand else "has no value"
    if operator.endswith("within_days"):
        return OPERATORS[operator].format(counted(operand, "day"))
    if operator in NUMBERS and isinstance(operand, int | float):
        return NUMBERS[operator].format(number(operand))
    return OPERATORS[operator].format(_operand(operand))


def _operand(operand: Any) -> str:
    if isinstance(operand, list):
        return ", ".join(map(_operand, operand))
    if isinstance(operand, bool):
        return "true" if operand else "false"
    try:
        return short_day(dt.date.fromisoformat(operand))
    except (TypeError, ValueError):
        return str(operand)
