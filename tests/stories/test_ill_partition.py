"""The tables of one site do not answer, as when a node of several is down: other sites go on (a story)."""

import json
import threading
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from redis import Redis

from app import create_app, instance
from audience import clock, jobs
from audience.cli.main import audience
from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.jobs import LANES
from audience.operations import job_kinds, probes
from audience.operations.probes import PROBES, Needs
from audience.telemetry import GAUGES
from audience.webhooks import webhooks
from schemas.change_log import change
from storage import database
from storage.engines.chosen import engine
from storage.engines.postgresql_pool import ServerPool
from storage.errors import Unavailable
from storage.imports import file_imports as stored_files
from storage.imports import imports as stored_imports
from storage.imports.file_imports import RefusedRow
from storage.subscribers import tags as stored_tags
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client
from tests.console.browser import signed_in
from tests.service import until
from tests.statements import USES, of_no_site
from tests.webhook_steps import WEBHOOK
from workers.after_backup import AfterBackup
from workers.lanes import Lanes
from workers.queue import ImportQueue
from workers.redis_client import CircuitBreaker
from workers.sweeper import Sweeper

ILL = 7_000_001  # no other value in a statement
PEOPLE = [{"email": f"p{n}@example.com"} for n in range(20)]


class UnreachableQueue(ImportQueue):
    def try_notify(self, site_id):
        return False


@pytest.fixture
def app(server, migrated_on_server, tmp_path):
    url = server.create(migrated_on_server)
    settings = Settings(instance=tmp_path, database_url=url, import_inline_rows=0)
    yield create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())
    database.close()
    server.drop(url)


@pytest.fixture
def ill(app):
    """A client of the site whose tables will not answer; its imports wait."""
    with database.write():
        engine.put_last_id(database.database, "sites", ILL - 1)
    client = open_client(app.test_client())
    assert client.site.id == ILL
    client.post("/batch/subscribers", {"subscribers": PEOPLE})
    return client


@pytest.fixture
def client(app):
    return open_client(app.test_client())


@pytest.fixture
def fault(client, ill, monkeypatch):
    """From now on, what reads or writes the ill site's tables fails, and what reads those of all sites. Lists
    these statements.
    """
    run, failed = ServerPool.execute_sql, []

    def execute_sql(pool, sql, params=None, **options):
        if USES.search(sql) and (ILL in (params or ()) or of_no_site(sql)):
            failed.append(sql)
            raise psycopg.errors.ConnectionFailure("connection to the remote node failed")
        return run(pool, sql, params, **options)

    monkeypatch.setattr(ServerPool, "execute_sql", execute_sql)
    return failed


@pytest.fixture
def kinds(app):
    files: Any = None  # there are none
    return job_kinds.kinds(app.extensions["audience"].settings, change, files, files, AfterBackup())


@pytest.fixture
def sweeper(kinds, tmp_path):
    """Of a worker while Redis is away: it looks for what is due, and does it."""
    stop = threading.Event()
    yield Sweeper(UnreachableQueue(CircuitBreaker(Redis())), tmp_path, stop, Lanes(kinds, stop))
    stop.set()
    names = {lane.name for lane in LANES}
    until(lambda: names.isdisjoint(thread.name for thread in threading.enumerate()))


def test_the_fault_is_one(fault, ill, client):
    assert ill.get("/fetch/search").status_code == 503
    assert client.get("/fetch/search").status_code == 200


def test_imports_and_undos_of_other_sites_go_on(client, fault, sweeper):
    number = client.post("/batch/subscribers", {"subscribers": PEOPLE}).json["import_id"]
    until(lambda: sweeper.sweep() or client.counts()[0] == len(PEOPLE))
    assert client.post(f"/batch/imports/{number}/undo").status_code == 200
    until(lambda: sweeper.sweep() or client.counts()[0] == 0)


def rows_are_refused(client):
    row = RefusedRow(1, "", "email", "No address.", ["nobody"])
    with database.write(client.site.id):
        stored_files.add_refused(client.site.id, stored_imports.add(client.site.id, 0, 1, 1, 1), [row], 1)


def tag_is_deleted(client):
    """And the host died before the people lost it."""
    client.create("ann@example.com", tags=["vip"])
    with database.write(client.site.id):
        [tag] = stored_tags.list_all(client.site.id)
        stored_tags.discard(client.site.id, tag.id, tag.name, ("operator", 0))


def request_is_repeatable(client):
    new = {"subscriber": {"email": "bob@example.com"}}
    assert client.post("/fetch/subscribers", new, headers={"Idempotency-Key": "1"}).status_code == 201


EXPIRING = {
    "refused_rows": rows_are_refused,
    "discarded_tags": tag_is_deleted,
    "idempotency_keys": request_is_repeatable,
    "change_log": lambda client: client.create("cid@example.com"),
}


@pytest.mark.parametrize("table", EXPIRING)
def test_what_expired_at_other_sites_is_deleted(client, ill, kinds, table, request, monkeypatch):
    def left(site):
        with database.session():
            query = f"SELECT count(*) FROM {table} WHERE site_id = ?"  # noqa: S608 - of this file
            return database.row(query, (site.id,))[0]

    jobs.prepare(kinds)
    for each in (ill, client):
        EXPIRING[table](each)
    assert left(client.site) == 1
    request.getfixturevalue("fault")
    later = clock.now_ms() + 500 * clock.DAY_MS
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    jobs.work([kind for kind in kinds if kind.own], database.SHARED, 60)
    assert left(client.site) == 0


def test_subscribers_of_other_sites_are_erased(client, fault):
    client.create("gone@example.com")
    assert client.delete("/fetch/subscribers", query={"email": "gone@example.com"}).status_code == 200
    assert client.counts()[0] == 0


def test_the_service_is_ready_and_says_what_is_lost(client, fault):
    answer = client.http.get("/readyz")
    assert answer.status_code == 200, answer.json
    assert any("do not answer" in warning for warning in answer.json["warnings"])


def test_the_service_waits_once_for_tables_that_do_not_answer(client, fault, monkeypatch):
    """As long as for a lock, each time."""
    monkeypatch.setattr(probes, "READY_SECONDS", -1)
    assert client.http.get("/readyz").status_code == 200
    assert len(fault) == 1


def test_what_is_wrong_at_other_sites_is_told(client, ill, fault, monkeypatch):
    monkeypatch.setattr(probes, "READY_SECONDS", 3600)
    webhook, _ = webhooks.create(client.site, WEBHOOK)
    with database.write(client.site.id):
        database.execute(
            "UPDATE webhooks SET paused = 'failing' WHERE site_id = ? AND id = ?",
            (client.site.id, webhook.id),
        )
    warnings = client.http.get("/readyz").json["warnings"]
    assert "1 webhook is paused: the receiver has failed for three days." in warnings
    assert not any(ill.site.uuid in warning for warning in warnings)
    monkeypatch.setattr(probes, "READY_SECONDS", -1)
    warnings = client.http.get("/readyz").json["warnings"]
    assert any("do not answer" in warning for warning in warnings)
    assert not any("is paused" in warning for warning in warnings)


def test_the_doctor_examines_other_sites_and_names_the_one_that_does_not_answer(app, client, ill, fault):
    opened = instance(app.extensions["audience"].settings)
    told = CliRunner().invoke(audience, ["doctor", "--offline", "--recount", "--json"], obj=opened)
    findings = json.loads(told.stdout)["findings"]
    silent = {each["check"] for each in findings if ill.site.uuid in each["found"]}
    needing = {probe.name for probe in PROBES if probe.needs is Needs.MIGRATED}
    assert silent == needing - {"erasures", "console"}
    examined = {each["check"] for each in findings if client.site.uuid in each["found"]}
    assert examined == {"links", "counters", "values", "tags", "changes"}


def test_the_metrics_count_what_waits_at_other_sites(client, fault):
    client.post("/batch/subscribers", {"subscribers": PEOPLE})
    page = client.http.get("/metrics").text
    assert "audience_imports_waiting 1\n" in page
    assert f"audience_import_rows_waiting {len(PEOPLE)}\n" in page
    assert {name for name in GAUGES if f"\naudience_{name} " in f"\n{page}"} == {*GAUGES} - {
        "backup_age_seconds"
    }


@pytest.fixture
def failed(client, ill, tmp_path):
    """The ids of the jobs of both sites, each of which has failed once. A command has run before."""
    erasure_log.begin(tmp_path)
    client.post("/batch/subscribers", {"subscribers": PEOPLE})
    with database.write():
        database.execute("UPDATE jobs SET attempts = 1 WHERE kind = 'import'")
    with database.session():
        return dict(database.rows("SELECT site_id, id FROM jobs WHERE kind = 'import'"))


def test_what_failed_at_other_sites_is_listed_and_tried_again(app, client, failed, fault):
    opened = instance(app.extensions["audience"].settings)
    listed = CliRunner().invoke(audience, ["jobs", "list"], obj=opened)
    assert listed.stdout.split()[:2] == [str(failed[client.site.id]), client.site.uuid]
    assert listed.exit_code == 3
    assert "the tables of some sites do not answer" in listed.stderr
    retried = CliRunner().invoke(audience, ["jobs", "retry", str(failed[client.site.id])], obj=opened)
    assert retried.exit_code == 0, retried.output


def test_a_job_of_the_ill_site_is_not_said_to_be_unknown(app, failed, fault):
    opened = instance(app.extensions["audience"].settings)
    refused = CliRunner().invoke(audience, ["jobs", "retry", str(failed[ILL])], obj=opened)
    assert isinstance(refused.exception, Unavailable)


@pytest.mark.parametrize("people", [0, 1])
def test_the_console_of_other_sites_goes_on(app, client, fault, people):
    for _ in range(people):
        client.create("ann@example.com")
    browser = signed_in(app, "admin@example.com", {client.site: "owner"}, administrator=True)
    paths = {
        rule.rule.removeprefix("/console").replace("<site_uuid>", client.site.uuid)
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/console/") and rule.arguments <= {"site_uuid"} and "GET" in rule.methods
    }
    answers = {path: browser.get(path).status_code for path in paths}
    assert len(answers) > 20
    assert {path for path, status in answers.items() if status >= 500} == set()
    lists = f"/sites/{client.site.uuid}/lists"
    assert browser.post(lists, list="deny", entry="spam.example").status_code == 303
