"""Conditions that are met by some people, whose ids other tables have.

Of conditions that must all hold, each set is narrowed by smaller ones before it is kept: to read the ids of
many costs little, to keep them much. Whoever only counts them does not read the subscribers.

An engine that joins sets reads one for each row where it cannot join it, unless it fits into memory: there
every part of `any` and `not` is a set.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TypeGuard

from storage.database import database
from storage.engines.chosen import engine
from storage.sql import AND, Sql, join

EXCLUDED = 8  # sets of whom others are not; SQLite bounds the depth
JOINED = 100  # sets in one; SQLite takes 500
SELECT = "SELECT"  # in a condition that is met by sets
AMONG = "{id} IN ({ids})"
MEETING = "SELECT id AS subscriber_id FROM subscribers WHERE site_id = ?"
UNION = " UNION ALL "
NOTHING = Sql("")


@dataclass(frozen=True, slots=True)
class People(Sql):
    """A set of subscribers, as the condition of being in it or, with `excludes`, of not being in
    it.

    `select` finds `subscriber_id`, and takes another condition before `grouped` unless it `is_fixed`. A set
    with a lower `size` is probably smaller.
    """

    select: Sql = NOTHING
    grouped: Sql = NOTHING
    size: int = 0
    is_fixed: bool = False
    excludes: bool = False

    @property
    def ids(self) -> Sql:
        return join("", [self.select, self.grouped])

    def narrowed(self, others: Sql) -> "People":
        """The subscribers of this set that are also among other ids."""
        more = Sql(AMONG.format(id="+subscriber_id", ids=others.text), others.parameters)
        return replace(self, select=join(AND, [self.select, more]))

    def without(self, others: Sql) -> "People":
        """The subscribers of this set that are not among other ids."""
        more = engine.NOT_AMONG.format(id="+subscriber_id", ids=others.text)
        text = f"SELECT subscriber_id FROM ({self.ids.text}) AS these WHERE {more}"
        return replace(
            self,
            select=Sql(text, (*self.ids.parameters, *others.parameters)),
            grouped=NOTHING,
            is_fixed=False,
        )


def chosen(select: Sql, size: int, grouped: Sql = NOTHING) -> People:
    members = People("", select=select, grouped=grouped, size=size)
    return _among(members, "+" if size else "")


def _among(members: People, plus: str, condition: str = AMONG) -> People:
    """The set with the text of its condition. A plus in it keeps the subscribers of a large set from being
    read one by one.
    """
    ids = members.ids
    text = condition.format(id=f"{plus}subscribers.id", ids=ids.text)
    return replace(members, text=text, parameters=ids.parameters)


def negate(part: Sql, site_id: int) -> Sql:
    if engine.JOINS_SETS and SELECT in part.text:
        members = part if isinstance(part, People) else _meeting(part, site_id)
        whose = AMONG if members.excludes else engine.NOT_AMONG
        return replace(_among(members, "", whose), excludes=not members.excludes)
    text = f"({part.text}) IS NOT TRUE"
    if isinstance(part, People):
        return replace(part, text=text, excludes=not part.excludes)
    return Sql(text, part.parameters)


def any_group(parts: Sequence[Sql], site_id: int) -> Sql:
    if not engine.JOINS_SETS or all(SELECT not in part.text for part in parts):
        return join_any(parts)
    plain = [part for part in parts if SELECT not in part.text]
    sets = [part for part in parts if part not in plain]
    joined = [part if _is_among(part) else _meeting(part, site_id) for part in sets]
    return join_any([*joined, *(_meeting(join_any(unnested), site_id) for unnested in [plain] if unnested)])


def _is_among(part: Sql) -> TypeGuard[People]:
    return isinstance(part, People) and not part.excludes


def _meeting(part: Sql, site_id: int) -> People:
    return chosen(Sql(f"{MEETING} AND ({part.text})", (site_id, *part.parameters)), 0)


def join_any(parts: Sequence[Sql]) -> Sql:
    if len(parts) == 1:
        return parts[0]
    whole = join(" OR ", [_nested(part) for part in parts] or [Sql("FALSE")])
    members = [part for part in parts if isinstance(part, People) and not part.excludes]
    if not members or len(members) < len(parts):
        return whole
    union = join(UNION, [part.ids for part in members])
    if union.text.count(UNION) >= JOINED and not engine.JOINS_SETS:
        return whole
    size = max(part.size for part in members)
    return People(whole.text, whole.parameters, select=union, size=size, is_fixed=True)


def join_all(parts: Sequence[Sql]) -> Sql:
    if len(parts) == 1:
        return parts[0]
    positive = [part for part in parts if _is_among(part)]
    fixed = [part for part in positive if part.is_fixed]
    single = sorted((part for part in positive if not part.is_fixed), key=lambda part: part.size)
    if not single:
        return _join(parts)
    chain = [*fixed[:1], *single][: engine.NARROWED]
    members = chain[0]
    for part in chain[1:]:
        members = part.narrowed(members.ids)
    if len(chain) > 1:
        members = _among(members, "+" if any(part.size for part in chain) else "")
    others = [part for part in parts if part not in chain]
    whole = _join(parts if engine.JOINS_SETS else [*others, members])
    without = [part for part in others if isinstance(part, People) and part.excludes][:EXCLUDED]
    if len(without) < len(others):
        return whole
    for part in without:
        members = members.without(part.ids)
    return replace(members, text=whole.text, parameters=whole.parameters)


def joining() -> AbstractContextManager[None]:
    """A context for statements that count sets of subscribers."""
    return engine.joining_sets(database)


def looking_for(rules: Iterable[Sql]) -> AbstractContextManager[None]:
    """A context for statements that look up some of the subscribers that rules choose. Sets chosen by custom
    values have no index by subscriber.
    """
    return joining() if any("field_values" in rule.text for rule in rules) else nullcontext()


GROUPS: dict[str, Callable[[Sequence[Sql], int], Sql]] = {
    "all": lambda parts, _: join_all(parts),
    "any": any_group,
    "not": lambda parts, site_id: negate(parts[0], site_id),
}


def _join(parts: Sequence[Sql]) -> Sql:
    return join(AND, [_nested(part) for part in parts] or [Sql("TRUE")])


def _nested(part: Sql) -> Sql:
    return Sql(f"({part.text})", part.parameters)
