"""The tables of one site are locked for long: other sites go on (a story).

Nobody is deleted here: foreign keys lock all partitions of a table, but one shard on Citus.
"""

import psycopg
import pytest

from app import create_app
from audience import jobs
from audience.config import Settings
from audience.operations import site_lane
from storage import database
from tests import partitions, statements
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client
from tests.console.browser import signed_in

PEOPLE = {"subscribers": [{"email": f"p{n}@example.com"} for n in range(20)]}
OF_SITE = "SELECT CAST(tableoid AS regclass)::text FROM site_counters WHERE site_id = %s"


@pytest.fixture
def app(server, tmp_path):
    url = server.create()
    database.open(url)
    database.migrate()
    database.close()
    partitions.partition(url)
    settings = Settings(instance=tmp_path, database_url=url, database_timeout=0.2)
    yield create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())
    database.close()
    server.drop(url)


@pytest.fixture
def client(app):
    return open_client(app.test_client())


@pytest.fixture
def locked(app, client):
    """A client of a site whose partition of each table is locked."""
    with psycopg.connect(app.extensions["audience"].settings.database) as other:

        def partition_of(site):
            [(name,)] = other.execute(OF_SITE, (site.id,)).fetchall()
            return name[-1]

        others = iter(lambda: open_client(app.test_client()), None)
        locked = next(each for each in others if partition_of(each.site) != partition_of(client.site))
        locked.post("/batch/subscribers", PEOPLE)
        number = partition_of(locked.site)
        other.rollback()
        for table in statements.TABLES:
            other.execute(f"LOCK TABLE partitions.{table}_part{number} IN ACCESS EXCLUSIVE MODE")
        yield locked


def test_only_its_own_requests_are_refused(client, locked):
    assert locked.get("/fetch/search").status_code == 503
    assert locked.post("/batch/subscribers", PEOPLE).status_code == 503
    client.post("/batch/subscribers", PEOPLE)
    site_lane.drain(client.site.id, 30)
    assert client.counts()[0] == len(PEOPLE["subscribers"])


def test_the_sweeper_finds_the_jobs_of_others(client, locked):
    client.post("/batch/subscribers", PEOPLE)
    assert client.site.id in jobs.due_sites()


def test_the_service_is_ready_and_shows_what_waits(client, locked):
    answer = client.http.get("/readyz")
    assert answer.status_code == 200
    assert any("do not answer" in warning for warning in answer.json["warnings"])
    client.post("/batch/subscribers", PEOPLE)
    assert "audience_imports_waiting 1\n" in client.http.get("/metrics").text


def test_the_console_shows_others(app, client, locked):
    browser = signed_in(app, "admin@example.com", {client.site: "owner"}, administrator=True)
    for page in ("", "/subscribers", "/imports", "/segments", "/reports", "/audit_log"):
        assert browser.get(f"/sites/{client.site.uuid}{page}").status_code < 500, page
