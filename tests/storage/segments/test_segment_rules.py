"""Segment rules as SQL match the same subscribers as plain Python, whatever the rule and the values."""

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audience import addresses
from audience.access import sites
from audience.segments import rules as segment_rules
from audience.segments.subjects import GROUPS, OPERATORS, SUBJECTS
from storage import database
from storage.searches import searches
from storage.searches.searches import Filters
from storage.segments import members, rules
from storage.subscribers import events, subscribers
from storage.subscribers.events import Event
from tests import stored_people
from tests.depth import examples
from tests.storage.segment_oracle import DAY, ZONE, PlainSubscriber, holds
from tests.stored_people import person

AT = 1_790_000_000_000
EVERYBODY = "SELECT id FROM subscribers WHERE site_id = ?"
KEYS = [
    "plan", "age", "a.b", "$", "$.plan", "[0]", "1", "é", "-", 'a"b', "a\\b", "a\\u0062", "'; DROP TABLE",
    "#", "first_name", "last_name",
]  # fmt: skip
TEXTS = [
    "pro", "PRO", "Pro plan", "Straße", "STRASSE", "straſse", "İstanbul", "i̇stanbul", "ﬁn", "K", "k", "",
    "42", " 42 ", "4.2e1", "042", "4x", "+42", ".5", "5.", "-7", "1e400",
    "true", "null", "[1]", '{"a": 1}', "%", "_",
    "2026-01-01", "2026-01-31", "2026-02-31", "2026-13-01", "2026-01-01T10:00", "2026-01-01 10:00:30",
    "2026-01-01T10:00:30.123Z", "2026-01-01T10:00:30.5+02:00", "2026-01-01T25:00", "20260101", "now", "12:00",
    "2026-09-21", "2026-09-20T22:30", "2026-09-22T00:30+02:00", "1999-09-22", "1898-09-23", "2026-12-31",
    "2001-01-02T23:30Z", "2026-1-1", "2024-02-29", "2023-02-29", "2026-01-01T10:00:30-05:30",
]  # fmt: skip
NUMBERS = [0, 1, -7, 42, 42.0, 41.5, 0.1, 0.5, 2**53 + 1, -(2**63), 1e300, 5]
DATES = ["2026-01-01", "2026-01-01T10:00:30.123Z", "2026-02-01T00:00+02:00", "2024-02-29", "2026-03-03"]
DOMAINS = ["example.com", "EXAMPLE.com", "straße.example", "bücher.example", "sub.example.com"]
TAGS = ["vip", "Straße", "News", "gone"]
TYPES = ["$purchase", "$PURCHASE", "visit", "it's"]
SCALARS = [*TEXTS, *NUMBERS, True, False]
INSTANTS = [AT - days * DAY + extra for days in (0, 1, 30, 90, 400) for extra in (-1, 0, 1)] + [-5, 0]


def random_subscriber(r: random.Random, number: int) -> PlainSubscriber:
    value = r.choice
    fields = {
        key: value([
            value(SCALARS), value(SCALARS), [value(SCALARS), value(SCALARS)], [], {"x": value(SCALARS)}, {},
            [[value(SCALARS)]], {"x": None},
        ])
        for key in KEYS[:-2]
        if r.random() < 0.6
    }  # fmt: skip
    return PlainSubscriber(
        email=f"{value(['Ann', 'bob', 'info', 'straße'])}{number}@{value(DOMAINS)}",
        fields=fields,
        first_name=value(["", *TEXTS[:20]]),
        last_name=value(["", "Lee", "Øst"]),
        tags={name for name in TAGS[:3] if r.random() < 0.4},
        events=[(value(TYPES), value(INSTANTS)) for _ in range(value([0, 0, 1, 2, 5]))],
        created_at=value(INSTANTS),
        updated_at=value(INSTANTS),
        last_event_at=value([None, *INSTANTS]),
        unsubscribed_at=value([None, None, *INSTANTS]),
    )


def store(site_id: int, records: list[PlainSubscriber]) -> None:
    ids = stored_people.store(
        site_id,
        [
            person(
                each.email, each.first_name, each.last_name, each.fields, sorted(each.tags),
                created_at=each.created_at, updated_at=each.updated_at, last_event_at=each.last_event_at,
                unsubscribed_at=each.unsubscribed_at,
            )
            for each in records
        ],
    )  # fmt: skip
    with database.write():
        for each in records:
            id_ = ids[addresses.identity(each.email)]
            events.add(
                [Event(id_, type_, "{}", None, when) for type_, when in each.events],
                site_id=site_id,
                created_at=AT,
            )


class Audience:
    def __init__(self, site_id: int, records: list[PlainSubscriber]) -> None:
        self.site_id = site_id
        self.records = records

    def in_python(self, rule: dict[str, Any]) -> list[str]:
        """The addresses that match in plain Python."""
        return sorted(each.email for each in self.records if holds(rule, each, AT))

    def in_database(self, rule: dict[str, Any]) -> list[str]:
        """The addresses that match in the database."""
        with database.session():
            chosen = rules.Finder(self.site_id).members(segment_rules.read(rule, AT, "rules", ZONE))
            matching = searches.search(self.site_id, Filters(rules=[chosen.condition]), 1000, 0)
            assert members.count(self.site_id, chosen) == (
                len(matching),
                sum(each.unsubscribed_at is not None for each in matching),
            )
        return sorted(each.email for each in matching)

    def among_some(self, rule: dict[str, Any]) -> tuple[list[str], list[str]]:
        """The addresses of half of the subscribers who match, in the database and in plain Python."""
        with database.session():
            ids = [row[0] for row in database.rows(EVERYBODY, (self.site_id,))][::2]
            chosen = rules.Finder(self.site_id, ids).members(segment_rules.read(rule, AT, "rules", ZONE))
            people = subscribers.get_by_ids(self.site_id, ids)
        matching, asked = self.in_python(rule), {each.email for each in people.values()}
        found = sorted(people[each].email for each in ids if each in chosen)
        return found, [email for email in matching if email in asked]


@pytest.fixture(scope="module")
def audience(tmp_path_factory, new_server_url):
    """A site with 100 subscribers, beside another site with the same."""
    file = f"sqlite:///{tmp_path_factory.mktemp('rules')}/audience.db"
    database.open(new_server_url() or file, allow_faulty=True)
    database.migrate()
    r = random.Random(20)
    records = [random_subscriber(r, number) for number in range(100)]
    site, other = sites.create("One"), sites.create("Other")
    store(site.id, records)
    store(other.id, records)
    yield Audience(site.id, records)
    database.close()


text = st.sampled_from([each for each in TEXTS if each.strip()])
flag = st.booleans()
days = st.sampled_from([1, 30, 90, 36_500])
CALENDAR_DAYS = st.sampled_from([0, 1, 2, 30, 90, 263, 36_500])
OPERANDS = {
    "tag": st.sampled_from(TAGS),
    "field": st.sampled_from(SCALARS),
    "status": st.sampled_from(["subscribed", "unsubscribed"]),
    "email": st.sampled_from(["ann1@example.com", "INFO2@EXAMPLE.COM", "nonsense", "straße3@bücher.example"]),
    "email_domain": st.sampled_from([*DOMAINS, "nowhere", "xn--bcher-kva.example"]),
}
PARTS = {
    "email": ["ann", "STRASSE", "ß", "@example", "1", "bücher"],
    "email_domain": ["xn--", "EXAMPLE", "sub.", "@sub", "bü", "ÜCHER.", "@", ".", "com."],
}


def operand(subject: str, operator: str):
    kind = OPERATORS[operator].operand
    if kind in ("value", "values"):
        one = OPERANDS[subject]
        return one if kind == "value" else st.lists(one, min_size=1, max_size=4)
    if kind == "bound":
        return st.sampled_from([*DATES, *NUMBERS] if subject == "field" else DATES)
    if kind == "text":
        return st.sampled_from(PARTS[subject]) if subject in PARTS else text
    counts = {"day": CALENDAR_DAYS, "anniversary": st.integers(0, 364)}
    return ({"flag": flag, "days": days, "count": st.integers(1, 3)} | counts)[kind]


def operators(subject: str, least: int):
    each = {operator: operand(subject, operator) for operator in SUBJECTS[subject].operators}
    return st.lists(st.sampled_from(sorted(each)), min_size=least, max_size=2, unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({operator: each[operator] for operator in chosen})
    )


def condition(subject: str):
    if subject == "field":
        return st.builds(
            lambda key, rest: {"field": key, **rest}, st.sampled_from(KEYS), operators(subject, 1)
        )
    if subject == "event":
        return st.builds(
            lambda key, rest: {"event": key, **rest}, st.sampled_from(TYPES), operators(subject, 0)
        )
    return operators(subject, 1).map(lambda rest: {subject: rest["is"] if [*rest] == ["is"] else rest})


any_rule = st.recursive(
    st.sampled_from(["field", "field", "field", *SUBJECTS]).flatmap(condition),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: {"all": parts}),
        st.lists(inner, max_size=3).map(lambda parts: {"any": parts}),
        inner.map(lambda part: {"not": part}),
    ),
    max_leaves=6,
)


@settings(max_examples=examples(800), deadline=None, suppress_health_check=list(HealthCheck))
@given(rule=any_rule)
def test_sql_and_plain_python_find_the_same_subscribers(audience, rule):
    expected = audience.in_python(rule)
    assert audience.in_database(rule) == expected
    found, expected = audience.among_some(rule)
    assert found == expected


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("operator", ["exists", "missing"])
def test_a_key_cannot_inject_sql(audience, key, operator):
    rule = {"field": key, operator: True}
    assert audience.in_database(rule) == audience.in_python(rule)
    assert 0 < len(audience.in_python(rule)) < len(audience.records)


def test_every_operator_of_the_table_has_its_sql():
    with_sql: dict[str, Any] = rules.SUBJECTS
    assert {subject: {*row.operators} for subject, row in SUBJECTS.items() if subject != "event"} == {
        subject: {*operators} for subject, operators in with_sql.items()
    }
    assert {operator for row in SUBJECTS.values() for operator in row.operators} == {*OPERATORS}
    assert {*GROUPS} == {*rules.GROUPS}


def test_the_largest_rules_run(audience):
    one = {"field": "plan", "in": [f"{number}" for number in range(100)]}
    wide = {"any": [one] * 199}
    deep: dict[str, Any] = {"tag": "vip"}
    for _ in range(15):
        deep = {"not": deep}
    assert audience.in_database(wide) == audience.in_python(one)
    longest: dict[str, Any] = {"field": "plan", "in": [f"{number:0300}" for number in range(100)]}
    assert audience.in_database(longest) == []
    assert audience.in_database(deep) == audience.in_python({"not": {"tag": "vip"}})


BOUNDS = [{"field": "age", sign: number} for sign in ("gt", "gte", "lt", "lte") for number in NUMBERS[:6]]
DATED = [{"field": "age", sign: date} for sign in ("gt", "lte") for date in DATES]
CHOSEN = [{"tag": "vip"}, {"event": "visit"}, {"event": "visit", "at_least": 2}, {"status": "unsubscribed"}]
EITHER = [{"any": [CHOSEN[0], each]} for each in (CHOSEN[1], {"field": "age", "gte": 1, "lt": 42})]
COMBINED: list[dict[str, Any]] = [
    *(
        {group: some}
        for group in ("all", "any")
        for some in (BOUNDS, DATED, [*CHOSEN, *BOUNDS], [*DATED, *BOUNDS])
    ),
    *({"all": [each, {"field": "age", "gte": 0, "lte": 42}, {"status": "subscribed"}]} for each in CHOSEN),
    *({"all": [*EITHER[:number], *CHOSEN[:2], {"not": {"tag": "Straße"}}]} for number in range(3)),
    {"not": {"all": [CHOSEN[0], {"not": CHOSEN[1]}, {"not": {"all": [EITHER[0], CHOSEN[2]]}}]}},
    {
        "all": [
            EITHER[0],
            CHOSEN[1],
            {"status": {"is_not": "unsubscribed"}},
            {"created_at": {"within_days": 90}},
        ]
    },
    {"all": [{"field": key, "exists": True} for key in KEYS]},
]


@pytest.mark.parametrize("rule", COMBINED, ids=str)
def test_combined_sets_are_those_of_plain_python(audience, rule):
    assert audience.in_database(rule) == audience.in_python(rule)
    assert audience.in_database({"not": rule}) == audience.in_python({"not": rule})
