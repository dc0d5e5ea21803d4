"""Segment rules as SQL: one condition on the table `subscribers`, with all values of a rule bound.

A condition is true, false or NULL; `not` treats the last two alike (`IS NOT TRUE`), so that a missing or odd
value never affects the rest of a rule.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from storage.database import marks
from storage.engines.chosen import engine
from storage.field_values import BOOLEAN, MAX_LENGTH, TEXT
from storage.sql import Sql, join
from storage.subscribers import DATES, Subscriber

NAMES = tuple(column.name for column in fields(Subscriber) if column.default == "")  # of text
DOMAIN = "substr(subscribers.email_key, instr(subscribers.email_key, '@') + 1)"
BOUNDS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
STATUSES = {"subscribed": "IS NULL", "unsubscribed": "IS NOT NULL"}

# `v` is a row of `field_values`; `j` the JSON `type` and `atom` of a name, or of text that is cut there.
OF_FIELD = (
    "SELECT v.subscriber_id FROM field_values v WHERE v.site_id = ? AND v.field_id = "
    "(SELECT id FROM custom_fields WHERE site_id = ? AND key = ?)"
)
OF_CUT = (
    "EXISTS (SELECT 1 FROM subscribers AS cut, {} "
    "WHERE cut.id = v.subscriber_id AND cut.site_id = v.site_id AND {})"
)
IS_CUT = f"v.kind = {TEXT} AND length(v.folded) = {MAX_LENGTH}"
JSON_TEXT = "CASE j.type WHEN 'text' THEN folded(j.atom) END"
TAGGED = (
    "subscribers.id IN (SELECT subscriber_id FROM subscriber_tags WHERE site_id = ? AND tag_id IN "
    "(SELECT id FROM tags WHERE site_id = ? AND name_key IN ({})))"
)


class Instant(int):
    """Milliseconds since 1970, to compare with dates instead of numbers."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a subscriber; `key` is that of a custom field. Text operands are casefolded."""

    subject: str
    operator: str
    operand: Any
    key: str = ""


@dataclass(frozen=True, slots=True)
class Events:
    """At least a number of events of a type, since an instant or ever."""

    type: str
    at_least: int
    since: Instant | None


@dataclass(frozen=True, slots=True)
class Group:
    """`all`, `any` or `not` of its parts; `not` has one part."""

    operator: str
    parts: tuple["Rule", ...]


Rule = Condition | Events | Group
Compile = Callable[[Any], Sql]
CompileField = Callable[[Condition, int], Sql]


def compile(rule: Rule, site_id: int) -> Sql:
    """The condition, in a query on `subscribers`, for the subscribers of a site that match a rule."""
    if isinstance(rule, Group):
        return GROUPS[rule.operator]([compile(part, site_id) for part in rule.parts])
    if isinstance(rule, Events):
        return _events(rule, site_id)
    if rule.subject == "tag":
        return _tag(rule, site_id)
    if rule.subject == "field":
        return FIELD[rule.operator](rule, site_id)
    return COLUMNS[rule.subject][rule.operator](rule.operand)


def _not(part: Sql) -> Sql:
    return Sql(f"({part.text}) IS NOT TRUE", part.parameters)


def _all(parts: list[Sql]) -> Sql:
    return join(" AND ", [Sql(f"({part.text})", part.parameters) for part in parts] or [Sql("TRUE")])


def _any(parts: list[Sql]) -> Sql:
    return join(" OR ", [Sql(f"({part.text})", part.parameters) for part in parts] or [Sql("FALSE")])


GROUPS: dict[str, Callable[[list[Sql]], Sql]] = {
    "all": _all,
    "any": _any,
    "not": lambda parts: _not(parts[0]),
}


def _bind(template: str) -> Compile:
    return lambda operand: Sql(template, (operand,))


def _texts(whole: str, part: str) -> dict[str, Compile]:
    """The operators on text: `whole` is compared, `part` is searched."""
    return {
        "is": _bind(f"{whole} = ?"),
        "is_not": _bind(f"{whole} <> ?"),
        "in": lambda operand: Sql(f"{whole} IN ({marks(operand)})", tuple(operand)),
        "contains": _bind(f"instr({part}, ?) > 0"),
        "starts_with": _bind(f"instr({part}, ?) = 1"),
    }


def _dates(column: str) -> dict[str, Compile]:
    return {
        **{operator: _bind(f"{column} {sign} ?") for operator, sign in BOUNDS.items()},
        "within_days": _bind(f"{column} >= ?"),
        "not_within_days": lambda since: _not(Sql(f"{column} >= ?", (since,))),
        "exists": lambda _: Sql(f"{column} IS NOT NULL"),
        "missing": lambda _: Sql(f"{column} IS NULL"),
    }


def _status(status: str) -> Sql:
    return Sql(f"subscribers.unsubscribed_at {STATUSES[status]}")


COLUMNS: dict[str, dict[str, Compile]] = {
    **{name: _dates(f"subscribers.{name}") for name in DATES},
    "status": {"is": _status, "is_not": lambda status: _not(_status(status))},
    "email": _texts("subscribers.email_key", "folded(subscribers.email)"),
    "email_domain": _texts(DOMAIN, DOMAIN),
}


def _tagged(names: tuple[str, ...], site_id: int) -> Sql:
    return Sql(TAGGED.format(marks(names)), (site_id, site_id, *names))


TAG: dict[str, Callable[[Any, int], Sql]] = {
    "is": lambda name, site_id: _tagged((name,), site_id),
    "is_not": lambda name, site_id: _not(_tagged((name,), site_id)),
    "in": _tagged,
}


def _tag(rule: Condition, site_id: int) -> Sql:
    return TAG[rule.operator](rule.operand, site_id)


EVENT = {
    "within_days": " AND occurred_at >= ?",
    "at_least": " GROUP BY subscriber_id HAVING count(*) >= ?",
}


def _events(rule: Events, site_id: int) -> Sql:
    text, parameters = "SELECT subscriber_id FROM events WHERE site_id = ? AND type = ?", [site_id, rule.type]
    if rule.since is not None:
        text, parameters = text + EVENT["within_days"], [*parameters, rule.since]
    if rule.at_least > 1:
        text, parameters = text + EVENT["at_least"], [*parameters, rule.at_least]
    return Sql(f"subscribers.id IN ({text})", tuple(parameters))


def _some_name(rule: Condition, value: Sql) -> Sql:
    """Whether a name of a subscriber meets a condition on JSON: it is a text, or missing."""
    name = f"subscribers.{rule.key}"
    type_ = f"CASE {name} WHEN '' THEN 'null' ELSE 'text' END"
    text = value.text.replace("j.type", type_).replace("j.atom", name)
    return Sql(f"({text}) IS TRUE", value.parameters)


def _some(rule: Condition, site_id: int, value: Sql) -> Sql:
    """Whether a subscriber has a row of `field_values` that meets a condition."""
    return Sql(
        f"+subscribers.id IN ({OF_FIELD} AND ({value.text}))",
        (site_id, site_id, rule.key, *value.parameters),
    )


def _is_long(operand: Any) -> bool:
    return isinstance(operand, str) and len(operand) >= MAX_LENGTH


def _texts_of(rule: Condition, site_id: int, row: str, json_value: str, whole: bool = True) -> Sql:
    """A condition on text: by the row, and by the JSON only where the row may be cut.

    `whole` says that a cut row cannot match what is not cut.
    """
    if rule.key in NAMES:
        return _some_name(rule, Sql(json_value, (rule.operand,)))
    of_cut = OF_CUT.format(engine.OF_JSON, json_value)
    truth = Sql(f"{IS_CUT} AND {of_cut}", (engine.json_path(rule.key), rule.operand))
    if _is_long(rule.operand):
        return _some(rule, site_id, truth)
    found = Sql(f"v.kind = {TEXT} AND {row}", (rule.operand,))
    return _some(rule, site_id, found if whole else _any([found, truth]))


def _is(rule: Condition, site_id: int) -> Sql:
    return _in(replace(rule, operand=[rule.operand]), site_id)


def _in(rule: Condition, site_id: int) -> Sql:
    """One search of `field_values` for all texts, one for all other operands."""
    if rule.key in NAMES:
        return _some_name(rule, _any([_json_equal(operand) for operand in rule.operand]))
    texts = [operand for operand in rule.operand if isinstance(operand, str)]
    others = [operand for operand in rule.operand if not isinstance(operand, str)]
    short = tuple(operand for operand in texts if not _is_long(operand))
    found = [
        _texts_of(replace(rule, operand=operand), site_id, "", f"{JSON_TEXT} = ?")
        for operand in texts
        if _is_long(operand)
    ]
    if short:
        found.append(_some(rule, site_id, Sql(f"v.kind = {TEXT} AND v.folded IN ({marks(short)})", short)))
    if others:
        found.append(_some(rule, site_id, _any([_row_equal(operand) for operand in others])))
    return _any(found)


def _row_equal(operand: bool | int | float) -> Sql:
    if isinstance(operand, bool):
        return Sql(f"v.kind = {BOOLEAN} AND v.folded = ?", ("true" if operand else "false",))
    return Sql("v.number = CAST(? AS NUMERIC)", (operand,))


def _json_equal(operand: bool | int | float | str) -> Sql:
    if isinstance(operand, bool):
        return Sql("j.type = ?", ("true" if operand else "false",))
    return Sql(f"{JSON_TEXT} = ?" if isinstance(operand, str) else engine.json_number("="), (operand,))


def _bound(sign: str) -> CompileField:
    def compile_bound(rule: Condition, site_id: int) -> Sql:
        if isinstance(rule.operand, Instant):
            row, json_value = f"v.instant {sign} ?", engine.json_instant(sign)
        else:
            row, json_value = f"v.number {sign} CAST(? AS NUMERIC)", engine.json_number(sign)
        if rule.key in NAMES:
            return _some_name(rule, Sql(json_value, (rule.operand,)))
        return _some(rule, site_id, Sql(row, (rule.operand,)))

    return compile_bound


def _present(rule: Condition, site_id: int) -> Sql:
    if rule.key in NAMES:
        return Sql(f"subscribers.{rule.key} <> ''")
    return _some(rule, site_id, Sql("TRUE"))


FIELD: dict[str, CompileField] = {
    "is": _is,
    "is_not": lambda rule, site_id: _not(_is(rule, site_id)),
    "in": _in,
    "contains": lambda rule, site_id: _texts_of(
        rule, site_id, "instr(v.folded, ?) > 0", f"instr({JSON_TEXT}, ?) > 0", whole=False
    ),
    "starts_with": lambda rule, site_id: _texts_of(
        rule, site_id, "instr(v.folded, ?) = 1", f"instr({JSON_TEXT}, ?) = 1"
    ),
    **{operator: _bound(sign) for operator, sign in BOUNDS.items()},
    "exists": _present,
    "missing": lambda rule, site_id: _not(_present(rule, site_id)),
}

# The operators of each subject of a rule.
SUBJECTS = {"tag": TAG, "field": FIELD, "event": EVENT, **COLUMNS}
