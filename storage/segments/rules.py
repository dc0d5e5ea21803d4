"""Segment rules as SQL: one condition on the table `subscribers`, with all values of a rule bound.

A condition is true, false or NULL; `not` treats the last two alike (`IS NOT TRUE`), so that a missing or odd
value never affects the rest of a rule.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from storage.engines.chosen import engine
from storage.segments.nodes import BOUNDS, Between, Condition, Events, Group, Instant, Rule, simplify
from storage.segments.people import GROUPS, NOTHING, People, chosen, join_all, join_any, negate
from storage.sql import Sql, join
from storage.subscribers import domains, tags
from storage.subscribers.field_values import BOOLEAN, MAX_LENGTH, TEXT
from storage.subscribers.subscribers import DATES, TEXT_COLUMNS

DOMAIN = "substr(subscribers.email_key, instr(subscribers.email_key, '@') + 1)"
STATUSES = {"subscribed": "IS NULL", "unsubscribed": "IS NOT NULL"}

# `v` is a row of `field_values`; `j` the JSON `type` and `atom` of a name, or of text that is cut there.
OF_FIELD = (
    "SELECT v.subscriber_id FROM field_values v WHERE v.site_id = ? AND v.field_id = "
    "(SELECT id FROM custom_fields WHERE site_id = ? AND key = ?)"
)
OF_CUT = "EXISTS (SELECT 1 FROM {} AS j WHERE {})"
OBJECT = "(SELECT fields FROM subscribers AS cut WHERE cut.id = v.subscriber_id AND cut.site_id = v.site_id)"
IS_CUT = f"v.kind = {TEXT} AND length(v.folded) = {MAX_LENGTH}"
COMPARED = {False: ("v.number", "CAST(? AS NUMERIC)"), True: ("v.instant", "?")}  # by whether it is a date
JSON_TEXT = "CASE j.type WHEN 'text' THEN folded(j.atom) END"
TAGGED = (
    "SELECT subscriber_id FROM subscriber_tags WHERE site_id = ? AND tag_id IN "
    "(SELECT id FROM tags WHERE site_id = ? AND name_key {})"
)
UNSUBSCRIBED = "SELECT id AS subscriber_id FROM subscribers WHERE site_id = ? AND unsubscribed_at IS NOT NULL"
SMALL, LARGE, LARGEST = range(3)  # sets of people: by an index, by a value, by reading all values of a field

Compile = Callable[[Any], Sql]
CompileOfSite = Callable[[Any, int], Sql]
CompileField = Callable[[Condition, int], Sql]


def compile(rule: Rule, site_id: int) -> Sql:
    """The condition, in a query on `subscribers`, for the subscribers of a site that match a rule."""
    if isinstance(rule, Group):
        return GROUPS[rule.operator]([compile(part, site_id) for part in simplify(rule)], site_id)
    if isinstance(rule, Events):
        return _events(rule, site_id)
    if isinstance(rule, Between):
        return _between(rule, site_id)
    if rule.subject in OF_SITE:
        return OF_SITE[rule.subject][rule.operator](rule.operand, site_id)
    if rule.subject == "field":
        return FIELD[rule.operator](rule, site_id)
    return COLUMNS[rule.subject][rule.operator](rule.operand)


def _bind(template: str) -> Compile:
    return lambda operand: Sql(template, (operand,))


def _texts(whole: str, part: str) -> dict[str, Compile]:
    """The operators on text. `whole` is the SQL that compares the whole text, `part` the SQL that
    searches in it.
    """
    return {
        "is": _bind(f"{whole} = ?"),
        "is_not": _bind(f"{whole} <> ?"),
        "in": lambda operand: join(" ", [Sql(whole), engine.among(operand)]),
        "contains": _bind(f"instr({part}, ?) > 0"),
        "starts_with": _bind(f"instr({part}, ?) = 1"),
    }


def _dates(column: str) -> dict[str, Compile]:
    return {
        **{operator: _bind(f"{column} {sign} ?") for operator, sign in BOUNDS.items()},
        "within_days": _bind(f"{column} >= ?"),
        "not_within_days": _bind(f"({column} >= ?) IS NOT TRUE"),
        "exists": lambda _: Sql(f"{column} IS NOT NULL"),
        "missing": lambda _: Sql(f"{column} IS NULL"),
    }


def _status(status: str, site_id: int) -> Sql:
    return People(
        f"subscribers.unsubscribed_at {STATUSES[status]}",
        select=Sql(UNSUBSCRIBED, (site_id,)),
        is_fixed=True,
        excludes=status == "subscribed",
    )


COLUMNS: dict[str, dict[str, Compile]] = {
    **{name: _dates(f"subscribers.{name}") for name in DATES},
    "email": _texts("subscribers.email_key", "folded(subscribers.email)"),
}


def _tagged(names: tuple[str, ...], site_id: int) -> Sql:
    keys = (*names, *tags.twin_keys(site_id, names))
    among = engine.among(keys)
    return chosen(Sql(TAGGED.format(among.text), (site_id, site_id, *among.parameters)), SMALL)


def _domain_contains(part: str, site_id: int, comparison: str = "> 0") -> Sql:
    """The condition that a domain contains a text, as it is stored or shown, with an `@` before it and a dot
    after it.
    """
    stored = Sql(f"instr('@' || {DOMAIN} || '.', ?) {comparison}", (part,))
    shown = [(domain, f"@{text}.") for domain, text in domains.international(site_id)]
    matching = [
        domain for domain, text in shown if (text.startswith(part) if comparison == "= 1" else part in text)
    ]
    listed = Sql(f"{DOMAIN} {engine.ONE_OF_DOMAINS}", (domains.as_text(matching),))
    return join_any([stored, listed]) if matching else stored


def _domain_starts(part: str, site_id: int) -> Sql:
    return _domain_contains(f"@{part.removeprefix('@')}", site_id, "= 1")


def _of_any_site(compile: Compile) -> CompileOfSite:
    return lambda operand, _: compile(operand)


OF_SITE: dict[str, dict[str, CompileOfSite]] = {
    "email_domain": {
        **{operator: _of_any_site(compile) for operator, compile in _texts(DOMAIN, DOMAIN).items()},
        "contains": _domain_contains,
        "starts_with": _domain_starts,
    },
    "tag": {
        "is": lambda name, site_id: _tagged((name,), site_id),
        "is_not": lambda name, site_id: negate(_tagged((name,), site_id), site_id),
        "in": _tagged,
    },
    "status": {"is": _status, "is_not": lambda status, site_id: negate(_status(status, site_id), site_id)},
}


EVENT = {
    "within_days": " AND occurred_at >= ?",
    "at_least": " GROUP BY subscriber_id HAVING count(*) >= ?",
}


def _events(rule: Events, site_id: int) -> Sql:
    text = "SELECT subscriber_id FROM events WHERE site_id = ? AND type = ?"
    parameters: tuple[Any, ...] = (site_id, rule.type)
    if rule.since is not None:
        text, parameters = text + EVENT["within_days"], (*parameters, rule.since)
    several = Sql(EVENT["at_least"], (rule.at_least,)) if rule.at_least > 1 else NOTHING
    return chosen(Sql(text, parameters), SMALL, several)


def _some_name(rule: Condition, value: Sql) -> Sql:
    """The condition on a name of a subscriber, tested as JSON: it is a text, or missing."""
    name = f"subscribers.{rule.key}"
    type_ = f"CASE {name} WHEN '' THEN 'null' ELSE 'text' END"
    text = value.text.replace("j.type", type_).replace("j.atom", name)
    return Sql(f"({text}) IS TRUE", value.parameters)


def _some(rule: Condition, site_id: int, value: Sql, size: int = LARGEST, grouped: Sql = NOTHING) -> Sql:
    """The condition that a subscriber has a row of `field_values` that meets a condition."""
    select = Sql(f"{OF_FIELD} AND ({value.text})", (site_id, site_id, rule.key, *value.parameters))
    return chosen(select, size, grouped)


def _is_long(operand: Any) -> bool:
    return isinstance(operand, str) and len(operand) >= MAX_LENGTH


def _texts_of(rule: Condition, site_id: int, row: str, json_value: str, whole: bool = True) -> Sql:
    """A condition on text. It is tested on the row of `field_values`, and on the JSON only if the text in
    that row may be cut.

    With `whole`, the test of the row is enough, unless the operand itself is long enough to be cut.
    """
    if rule.key in TEXT_COLUMNS:
        return _some_name(rule, Sql(json_value, (rule.operand,)))
    of_cut = OF_CUT.format(engine.OF_JSON.format(OBJECT), json_value)
    truth_of_json = Sql(f"{IS_CUT} AND {of_cut}", (engine.json_path(rule.key), rule.operand))
    if _is_long(rule.operand):
        return _some(rule, site_id, truth_of_json)
    truth_of_row = Sql(f"v.kind = {TEXT} AND {row}", (rule.operand,))
    return _some(rule, site_id, truth_of_row if whole else join_any([truth_of_row, truth_of_json]))


def _is(rule: Condition, site_id: int) -> Sql:
    return _in(replace(rule, operand=[rule.operand]), site_id)


def _in(rule: Condition, site_id: int) -> Sql:
    """The condition for several operands: one search of `field_values` for all texts, one for all others."""
    if rule.key in TEXT_COLUMNS:
        return _some_name(rule, join_any([_json_equal(operand) for operand in rule.operand]))
    texts = [operand for operand in rule.operand if isinstance(operand, str)]
    others = [operand for operand in rule.operand if not isinstance(operand, str)]
    short = tuple(operand for operand in texts if not _is_long(operand))
    conditions = [
        _texts_of(replace(rule, operand=operand), site_id, "", f"{JSON_TEXT} = ?")
        for operand in texts
        if _is_long(operand)
    ]
    if short:
        equal = join(" ", [Sql(f"v.kind = {TEXT} AND v.folded"), engine.among(short)])
        conditions.append(_some(rule, site_id, equal, LARGE))
    if others:
        conditions.append(_some(rule, site_id, join_any([_row_equal(operand) for operand in others])))
    return join_any(conditions)


def _row_equal(operand: bool | int | float) -> Sql:
    if isinstance(operand, bool):
        return Sql(f"v.kind = {BOOLEAN} AND v.folded = ?", ("true" if operand else "false",))
    return Sql("v.number = CAST(? AS NUMERIC)", (operand,))


def _json_equal(operand: bool | int | float | str) -> Sql:
    if isinstance(operand, bool):
        return Sql("j.type = ?", ("true" if operand else "false",))
    return Sql(f"{JSON_TEXT} = ?" if isinstance(operand, str) else engine.json_number("="), (operand,))


def _bound(rule: Condition, site_id: int) -> Sql:
    sign, is_date = BOUNDS[rule.operator], isinstance(rule.operand, Instant)
    if rule.key in TEXT_COLUMNS:
        json_value = engine.json_instant(sign) if is_date else engine.json_number(sign)
        return _some_name(rule, Sql(json_value, (rule.operand,)))
    column, mark = COMPARED[is_date]
    return _some(rule, site_id, Sql(f"{column} {sign} {mark}", (rule.operand,)))


def _between(rule: Between, site_id: int) -> Sql:
    """The condition for two bounds, which reads the values once. The largest value of a list meets a lower
    bound if any value does.
    """
    lower, upper = rule.lower, rule.upper
    if lower.key in TEXT_COLUMNS:
        return join_all([_bound(lower, site_id), _bound(upper, site_id)])
    column, mark = COMPARED[isinstance(lower.operand, Instant)]
    bounds = (
        f" GROUP BY v.subscriber_id HAVING max({column}) {BOUNDS[lower.operator]} {mark} "
        f"AND min({column}) {BOUNDS[upper.operator]} {mark}"
    )
    in_bounds = Sql(bounds, (lower.operand, upper.operand))
    return _some(lower, site_id, Sql(f"{column} IS NOT NULL"), grouped=in_bounds)


def _present(rule: Condition, site_id: int) -> Sql:
    if rule.key in TEXT_COLUMNS:
        return Sql(f"subscribers.{rule.key} <> ''")
    return _some(rule, site_id, Sql("TRUE"))


FIELD: dict[str, CompileField] = {
    "is": _is,
    "is_not": lambda rule, site_id: negate(_is(rule, site_id), site_id),
    "in": _in,
    "contains": lambda rule, site_id: _texts_of(
        rule, site_id, "instr(v.folded, ?) > 0", f"instr({JSON_TEXT}, ?) > 0", whole=False
    ),
    "starts_with": lambda rule, site_id: _texts_of(
        rule, site_id, "instr(v.folded, ?) = 1", f"instr({JSON_TEXT}, ?) = 1"
    ),
    **dict.fromkeys(BOUNDS, _bound),
    "exists": _present,
    "missing": lambda rule, site_id: negate(_present(rule, site_id), site_id),
}

# The operators of each subject of a rule.
SUBJECTS = {**OF_SITE, "field": FIELD, "event": EVENT, **COLUMNS}
