"""A segment's rule as one sentence. Sentences of different rules cannot be taken for each other.

A denial is written at each condition ("do not carry the tag vip"), not before a bracket. Only groups that the
whole rule leaves out follow at its end ("; but not those …, nor those …").
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from audience.console.rule_clauses import Clause, clause
from audience.console.rule_conditions import kind_of, operands
from audience.segments.subjects import GROUPS

Node = Mapping[str, Any]
OTHERWISE = {"all": "any", "any": "all"}
WORDS = {"all": "and", "any": "or"}
EVERYBODY, NOBODY = "All subscribers", "No subscribers"


@dataclass(frozen=True)
class Single:
    """A condition that must hold or, if `holds` is false, must not."""

    node: Node
    holds: bool


@dataclass(frozen=True)
class Combination:
    """Several conditions or groups, of which `all` or `any` must hold. Inner groups are of the other kind."""

    kind: str
    parts: tuple["Single | Combination", ...]


Meaning = Single | Combination | bool


def in_words(node: Node) -> str:
    """Describes a rule in one sentence."""
    nodes = list(_all_of(node))
    left_out = [node for node in nodes if _is_left_out(node)]
    held = _together("all", [_meaning(node) for node in nodes if node not in left_out])
    kept_out = [clause for node in left_out for clause in _any_of(_meaning(node["not"]))]
    if held is False or True in kept_out:
        return f"{NOBODY}."
    those = [f"those {_inner(clause)}" for clause in kept_out if not isinstance(clause, bool)]
    end = f" but not {', nor '.join(those)}" if those else ""
    if held is True:
        return f"{EVERYBODY}{',' if end else ''}{end}."
    return f"Subscribers {_outer(held)}{';' if end else ''}{end}."


def _all_of(node: Node) -> Iterator[Node]:
    """Yields the nodes that must all hold, with inner `all` groups opened."""
    if kind_of(node) != "all":
        yield node
        return
    for child in node["all"]:
        yield from _all_of(child)


def _any_of(meaning: Meaning) -> Sequence[Meaning]:
    """The alternatives of an `any`; another meaning is its only one."""
    return meaning.parts if isinstance(meaning, Combination) and meaning.kind == "any" else [meaning]


def _is_left_out(node: Node) -> bool:
    """Whether a node denies a group, not a single condition."""
    return kind_of(node) == "not" and isinstance(_meaning(node["not"]), Combination | bool)


def _meaning(node: Node, holds: bool = True) -> Meaning:
    """The meaning of a node or, unless `holds`, of its opposite, with denials moved to single conditions.

    True or false if the node holds for all subscribers, or for none.
    """
    kind = kind_of(node)
    if kind == "not":
        return _meaning(node["not"], not holds)
    if kind in GROUPS:
        inner = [_meaning(child, holds) for child in node[kind]]
        return _together(kind if holds else OTHERWISE[kind], inner)
    singles = list(_singles(node, kind))
    if holds or kind == "event" or len(singles) == 1:
        return Single(node, holds)
    return _together("any", [Single(single, False) for single in singles])


def _singles(node: Node, kind: str) -> Iterator[Node]:
    """Yields a node's conditions with one operator each."""
    for operator, operand in operands(node).items():
        yield {kind: node[kind], operator: operand} if kind == "field" else {kind: {operator: operand}}


def _together(kind: str, parts: Sequence[Meaning]) -> Meaning:
    """The parts as one meaning: inner groups of the same `kind` opened, true or false if that is settled."""
    settles = kind == "any"
    if any(part is settles for part in parts):
        return settles
    flat: list[Single | Combination] = []
    for part in parts:
        if not isinstance(part, bool):
            flat += part.parts if isinstance(part, Combination) and part.kind == kind else (part,)
    if len(flat) < 2:
        return flat[0] if flat else not settles
    return Combination(kind, tuple(flat))


def _outer(meaning: Single | Combination) -> Clause:
    """The first part of a sentence. Commas separate clauses, unless they are just two conditions."""
    if isinstance(meaning, Single):
        return clause(meaning.node, meaning.holds)
    clauses, word = [_inner(part) for part in meaning.parts], WORDS[meaning.kind]
    if any(isinstance(part, Combination) for part in meaning.parts):
        clauses = [Clause(str(clause), has_pronoun=True) for clause in clauses]
    elif len(clauses) == 2:
        return _join(clauses, f" {word} ", f" {word} ")
    return _join(clauses, ", ", f", {word} ")


def _inner(meaning: Single | Combination) -> Clause:
    """A clause without commas, with the groups in it in brackets."""
    if isinstance(meaning, Single):
        return clause(meaning.node, meaning.holds)
    between = f" {WORDS[meaning.kind]} "
    return _join([_in_brackets(part) for part in meaning.parts], between, between)


def _in_brackets(meaning: Single | Combination) -> Clause:
    inner = _inner(meaning)
    return inner if isinstance(meaning, Single) else replace(inner, words=f"({inner.words})")


def _join(clauses: Sequence[Clause], between: str, last: str) -> Clause:
    has_pronoun = any(clause.has_pronoun for clause in clauses)
    words = [str(clause) if has_pronoun else clause.words for clause in clauses]
    return Clause(last.join((between.join(words[:-1]), words[-1])), has_pronoun)
