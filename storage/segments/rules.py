"""Finds the subscribers that a rule chooses. Each condition finds a set of ids; groups combine sets.

A condition on a field is tested on rows `v`: the values of a custom field, or the first or last names of
subscribers.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import orjson
from pyroaring import BitMap

from storage.database import rows
from storage.engines.chosen import engine
from storage.segments.members import EVERYBODY, NOBODY, Members, ids_of
from storage.segments.nodes import Condition, Days, Events, Group, Instant, Rule
from storage.sql import AND, Sql, join, slices
from storage.subscribers import domains, field_values, tags
from storage.subscribers.field_values import BOOLEAN, DOMAIN, MAX_LENGTH, TEXT
from storage.subscribers.subscribers import DATES, TEXT_COLUMNS

BOUNDS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
PLACES = {"contains": "> 0", "starts_with": "= 1"}  # the operand's position, by `instr`
NOTHING = Sql("")
OPPOSITES = {"is_not": "is", "missing": "exists", "not_within_days": "within_days"}


class IdSelect(NamedTuple):
    """The beginning of a select of subscriber ids, before its conditions. `id` is the column of ids."""

    select: str
    id: str


OF_SITE = IdSelect("SELECT id FROM subscribers WHERE {site} AND ", "id")
OF_NAME = (
    "SELECT v.id FROM (SELECT id, folded({name}) AS folded, {text} AS kind, spelt_number({name}) AS number, "
    "spelt_instant({name}) AS instant FROM subscribers WHERE {{site}} AND {name} <> '') AS v WHERE "
)
OF_NAMES = {name: IdSelect(OF_NAME.format(name=name, text=TEXT), "v.id") for name in TEXT_COLUMNS}
OF_TAGS = IdSelect(
    "SELECT subscriber_id AS id FROM subscriber_tags WHERE site_id = ? AND tag_id IN "
    "(SELECT id FROM tags WHERE site_id = ? AND name_key ",
    "subscriber_id",
)
OF_EVENTS = IdSelect("SELECT subscriber_id AS id FROM events WHERE {site} AND ", "subscriber_id")
IS_DAY, DAY_OF_YEAR = "length(v.folded) = 10", "substr(v.folded, 6, 5)"
IS_CUT = f"v.kind = {TEXT} AND length(v.folded) = {MAX_LENGTH}"


class Finder:
    """Finds the subscribers of a site that rules select. With `among`, results hold only for these ids."""

    def __init__(self, site_id: int, among: Collection[int] | None = None) -> None:
        self.site_id = site_id
        self.among = None if among is None else orjson.dumps(list(among)).decode()

    def members(self, rule: Rule) -> Members:
        """The subscribers that a rule selects. For `OPPOSITES`, all that the opposite does not select."""
        if isinstance(rule, Group):
            return GROUPS[rule.operator](map(self.members, rule.parts))
        if isinstance(rule, Events):
            return self._with_events(rule)
        if rule.operator in OPPOSITES:
            return ~self.members(replace(rule, operator=OPPOSITES[rule.operator]))
        return SUBJECTS[rule.subject][rule.operator](self, rule)

    def _chosen(
        self, source: IdSelect, parameters: Sequence[Any], condition: Sql, grouped: Sql = NOTHING
    ) -> Members:
        """The members that a select finds, which is `source`, its `parameters`, `condition` and `grouped`."""
        site = engine.OF_SITE if self.among else "site_id = ?"
        text, bound = source.select.format(site=site) + condition.text, [*parameters, *condition.parameters]
        if self.among is not None:
            text, bound = f"{text} AND {source.id} IN ({engine.IDS})", [*bound, self.among]
        return Members(ids_of(Sql(text + grouped.text, (*bound, *grouped.parameters))))

    def _of_site(self, condition: Sql) -> Members:
        return self._chosen(OF_SITE, [self.site_id], condition)

    def _with_events(self, rule: Events) -> Members:
        condition, often = Sql("type = ?", (rule.type,)), NOTHING
        if rule.since is not None:
            condition = join(AND, [condition, Sql("occurred_at >= ?", (rule.since,))])
        if rule.at_least > 1:
            often = Sql(" GROUP BY subscriber_id HAVING count(*) >= ?", (rule.at_least,))
        return self._chosen(OF_EVENTS, [self.site_id], condition, often)

    def with_status(self, rule: Condition) -> Members:
        unsubscribed = self._of_site(Sql("unsubscribed_at IS NOT NULL"))
        return unsubscribed if rule.operand == "unsubscribed" else ~unsubscribed

    def with_tag(self, rule: Condition) -> Members:
        names = _operands(rule)
        among = engine.among([*names, *tags.twin_keys(self.site_id, names)])
        return self._chosen(OF_TAGS, [self.site_id] * 2, Sql(f"{among.text})", among.parameters))

    def with_date(self, rule: Condition) -> Members:
        if isinstance(rule.operand, Days):
            return self._of_site(_within(rule.subject, rule.operand.timed))
        if rule.operator == "exists":
            return self._of_site(Sql(f"{rule.subject} IS NOT NULL"))
        sign = BOUNDS.get(rule.operator, ">=")
        return self._of_site(Sql(f"{rule.subject} {sign} ?", (rule.operand,)))

    def with_address(self, rule: Condition) -> Members:
        return self._of_site(_one_of("email_key", _operands(rule)))

    def with_address_like(self, rule: Condition) -> Members:
        return self._of_site(Sql(f"instr(folded(email), ?) {PLACES[rule.operator]}", (rule.operand,)))

    def with_domain(self, rule: Condition) -> Members:
        return self._with_value(DOMAIN, _one_of("v.folded", _operands(rule)))

    def with_domain_like(self, rule: Condition) -> Members:
        """The subscribers whose domain, as stored or as shown, contains the operand or begins with it.

        The domain is tested with an `@` before and a dot after it, which an operand can include.
        """
        part = rule.operand if rule.operator == "contains" else f"@{rule.operand.removeprefix('@')}"
        meets = _meets(rule.operator, part)
        listed = [id_ for id_, forms in self._domains if any(map(meets, forms))]
        return Members(domains.holders(self.site_id, listed))

    @cached_property
    def _domains(self) -> list[tuple[int, set[str]]]:
        return [
            (id_, {f"@{name}.", f"@{domains.shown_domain(name)}."})
            for id_, name in domains.list_all(self.site_id)
        ]

    def _with_value(self, key: str | None, condition: Sql) -> Members:
        """The subscribers with a value of a field, or `DOMAIN`, that meets a condition on `v`. The field may
        be a name.
        """
        if key in TEXT_COLUMNS:
            return self._chosen(OF_NAMES[key], [self.site_id], condition)
        return Members(field_values.holders(self.site_id, key, condition))

    def with_any_value(self, rule: Condition) -> Members:
        return self._with_value(rule.key, Sql("TRUE"))

    def with_value(self, rule: Condition) -> Members:
        """The subscribers with a value equal to an operand. Long texts, cut in `v`, are compared whole."""
        operands = _operands(rule)
        long = [operand for operand in operands if _is_long(rule.key, operand)]
        texts = [operand for operand in operands if isinstance(operand, str) and operand not in long]
        conditions = [_equal(operand) for operand in operands if not isinstance(operand, str)]
        if texts:
            conditions.append(join(" ", [Sql(f"v.kind = {TEXT} AND"), _one_of("v.folded", texts)]))
        chosen = self._with_value(rule.key, _either(conditions)) if conditions else NOBODY
        for operand in long:
            chosen |= self._with_long_text(rule.key, operand, partial(str.__eq__, operand))
        return chosen

    def with_value_like(self, rule: Condition) -> Members:
        """The subscribers with a text that contains the operand or begins with it.

        A text that is cut in its row `v` is tested whole.
        """
        text, meets = rule.operand, _meets(rule.operator, rule.operand)
        if _is_long(rule.key, text):
            start = text if rule.operator == "starts_with" else ""
            return self._with_long_text(rule.key, start, meets)
        condition = Sql(f"v.kind = {TEXT} AND instr(v.folded, ?) {PLACES[rule.operator]}", (text,))
        chosen = self._with_value(rule.key, condition)
        if rule.operator == "contains" and rule.key not in TEXT_COLUMNS:
            chosen |= self._with_long_text(rule.key, "", meets)
        return chosen

    def with_days(self, rule: Condition) -> Members:
        """The subscribers with a value on the days of the operand.

        A date without a time, of ten characters, is the same day in every time zone.
        """
        days: Days = rule.operand
        whole, timed = [_within("v.instant", [days.whole])], _within("v.instant", days.timed)
        if days.yearly:
            first, end = days.yearly
            word = "AND" if first < end else "OR"  # else the days go on in the next year
            whole.append(Sql(f"({DAY_OF_YEAR} >= ? {word} {DAY_OF_YEAR} < ?)", days.yearly))
        either = [join(AND, [Sql(IS_DAY), *whole]), join(AND, [Sql(f"NOT {IS_DAY}"), timed])]
        return self._with_value(rule.key, _either(either))

    def with_bound(self, rule: Condition) -> Members:
        compared = "v.instant {} ?" if isinstance(rule.operand, Instant) else "v.number {} CAST(? AS NUMERIC)"
        return self._with_value(rule.key, Sql(compared.format(BOUNDS[rule.operator]), (rule.operand,)))

    def _with_long_text(self, key: str, start: str, meets: Callable[[str], bool]) -> Members:
        """The subscribers with a custom text that begins with `start` and meets a test. Only cut texts are
        found.

        Rows `v` are searched for the cut `start`; the whole texts are then tested in the subscribers' JSON.
        """
        begins = Sql(f"{IS_CUT} AND instr(v.folded, ?) = 1", (start[:MAX_LENGTH],))
        found = BitMap()
        for ids in slices(self._with_value(key, begins).ids):
            query = f"SELECT id, fields FROM subscribers WHERE id IN ({engine.IDS}) AND {engine.OF_SITE}"
            fields_by_id = rows(query, (orjson.dumps(ids).decode(), self.site_id))
            found.update(
                subscriber_id
                for subscriber_id, fields in fields_by_id
                if any(meets(text.casefold()) for text in _texts(orjson.loads(fields).get(key)))
            )
        return Members(found)


def _operands(rule: Condition) -> tuple[Any, ...]:
    """The operands of a condition: those of `in`, or the only one."""
    return rule.operand if rule.operator == "in" else (rule.operand,)


def _one_of(column: str, values: Collection[Any]) -> Sql:
    return join(" ", [Sql(column), engine.among(values)])


def _either(conditions: list[Sql]) -> Sql:
    either = join(" OR ", conditions)
    return Sql(f"({either.text})", either.parameters)


def _equal(operand: bool | int | float) -> Sql:
    if isinstance(operand, bool):
        return Sql(f"(v.kind = {BOOLEAN} AND v.folded = ?)", (str(operand).lower(),))
    return Sql("v.number = CAST(? AS NUMERIC)", (operand,))


def _within(column: str, periods: Sequence[tuple[int, int]]) -> Sql:
    """The condition that an instant is in one of several periods, whose ends are excluded."""
    if len(periods) == 1:
        return Sql(f"{column} >= ? AND {column} < ?", periods[0])
    listed = orjson.dumps(periods).decode()
    return Sql(
        f"EXISTS (SELECT 1 FROM {engine.PERIODS} WHERE {column} >= b.first AND {column} < b.ending)",
        (listed,),
    )


def _is_long(key: str, operand: Any) -> bool:
    """Whether an operand is too long to be compared with rows `v`, where texts except names are cut."""
    return isinstance(operand, str) and len(operand) >= MAX_LENGTH and key not in TEXT_COLUMNS


def _meets(operator: str, part: str) -> Callable[[str], bool]:
    """The test whether a text contains `part` or, by any other operator, begins with it."""
    return lambda text: part in text if operator == "contains" else text.startswith(part)


def _texts(value: Any) -> Iterator[str]:
    """Yields the texts of a custom value: itself, or the members of an array or object."""
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return (member for member in members if isinstance(member, str))


def _all(parts: Iterator[Members]) -> Members:
    """The members of all parts. Stops once nobody is left."""
    chosen = EVERYBODY
    for part in parts:
        chosen &= part
        if chosen == NOBODY:
            break
    return chosen


def _any(parts: Iterator[Members]) -> Members:
    chosen = NOBODY
    for part in parts:
        chosen |= part
    return chosen


GROUPS: dict[str, Callable[[Iterator[Members]], Members]] = {
    "all": _all,
    "any": _any,
    "not": lambda parts: ~next(parts),
}

Find = Callable[[Finder, Condition], Members]


def _texts_by(whole: Find, part: Find) -> dict[str, Find]:
    return dict.fromkeys(("is", "is_not", "in"), whole) | dict.fromkeys(PLACES, part)


DATED: dict[str, Find] = dict.fromkeys(
    (*BOUNDS, "within_days", "not_within_days", "days_ago", "exists", "missing"), Finder.with_date
)

# The operators of each subject of a rule.
SUBJECTS: dict[str, dict[str, Find]] = {
    "tag": dict.fromkeys(("is", "is_not", "in"), Finder.with_tag),
    "status": dict.fromkeys(("is", "is_not"), Finder.with_status),
    "email": _texts_by(Finder.with_address, Finder.with_address_like),
    "email_domain": _texts_by(Finder.with_domain, Finder.with_domain_like),
    "field": _texts_by(Finder.with_value, Finder.with_value_like)
    | dict.fromkeys(BOUNDS, Finder.with_bound)
    | dict.fromkeys(("days_ago", "in_next_days", "anniversary_in_next_days"), Finder.with_days)
    | dict.fromkeys(("exists", "missing"), Finder.with_any_value),
    **dict.fromkeys(DATES, DATED),
}
