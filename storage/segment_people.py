"""Conditions that are met by some people, whose ids other tables have.

Of conditions that must all hold, each set is narrowed by smaller ones before it is kept: to read the ids of
many costs little, to keep them much. Whoever only counts them does not read the subscribers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from storage.engines.chosen import engine
from storage.sql import AND, Sql, join

EXCLUDED = 8  # sets of whom others are not; SQLite bounds the depth
JOINED = 100  # sets in one; SQLite takes 500
UNION = " UNION ALL "
NOTHING = Sql("")


@dataclass(frozen=True, slots=True)
class People(Sql):
    """The condition that a subscriber is one of them; with `excludes`, that they are not.

    `select` finds `subscriber_id`, and takes another condition before `grouped` unless it `is_fixed`. A set
    of a lower `size` is likely smaller.
    """

    select: Sql = NOTHING
    grouped: Sql = NOTHING
    size: int = 0
    is_fixed: bool = False
    excludes: bool = False

    @property
    def ids(self) -> Sql:
        return join("", [self.select, self.grouped])

    def narrowed(self, other: Sql, condition: str = "+subscriber_id IN ({})") -> "People":
        """Those of them who are among other ids."""
        more = Sql(condition.format(other.text), other.parameters)
        return replace(self, select=join(AND, [self.select, more]))


def chosen(select: Sql, size: int, grouped: Sql = NOTHING) -> People:
    people = People("", select=select, grouped=grouped, size=size)
    return _among(people, "+" if size else "")


def _among(people: People, plus: str) -> People:
    """With its text; a plus keeps the people of a large set from being read one by one."""
    ids = people.ids
    return replace(people, text=f"{plus}subscribers.id IN ({ids.text})", parameters=ids.parameters)


def none_of(part: Sql) -> Sql:
    text = f"({part.text}) IS NOT TRUE"
    if isinstance(part, People):
        return replace(part, text=text, excludes=not part.excludes)
    return Sql(text, part.parameters)


def any_of(parts: Sequence[Sql]) -> Sql:
    if len(parts) == 1:
        return parts[0]
    whole = join(" OR ", [_nested(part) for part in parts] or [Sql("FALSE")])
    people = [part for part in parts if isinstance(part, People) and not part.excludes]
    if not people or len(people) < len(parts):
        return whole
    union = join(UNION, [each.ids for each in people])
    if union.text.count(UNION) >= JOINED:
        return whole
    size = max(each.size for each in people)
    return People(whole.text, whole.parameters, select=union, size=size, is_fixed=True)


def all_of(parts: Sequence[Sql]) -> Sql:
    if len(parts) == 1:
        return parts[0]
    positive = [part for part in parts if isinstance(part, People) and not part.excludes]
    fixed = [each for each in positive if each.is_fixed]
    single = sorted((each for each in positive if not each.is_fixed), key=lambda each: each.size)
    if not single:
        return _join(parts)
    most = engine.NARROWED
    chain = single[:1] if most == 1 else [*fixed[:1], *single][:most]
    people = chain[0]
    for each in chain[1:]:
        people = each.narrowed(people.ids)
    if len(chain) > 1:
        people = _among(people, "+" if any(each.size for each in chain) else "")
    others = [part for part in parts if part not in chain]
    whole = _join([*others, people])
    without = [part for part in others if isinstance(part, People) and part.excludes][:EXCLUDED]
    if len(without) < len(others):
        return whole
    for each in without:
        people = people.narrowed(each.ids, "(+subscriber_id IN ({})) IS NOT TRUE")
    return replace(people, text=whole.text, parameters=whole.parameters)


def _join(parts: Sequence[Sql]) -> Sql:
    return join(AND, [_nested(part) for part in parts] or [Sql("TRUE")])


def _nested(part: Sql) -> Sql:
    return Sql(f"({part.text})", part.parameters)
