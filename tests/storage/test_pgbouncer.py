"""Through pgbouncer in transaction mode, where a session may have another connection in each transaction."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from app import create_app
from audience.config import Settings
from audience.operations import site_lane
from audience.subscribers import tags
from storage import database
from storage.access import site_counters
from storage.errors import Unavailable
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client
from tests.conftest import program
from tests.service import until

CONFIG = """
[databases]
* = host={folder}
[pgbouncer]
unix_socket_dir = {folder}
listen_port = 6432
listen_addr =
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 3
logfile = {folder}/pgbouncer.log
"""
WRITERS, ROUNDS = 8, 10
TIMEOUT = 10.0


@pytest.fixture
def url(server):
    """A new database, through a pooler with fewer connections than there are writers."""
    path = program("pgbouncer")
    direct = server.create()
    (server.folder / "users").write_text('"audience" ""\n')
    (server.folder / "pgbouncer.ini").write_text(CONFIG.format(folder=server.folder))
    user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    command = [*user, path, "--quiet", str(server.folder / "pgbouncer.ini")]
    with subprocess.Popen(command, cwd="/", stderr=subprocess.DEVNULL) as process:
        until((server.folder / ".s.PGSQL.6432").exists)
        yield f"{direct}&port=6432"
        database.close()
        process.terminate()
    server.drop(direct)


@pytest.fixture
def client(url, tmp_path):
    database.open(url, timeout=TIMEOUT)
    database.migrate()
    settings = Settings(instance=tmp_path, database_url=url, database_timeout=TIMEOUT)
    return open_client(create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses()).test_client())


def test_an_instance_works(client):
    people = [{"email": f"p{n}@example.com", "tags": ["a"], "fields": {"k": n}} for n in range(900)]
    client.post("/batch/subscribers", {"subscribers": people})
    site_lane.drain(client.site.id, 30)
    assert client.counts() == (900, 900, 0)
    client.create("p1@example.com", fields={"k": "x"})
    assert client.get("/fetch/search", query={"q": "p11", "per_page": 5}).status_code == 200


def test_no_statement_is_prepared(client):
    for _ in range(3):
        assert client.counts() == (0, 0, 0)
    with database.session():
        assert database.row("SELECT count(*) FROM pg_prepared_statements") == (0,)


def test_locks_hold(client):
    def take(_):
        given = []
        for _round in range(ROUNDS):
            with database.write(client.site.id):
                given.append(site_counters.take_acceptance_number(client.site.id, 0).number)
        return given

    with ThreadPoolExecutor(WRITERS) as pool:
        given = [number for numbers in pool.map(take, range(WRITERS)) for number in numbers]
    assert sorted(given) == list(range(1, WRITERS * ROUNDS + 1))


def test_settings_of_a_transaction_end_with_it(client, url):
    database.open(url, timeout=0.2)
    with ThreadPoolExecutor(1) as pool, database.write(client.site.id):
        waiting = pool.submit(tags.create, client.site, "vip")
        with pytest.raises(Unavailable, match="others are writing"):
            waiting.result()
    with database.session():
        assert database.row("SHOW lock_timeout") == ("0",)
