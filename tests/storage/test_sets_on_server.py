"""How a server counts segments: by joins, whatever it knows of the tables, and however little memory it has.

A set that is no join is read anew for each subscriber once it does not fit into memory, and so is one that a
loop joins: two sets of 30,000 people take minutes.
"""

import pytest

from audience import imports, segment_rules
from storage import database, segments
from storage import segment_rules as sql
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


@pytest.fixture
def database_url(server, migrated_on_server):
    url = server.create(migrated_on_server)
    yield url
    server.drop(url)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_sets_are_joined_without_statistics_and_without_memory(app, rule, monkeypatch):
    client, plans = open_client(app.test_client()), []

    def explained(statement, bound):
        database.execute("SET LOCAL work_mem = '64kB'")
        plans.append("\n".join(line for (line,) in database.rows(f"EXPLAIN {statement}", bound)))
        return 0, 0

    people = [{"email": f"p{n}@example.com", "tags": ["vip"], "fields": {"age": n}} for n in range(900)]
    client.post("/batch/subscribers", {"subscribers": people})
    imports.drain(client.site.id, 30)
    monkeypatch.setattr(segments, "row", explained)
    with database.session():
        compiled = sql.compile(segment_rules.read(rule, AT, "rules"), client.site.id)
        segments.count(client.site.id, compiled)
    [plan] = plans
    assert "SubPlan" not in plan
    assert "Nested Loop" not in plan
