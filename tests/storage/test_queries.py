"""The API's queries use indexes, bind the site, and do not grow with the number of subscribers."""

import re
from typing import Any

import pytest

from audience import jobs
from audience.imports import file_imports
from audience.operations import site_lane
from audience.segments import matches as segment_matches
from audience.undo import undos
from audience.undo import work as undo_work
from schemas import cursors
from storage import database
from storage.engines.chosen import engine
from storage.instance import moves
from storage.pace import Pace
from storage.searches import searches
from tests.api.endpoints import ADDRESSES, ENDPOINTS, ask, prepare

AGREED = {"consent": "subscribed"}

DATES = ["created_at", "updated_at", "last_event_at", "unsubscribed_at"]
OF_A_SITE = re.compile(
    r"\b(subscribers|tags|subscriber_tags|custom_fields|events|suppressions|imports|import_batches|refused_rows"
    r"|segments|reports|address_lists|change_log|changed_subscribers|erased_subscribers"
    r"|webhooks|webhook_deliveries|undos|undo_people|forms|form_wordings|sign_ups|link_requests|sign_up_counts|consent_proofs|idempotency_keys|tag_renames)\b"
)
TABLES = re.compile(r"(?:FROM|JOIN|INTO|UPDATE) \"?(\w+)", re.IGNORECASE)
ACROSS_SITES = (
    "SELECT DISTINCT site_id FROM imports", "SELECT site_id FROM refused_rows WHERE refused_at < ",
    "SELECT site_id, tag_id FROM discarded_tags",
)  # fmt: skip
# small sets: parameters, what waits for its turn, undos, webhooks and the refusals of their receivers,
# what some people have, a page of ids
FEW = re.compile(
    r"CONSTANT ROW|VALUES CLAUSE|VIRTUAL TABLE|imports_waiting|undos_waiting|their_\w+"
    r"|SEARCH undos|SEARCH moved_addresses|SEARCH tag_renames|webhooks_site_id_id|webhook_deliveries_answered"
    r"|SCAN (?:webhooks|page|found|\(subquery-\d+\))$"
)
# all rows of a site, or up to a limit
WANTED_WHOLE = re.compile(r" LIMIT \d+|WHERE site_id = \d+ ORDER BY id( DESC)?$")
SEARCHES = [
    {}, {"email": "p1@example.com"}, {"tags": "vip"}, {"tags": "vip,new"},
    *({date: {"gt": "2001-01-01"}} for date in DATES),
    *({date: {"gt": "2001-01-01", "lt": "2001-02-01"}} for date in DATES),
    {"created_at": {"gt": "2001-01-01"}, "tags": "vip"}, {"page": 1000},
]  # fmt: skip


def of_sites(statements):
    """The statements on tables of a site, except those with an empty list of values."""
    return [
        each
        for each in statements
        if OF_A_SITE.search(" ".join(TABLES.findall(each)))
        and not each.startswith(("EXPLAIN", "PRAGMA"))
        and "IN ()" not in each
    ]


def plan(statement):
    with database.session():
        return [step[3] for step in database.rows(f"EXPLAIN QUERY PLAN {statement}")]


def reads_a_table_through(statement):
    """The steps that read a whole table, or needlessly all rows of a site."""
    return [
        step
        for step in plan(statement)
        if (step.startswith("SCAN") or (step.endswith("(site_id=?)") and not WANTED_WHOLE.search(statement)))
        and not FEW.search(step)
    ]


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_every_statement_names_the_site_and_no_table_is_scanned(client, statements, endpoint):
    prepare(client)
    del statements[:]
    assert ask(client, endpoint).status_code == endpoint.status
    seen = of_sites(statements)
    assert seen or endpoint.scope in ("stats", "utility") or endpoint.path == "/fetch/sites"
    for statement in seen:
        assert "site_id" in statement, statement
        assert not reads_a_table_through(statement), statement


def test_file_imports_and_exports_use_indexes(client, statements):
    rows = "".join(f"{email},a\n" for email in ADDRESSES[:600]) + "nobody,a\n"
    prepare(client)
    del statements[:]
    client.call(
        "POST",
        "/batch/imports",
        data=f"email,tags\n{rows}".encode(),
        content_type="text/csv",
        query=AGREED,
    )
    client.get("/batch/imports/2/errors.csv")
    site_lane.drain(client.site.id, 30)
    client.get("/fetch/export")
    client.delete("/fetch/subscribers", query={"email": ADDRESSES[0]})
    file_imports.sweep()
    for statement in {each for each in of_sites(statements) if len(each) < 5000}:
        assert statement.startswith(ACROSS_SITES) or "site_id" in statement, statement
        assert not reads_a_table_through(statement), statement


def test_an_export_with_links_is_two_statements_more_whatever_the_number_of_rows(client, statements):
    prepare(client)

    def count(**query):
        del statements[:]
        assert client.get("/fetch/export", query=query).data
        return len([each for each in statements if each.startswith("SELECT")])

    for _ in range(2):
        assert count(links="1") == count() + 2  # generations, and the address of the pages
        client.post("/batch/subscribers", {"subscribers": [{"email": email} for email in ADDRESSES]})
        site_lane.drain(client.site.id, 30)


def test_what_a_move_compares_of_a_person_is_searched_by_subscriber(client, statements):
    client.create(ADDRESSES[0])
    client.post("/batch/events", {"events": [{"email": ADDRESSES[0], "type": "visit"}]})
    with database.session():
        del statements[:]
        _, _, *kept = moves.MoveDatabase(engine, database.database).first_subscriber_after(0)
    seen = [each for each in statements if "WHERE subscriber_id" in each]
    assert len(seen) == len(moves.OF_PERSON)
    assert kept
    for statement in seen:
        assert "(subscriber_id=?)" in plan(statement)[0], statement


@pytest.mark.parametrize("body", SEARCHES, ids=str)
def test_every_search_uses_an_index(client, statements, body):
    client.create("p1@example.com", tags="vip,new")
    del statements[:]
    assert client.post("/fetch/search", body).status_code == 200
    seen = [each for each in of_sites(statements) if "FROM subscribers" in each]
    assert seen
    for statement in seen:
        assert not reads_a_table_through(statement), statement


ORDERS = [
    f"{sign}{column}" for column in ("created_at", "last_event_at", "unsubscribed_at") for sign in ("", "-")
]
NARROWED: list[dict[str, Any]] = [
    {}, {"tags": "vip"}, {"status": "subscribed"}, {"last_event_at": {"gt": "2001-01-01"}},
    {"created_at": {"lt": "2001-01-01"}},
]  # fmt: skip


@pytest.mark.parametrize(("sort", "body"), [
    (sort, body) for sort in ORDERS for body in NARROWED
    if not ("status" in body and sort.endswith("unsubscribed_at"))  # nobody, without a statement
])  # fmt: skip
def test_a_page_by_cursor_is_searched_at_its_position_in_order(client, statements, monkeypatch, sort, body):
    monkeypatch.setattr(searches, "MANY", 1)
    monkeypatch.setattr(searches, "FEW", 0)
    client.create("p1@example.com", tags="vip,new")
    client.post("/batch/events", {"events": {"email": "p1@example.com", "type": "$unsubscribe"}})
    cursor = cursors.write(sort, (2, 1, 1))
    for position in ({}, {"cursor": cursor}):
        del statements[:]
        assert client.post("/fetch/search", {"sort": sort, **body, **position}).status_code == 200
        [statement] = [each for each in of_sites(statements) if each.startswith("WITH page")]
        assert not reads_a_table_through(statement), statement
        steps = plan(statement.replace("WITH page AS MATERIALIZED (", "").partition(" LIMIT ")[0])
        assert not any("TEMP B-TREE" in step for step in steps), steps
        column = sort.removeprefix("-")
        index = {"created_at": "created_at_id_updated_at"}.get(column, column)
        assert f"INDEX subscribers_site_id_{index}" in steps[0], steps
        by = f"({column},created_at)" if column != "created_at" else column
        assert f"{by}{'<' if sort.startswith('-') else '>'}" in steps[0] or not position, steps


@pytest.mark.parametrize("noun", ["tags", "custom_fields", "segments"])
def test_a_page_of_a_list_is_searched_at_its_position(client, statements, noun):
    path = noun.removeprefix("custom_")
    assert client.get(f"/fetch/{path}", query={"cursor": cursors.write(path, (9,))}).status_code == 200
    [statement] = [each for each in of_sites(statements) if f"FROM {noun}" in each]
    assert plan(statement) == [f"SEARCH {noun} USING INDEX {noun}_site_id_id (site_id=? AND id<?)"]


LEAVES = {
    "tag": {"tag": "vip"}, "no tag": {"tag": {"is_not": "vip"}}, "event": {"event": "visit"},
    "email": {"email": ADDRESSES[1]}, "date": {"created_at": {"exists": True}},
    "events": {"event": "visit", "at_least": 2, "within_days": 30},
    "name": {"field": "first_name", "contains": "ann"},
}  # fmt: skip
OF_A_PERSON = re.compile(
    r"SEARCH subscribers USING INTEGER PRIMARY KEY"
    r"|SEARCH subscriber_tags USING PRIMARY KEY \(.+ AND subscriber_id=\?\)"
    r"|SEARCH events USING INDEX \w+ \(subscriber_id=\?"
    r"|SEARCH tags USING .+ \(site_id=\? AND \w+[=<]\?\)|CO-ROUTINE found|SCAN found"
    r"|LIST SUBQUERY|BLOOM FILTER|TEMP B-TREE|VIRTUAL TABLE"
)


@pytest.mark.parametrize("leaf", LEAVES)
def test_what_people_meet_is_searched_by_subscriber(client, statements, leaf):
    ids = [number for number in range(1, 4) if client.create(ADDRESSES[number], tags="vip", plan="pro")]
    events = [{"email": ADDRESSES[1], "type": "visit"}]
    client.post("/batch/events", {"events": events})

    def met(subscriber_ids):
        del statements[:]
        held = segment_matches.matching_conditions(client.site, {"any": [LEAVES[leaf]]}, subscriber_ids)
        return len(held), [each for each in of_sites(statements) if "EXPLAIN" not in each]

    (one, first), (three, seen) = met(ids[:1]), met(ids)
    assert (one, three, len(seen)) == (1, 3, len(first))
    steps = [step for each in seen for step in plan(each)]
    assert [step for step in steps if not OF_A_PERSON.search(step)] == []


def test_draining_and_sweeping_use_indexes(client, statements):
    client.post(
        "/batch/subscribers", {"subscribers": [{"email": email, "tags": "a"} for email in ADDRESSES[:600]]}
    )
    del statements[:]
    assert jobs.due_sites() == [client.site.id]
    site_lane.drain(client.site.id, 30)
    for statement in {each for each in of_sites(statements) if len(each) < 5000}:
        assert statement.startswith(ACROSS_SITES) or "site_id" in statement, statement
        assert not reads_a_table_through(statement), statement


def test_taking_back_uses_indexes(client, statements, monkeypatch):
    monkeypatch.setattr(undo_work, "_pace", Pace(200, 200, 200))
    people = [{"email": email, "tags": "a", "fields": {"n": 1}} for email in ADDRESSES[:600]]
    import_id = client.post("/batch/subscribers", {"subscribers": people}).json["import_id"]
    site_lane.drain(client.site.id, 30)
    undos.undo_import(client.site, int(import_id), 30)
    del statements[:]
    site_lane.drain(client.site.id, 30)
    seen = [each for each in of_sites(statements) if "max(CASE" not in each]  # reads everybody, once
    assert any(each.startswith("DELETE FROM subscribers") for each in seen)
    assert [each[:300] for each in seen if reads_a_table_through(each)] == []


def test_events_and_fields_use_indexes(client, statements):
    events = [{"email": email, "type": type_, "details": {"unique": {"key": email}}, "fields": {email: 1}}
             for email in ADDRESSES[:3] for type_ in ("visit", "buy")]  # fmt: skip
    for _ in range(2):
        client.post("/batch/events", {"events": events})
    client.post("/fetch/fields", {"field": {"key": "plan"}})
    seen = of_sites(statements)
    assert any("FROM events" in each for each in seen)
    for statement in seen:
        assert not reads_a_table_through(statement), statement


def test_a_page_of_a_hundred_takes_as_many_statements_as_a_page_of_one(client, statements):
    def search():
        del statements[:]
        page = client.post("/fetch/search", {}).json["data"]
        return len(page), len(of_sites(statements))

    client.create(ADDRESSES[0], tags="a,b", plan="pro")
    one = search()
    for email in ADDRESSES[1:100]:
        client.create(email, tags="a,b,c", plan="pro", age=5)
    assert search() == (100, one[1])


def test_many_conditions_on_domains_decode_those_of_a_site_once(client, statements):
    client.create("ann@xn--bcher-kva.example")
    parts = [{"email_domain": {operator: "bücher"}} for operator in ("contains", "starts_with")] * 20
    preview = {"segment": {"rules": {"any": parts}}}
    for path, asked in (("/fetch/segments/preview", preview), ("/fetch/search", {"q": "bücher.ex"})):
        del statements[:]
        assert "ann@xn--bcher-kva.example" in client.post(path, asked).text
        read = [each for each in statements if "SELECT id, folded FROM distinct_values" in each]
        assert len(read) == 1, path


def test_a_report_of_many_types_of_events_takes_as_many_statements_as_one_of_one(client, statements):
    def ran(types):
        events = [{"email": ADDRESSES[0], "type": f"type{number}"} for number in range(types)]
        client.post("/batch/events", {"events": events})
        del statements[:]
        points = client.get(f"/stats/reports/{report}").json["data"]["points"]
        return len({each["g"] for each in points}), len(of_sites(statements))

    client.create(ADDRESSES[0], tags="vip")
    rules = {"segment": {"name": "VIP", "rules": {"tag": "vip"}}}
    segment = client.post("/fetch/segments", rules).json["data"]["id"]
    saved = {"name": "Events", "report_type": "Reporting::Reports::EventsReport", "segment_id": segment}
    report = client.post("/fetch/reports", {"report": saved}).json["data"]["id"]
    (one, statements_of_one), seven = ran(1), ran(7)
    assert (one, *seven) == (1, 7, statements_of_one)


@pytest.mark.parametrize(("path", "key", "item"), [
    ("/batch/subscribers", "subscribers", {"tags": "a,b", "plan": "pro"}),
    ("/batch/events", "events", {"type": "visit", "fields": {"plan": "pro"}}),
    ("/fetch/commands", "command", {"command": "add_tag", "query": "a"}),
])  # fmt: skip
def test_a_batch_of_a_hundred_takes_as_many_reads_as_a_batch_of_one(client, statements, path, key, item):
    def reads(addresses):
        del statements[:]
        assert client.post(path, {key: [{"email": email, **item} for email in addresses]}).status_code == 200
        site_lane.drain(client.site.id, 30)
        return len([each for each in of_sites(statements) if each.startswith("SELECT")])

    client.create("first@example.com", tags="a,b")
    assert abs(reads(ADDRESSES[:2]) - reads(ADDRESSES[2:100])) <= 1
