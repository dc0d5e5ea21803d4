"""A segment's rule as a tree to draw."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from audience.access.sites import Site
from audience.console.rule_conditions import condition, kind_of, value
from audience.segments import segments
from audience.segments.subjects import GROUPS

MOST_COUNTED = 30  # conditions; each is a count over the site
HEADS = {"all": "All of these match", "any": "Any of these matches", "not": "None of these matches"}


@dataclass(frozen=True)
class Branch:
    """A group with its `branches`, or a condition with the number of subscribers for whom it holds.

    In a tree for one subscriber, `holds` says whether it holds for that one, and `met` has that one's values
    in words.
    """

    kind: str
    words: str
    count: int | None = None
    branches: tuple["Branch", ...] = ()
    holds: bool | None = None
    met: str = ""


def tree(site: Site, rules: Any) -> Branch:
    """The tree of a rule. Only its first `MOST_COUNTED` conditions have a `count`."""
    return _branch(site, rules, iter(range(MOST_COUNTED)))


def _branch(site: Site, node: Mapping[str, Any], budget: Iterator[int]) -> Branch:
    """The tree of a node. Each count takes an item from `budget`; without one, it is None."""
    kind = kind_of(node)
    if kind in GROUPS:
        inner = _inner(kind, node)
        return Branch(kind, HEADS[kind], branches=tuple(_branch(site, node, budget) for node in inner))
    total = segments.count(site, node) if next(budget, None) is not None else None
    return Branch("condition", condition(node), total)


def result_tree(node: Mapping[str, Any]) -> Branch:
    """The tree of a rule for one subscriber, from a result of `audience.segments.matches`."""
    kind = kind_of(node)
    if kind in GROUPS:
        inner = tuple(map(result_tree, _inner(kind, node)))
        return Branch(kind, HEADS[kind], branches=inner, holds=node["matches"])
    rule = {key: value for key, value in node.items() if key not in ("matches", "value")}
    return Branch("condition", condition(rule), holds=node["matches"], met=_values_text(node["value"]))


def _values_text(values: Any) -> str:
    if values in (None, []):
        return "nothing"
    return value(values, "and") if not isinstance(values, dict) else "an object"


def _inner(kind: str, node: Mapping[str, Any]) -> list[Any]:
    """The nodes in a group. For `not` of `any`, those of the `any`: none of them may hold."""
    if kind != "not":
        return list(node[kind])
    return list(node["not"]["any"]) if kind_of(node["not"]) == "any" else [node["not"]]
