"""How a server counts segments: by joins, whatever it knows of the tables, and however little memory it has.

A set that is no join is read anew for each subscriber once it does not fit into memory, and so is one that a
loop joins: two sets of 30,000 people take minutes.
"""

import pytest

from audience.operations import site_lane
from audience.segments import rules as segment_rules
from storage import database
from storage.searches import lists as subscriber_lists
from storage.searches import searches
from storage.segments import rules as sql
from storage.segments import segments
from tests.client import open_client

AT = 1_790_000_000_000
TAGGED, OLD = {"tag": "vip"}, {"field": "age", "gt": 30}
GMAIL = {"email": {"contains": "gmail"}}
RULES = [
    {"tag": {"is_not": "vip"}},
    {"field": "plan", "is_not": "pro"},
    {"field": "plan", "missing": True},
    {"not": {"any": [TAGGED, GMAIL]}},
    {"not": {"all": [TAGGED, GMAIL]}},
    {"not": {"not": TAGGED}},
    {"any": [{"not": TAGGED}, {"status": "unsubscribed"}, OLD]},
    {"any": [{"all": [TAGGED, GMAIL]}, GMAIL]},
    {"all": [TAGGED, OLD, {"field": "plan", "in": ["pro", "team"]}, {"status": "subscribed"}]},
    {"all": [{"any": [TAGGED, {"event": "visit"}]}, {"field": "age", "gte": 18, "lt": 65}, {"not": OLD}]},
]
CONTAINS = {"field": "city", "contains": "ri"}
RULES_OF_LONG_TEXTS = [
    {"all": [OLD, {"not": CONTAINS}]},
    {"all": [OLD, TAGGED, CONTAINS]},
    {"any": [{"not": CONTAINS}, {"field": "city", "starts_with": "r" * 200}]},
]


@pytest.fixture
def database_url(server, migrated_on_server):
    url = server.create(migrated_on_server)
    yield url
    server.drop(url)


def count(site_id, rule):
    segments.count(site_id, rule)


def list_page(site_id, rule):
    subscriber_lists.page(site_id, rule, "created_at", True, 100, 0)


def search(site_id, rule):
    searches.search(site_id, searches.Filters(rules=[rule]), 100, 0)


def export(site_id, rule):
    searches.page(site_id, searches.Filters(rules=[rule]), "", 100)


@pytest.fixture
def plan_of(app, monkeypatch):
    """The plan of an act on a rule."""
    client, plans = open_client(app.test_client()), []

    def explained(statement, bound, **_):
        database.execute("SET LOCAL work_mem = '64kB'")
        plans.append("\n".join(line for (line,) in database.rows(f"EXPLAIN {statement}", bound)))
        return []

    def explained_row(statement, bound):
        return explained(statement, bound) or (0, 0)

    def plan(rule, act=count):
        with database.session():
            compiled = sql.compile(segment_rules.read(rule, AT, "rules"), client.site.id)
            act(client.site.id, compiled)
        return plans[0]

    fields = [{"age": n, "city": f"city {n}"} for n in range(900)]
    people = [{"email": f"p{n}@example.com", "tags": ["vip"], "fields": fields[n]} for n in range(900)]
    client.post("/batch/subscribers", {"subscribers": people})
    site_lane.drain(client.site.id, 30)
    monkeypatch.setattr(segments, "row", explained_row)
    monkeypatch.setattr(subscriber_lists, "rows", explained)
    monkeypatch.setattr(searches, "rows", explained)
    monkeypatch.setattr(searches, "each_row", explained)
    return plan


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_sets_are_joined_without_statistics_and_without_memory(plan_of, rule):
    plan = plan_of(rule)
    assert "SubPlan" not in plan
    assert "Nested Loop" not in plan


@pytest.mark.parametrize("with_statistics", [True, False])
@pytest.mark.parametrize("rule", RULES_OF_LONG_TEXTS, ids=str)
def test_no_loop_reads_texts_that_are_cut(plan_of, rule, with_statistics):
    if with_statistics:
        with database.session():
            database.execute("ANALYZE")
    assert "Nested Loop" not in plan_of(rule)


@pytest.mark.parametrize("act", [list_page, search, export])
@pytest.mark.parametrize(
    "rule", [{"all": [OLD, {"not": CONTAINS}]}, {"field": "plan", "is_not": "pro"}], ids=str
)
def test_no_loop_over_values_finds_a_page(plan_of, rule, act):
    assert "Nested Loop" not in plan_of(rule, act)
