"""The statements of all endpoints, of imports, files, bulk actions, the sweeper and an erasure, on a server.

That each names its site is read of every test, by tests/statements.py.
"""

import io

import pytest
from pyroaring import BitMap

from audience import jobs
from audience.access.audit_log import COMMAND_LINE
from audience.bulk import actions as bulk_actions
from audience.erasures import erasures
from audience.imports import file_uploads
from audience.operations import site_lane
from audience.operations.job_kinds import maintenance, site_maintenance
from audience.webhooks import webhooks
from storage import database
from storage.reports import queries
from storage.searches import searches
from storage.searches.searches import Filters
from storage.segments import members
from storage.subscribers import field_values
from tests.api.endpoints import ENDPOINTS
from tests.client import open_client
from tests.file_jobs import do_files
from tests.jobs import run_bulk_actions
from tests.statements import Reader, joined_apart, of_no_site, reader
from tests.webhook_steps import WEBHOOK, send_all


@pytest.fixture
def database_url(server, migrated_on_server):
    url = server.create(migrated_on_server)
    yield url
    server.drop(url)


def test_the_reader_of_statements_finds_a_missing_site():
    assert of_no_site("SELECT 1 FROM subscribers WHERE id = %s")
    assert of_no_site("SELECT 1 FROM events WHERE site_id = %s AND id IN (SELECT id FROM tags WHERE id = 1)")
    assert not of_no_site("SELECT 1 FROM subscribers WHERE site_id = %s")
    joined = "SELECT 1 FROM events e JOIN subscribers s ON s.id = e.subscriber_id"
    assert of_no_site(f"{joined} AND s.site_id = e.site_id WHERE e.type = %s")
    assert joined_apart(f"{joined} WHERE e.site_id = %s AND s.site_id = %s")
    assert joined_apart(
        "SELECT 1 FROM tags JOIN (SELECT 1 FROM events WHERE site_id = %s) AS c ON c.id = tags.id"
    )
    assert not of_no_site(f"{joined} AND s.site_id = e.site_id WHERE e.site_id = %s")
    assert not joined_apart(f"{joined} AND s.site_id = e.site_id WHERE e.site_id = %s")


def test_a_statement_of_the_product_is_read_and_one_of_a_test_is_not(app, monkeypatch):
    found = Reader(excused=())
    monkeypatch.setattr(reader, "read", found.read)
    with database.session():
        database.rows("SELECT 1 FROM imports")
    assert found.wrong == []
    jobs.due_sites()
    assert [each for each in found.wrong if "FROM jobs" in each]


def import_a_file(site, instance):
    file = io.BytesIO(b"email\nq1@example.com\nnobody\n")
    upload = file_uploads.keep(site, instance, "people.csv", file, {"consent": "subscribed"})
    file_uploads.begin_import(site, instance, upload, COMMAND_LINE)
    do_files(instance)
    site_lane.drain(site.id, 30)
    file_uploads.discard(site, instance, file_uploads.keep(site, instance, "b.csv", io.BytesIO(b"x"), {}))


def act_on_some(site, instance):
    for kind in (bulk_actions.TAG, bulk_actions.UNSUBSCRIBE, bulk_actions.ERASE):
        with database.session():
            ids = [
                row[0] for row in database.rows("SELECT id FROM subscribers WHERE site_id = ?", (site.id,))
            ]
        seen = bulk_actions.fingerprint(ids[:5])
        act = bulk_actions.begin(
            site, bulk_actions.NewAction(kind=kind, ids=ids[:5], seen=seen, tag="vip"), COMMAND_LINE
        )
        run_bulk_actions(instance)
        bulk_actions.get(site, act.id)


def test_much_is_sent_and_names_its_site(app, settings, monkeypatch):
    sent, read = [], reader.read

    def keep(statement):
        sent.append(statement)
        read(statement)

    monkeypatch.setattr(reader, "read", keep)
    client = open_client(app.test_client())
    people = [{"email": f"p{n}@example.com", "tags": ["a", "b"], "fields": {"k": n}} for n in range(1_000)]
    assert client.post("/batch/subscribers", {"subscribers": people}).status_code == 200
    site_lane.drain(client.site.id, 30)
    for endpoint in ENDPOINTS:
        client.call(endpoint.method, endpoint.path, endpoint.body)
    import_a_file(client.site, settings.instance)
    act_on_some(client.site, settings.instance)
    webhooks.create(client.site, WEBHOOK)
    client.create("new@example.com")
    send_all()
    for task in maintenance(settings).values():
        task()
    for task_of_sites in site_maintenance(settings).values():
        task_of_sites(None)
        task_of_sites(client.site.id)
    jobs.due_sites()
    erasures.erase(client.site, settings.instance, email="p1@example.com")
    assert len(set(sent)) > 70
    assert reader.wrong == []


def test_a_page_of_a_site_that_the_statistics_do_not_know_reads_its_people_by_their_keys(app, monkeypatch):
    if database.is_spread():
        pytest.skip("a page names its site by a value there")
    client, sent = open_client(app.test_client()), []

    def keep(sql, bound, **_):
        sent.append((sql, bound))
        return []

    people = [{"email": f"p{n}@example{n}.com"} for n in range(2_000)]
    for start in (0, 1_000):
        client.post("/batch/subscribers", {"subscribers": people[start : start + 1_000]})
    site_lane.drain(client.site.id, 30)
    monkeypatch.setattr(searches, "rows", keep)
    with database.session():
        database.execute("ANALYZE")
        searches.search(client.site.id + 1, Filters(), 100, 0)
        [(sql, bound)] = sent
        plan = [line for (line,) in database.rows(f"EXPLAIN {sql}", bound)]
    assert [line for line in plan if "subscribers_pkey" in line], plan


def test_values_of_a_site_without_statistics_are_not_compared_each_with_each(app, monkeypatch):
    client, sent = open_client(app.test_client()), []
    client.post("/batch/subscribers", {"subscribers": [{"email": f"p@example{n}.com"} for n in range(900)]})
    site_lane.drain(client.site.id, 30)

    def keep(sql, bound):
        sent.append((sql, bound))
        return []

    with database.session():
        monkeypatch.setattr(field_values, "rows", keep)
        field_values.value_ids(client.site.id, [field_values.domain(f"p@example{n}.com") for n in range(500)])
        [(sql, bound)] = sent
        plan = [line for (line,) in database.rows(f"EXPLAIN {sql}", bound)]
    assert not [line for line in plan if "Join Filter" in line], plan


def test_a_report_about_a_large_segment_hashes_its_members_once_for_all_periods(app, monkeypatch):
    sent: list[tuple[str, tuple[object, ...]]] = []

    def keep(sql, bound, **_):
        sent.append((sql, bound))
        return []

    monkeypatch.setattr(queries, "rows", keep)
    chosen = members.Members(BitMap(range(members.FEW + 1))).condition
    with database.session():
        queries.count_subscribers_in(1, "created_at", chosen, [(0, 1), (1, 2)])
        [(sql, bound)] = sent
        plan = [line for (line,) in database.rows(f"EXPLAIN {sql}", bound)]
    assert [line for line in plan if "hashed SubPlan" in line], plan
