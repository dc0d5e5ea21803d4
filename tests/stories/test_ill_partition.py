"""The tables of one site do not answer, as when a node of several is down: other sites go on (a story)."""

import threading
from typing import Any

import psycopg
import pytest
from redis import Redis

from app import create_app
from audience.config import Settings
from audience.jobs import LANES
from audience.operations import job_kinds
from schemas.change_log import change
from storage import database
from storage.engines.chosen import engine
from storage.engines.postgresql_pool import ServerPool
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client
from tests.console.browser import signed_in
from tests.service import until
from tests.statements import OVER_ALL_SITES, USES
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
    """From now on, what reads or writes the ill site's tables fails, and what reads those of all sites."""
    run = ServerPool.execute_sql

    def execute_sql(pool, sql, params=None, **options):
        if USES.search(sql) and (ILL in (params or ()) or sql.startswith(tuple(OVER_ALL_SITES))):
            raise psycopg.errors.ConnectionFailure("connection to the remote node failed")
        return run(pool, sql, params, **options)

    monkeypatch.setattr(ServerPool, "execute_sql", execute_sql)


@pytest.fixture
def sweeper(app, tmp_path):
    """Of a worker while Redis is away: it looks for what is due, and does it."""
    stop = threading.Event()
    files: Any = None  # there are none
    kinds = job_kinds.kinds(app.extensions["audience"].settings, change, files, files, AfterBackup())
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


def test_subscribers_of_other_sites_are_erased(client, fault):
    client.create("gone@example.com")
    assert client.delete("/fetch/subscribers", query={"email": "gone@example.com"}).status_code == 200
    assert client.counts()[0] == 0


def test_the_service_is_ready_and_says_what_is_lost(client, fault):
    answer = client.http.get("/readyz")
    assert answer.status_code == 200, answer.json
    assert any("do not answer" in warning for warning in answer.json["warnings"])


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
