"""A story: several hosts, each with a folder and processes of its own, on one PostgreSQL and one Redis."""

import contextlib
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from redis import Redis

from audience.operations import instance_files
from tests.service import PATIENCE_SECONDS, command, environment, free_port, serving, until
from tests.stories import lost_files
from workers import embedded_redis

ROOT = Path(__file__).parent.parent.parent
PREPARE = [sys.executable, "-P", "-c", "import app; app.prepare_alone(False, False)"]
BATCHES, ROWS = 8, 1_000


@pytest.fixture
def url(server):
    url = server.create()
    yield url
    server.drop(url)


@pytest.fixture
def redis_url(tmp_path):
    """A Redis that all hosts reach."""
    file = tmp_path / "redis.sock"
    options = ("--port", "0", "--unixsocket", str(file), "--save", "", "--dir", str(tmp_path))
    process = subprocess.Popen([str(embedded_redis.binary()), *options], stdout=subprocess.DEVNULL)
    until(file.exists)
    yield f"unix://{file}"
    process.kill()
    process.wait()


@pytest.fixture
def shared(url, redis_url, tmp_path):
    """The settings that all hosts have."""
    file = tmp_path / "pepper"
    file.write_bytes(os.urandom(32))
    return {
        "AUDIENCE_DATABASE_URL": url, "AUDIENCE_REDIS_URL": redis_url, "AUDIENCE_PEPPER_FILE": str(file),
        "AUDIENCE_WEB_WORKERS": "1",
    }  # fmt: skip


def type_(folder, *arguments, **settings):
    """What a command of a host prints, and its exit status."""
    folder.mkdir(exist_ok=True)
    words = list(arguments) if arguments[0] == sys.executable else command(*arguments)
    env = environment(folder, free_port(), **settings)
    done = subprocess.run(
        words, env=env, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )
    return done.stdout, done.stderr, done.returncode


def type_here(folder, *words, **settings):
    """As `type_`, in the process of the tests."""
    folder.mkdir(exist_ok=True)
    run = lost_files.type_(folder, *words, **settings)
    return run.stdout, run.stderr, run.returncode


def on_both(tmp_path, *arguments, **settings):
    """The same command on two hosts at once."""
    with ThreadPoolExecutor(2) as pool:
        folders = (tmp_path / "one", tmp_path / "two")
        return list(pool.map(lambda folder: type_(folder, *arguments, **settings), folders))


def rows(url, statement):
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(statement.encode()).fetchall()


def test_hosts_that_start_at_once_make_one_site(tmp_path, shared, url):
    outcomes = on_both(tmp_path, *PREPARE, **shared)
    assert [status for _, _, status in outcomes] == [0, 0], outcomes
    assert len(list(tmp_path.glob("*/first-site.json"))) == 1
    assert rows(url, "SELECT count(*) FROM sites") == [(1,)]
    names = rows(url, "SELECT name FROM schema_migration")
    assert len(names) == len(set(names))


def test_of_hosts_that_start_at_once_one_makes_a_pepper(tmp_path, url):
    outcomes = on_both(tmp_path, *PREPARE, AUDIENCE_DATABASE_URL=url)
    assert sorted(status for _, _, status in outcomes) == [0, 1], outcomes
    [(_, said, _)] = [outcome for outcome in outcomes if outcome[2]]
    assert "the pepper is missing" in said
    assert "from another host" in said
    assert len(list(tmp_path.glob("*/pepper"))) == 1


def test_of_commands_that_start_at_once_on_two_hosts_one_makes_a_pepper(tmp_path, url):
    outcomes = on_both(tmp_path, "site", "create", "News", AUDIENCE_DATABASE_URL=url)
    assert sorted(status for _, _, status in outcomes) == [0, 1], outcomes
    [(_, said, _)] = [outcome for outcome in outcomes if outcome[2]]
    assert "the pepper is missing" in said
    assert len(list(tmp_path.glob("*/pepper"))) == 1


def test_a_host_makes_no_pepper_once_another_has_made_it(tmp_path, server, migrated_on_server, monkeypatch):
    url = server.create(migrated_on_server)
    check, checked = instance_files.check, []

    def then_another_host_makes_it(settings):
        check(settings)
        checked.append(settings)
        if len(checked) == 2:
            assert type_(tmp_path / "one", "site", "create", "News", AUDIENCE_DATABASE_URL=url)[2] == 0

    monkeypatch.setattr(instance_files, "check", then_another_host_makes_it)
    _, said, status = type_here(tmp_path / "two", "site", "create", "News", AUDIENCE_DATABASE_URL=url)
    assert (status, "the pepper is missing" in said) == (1, True), said
    assert not (tmp_path / "two" / "pepper").exists()
    server.drop(url)


def test_the_first_command_of_a_host_makes_the_pepper_of_all(tmp_path, url):
    assert type_here(tmp_path / "one", "migrate", AUDIENCE_DATABASE_URL=url)[2] == 0
    for words in (["site", "list"], ["web"], ["worker"]):
        _, said, status = type_here(tmp_path / "two", *words, AUDIENCE_DATABASE_URL=url)
        assert (status, "the pepper is missing" in said) == (1, True), said
    assert not (tmp_path / "two" / "pepper").exists()


def test_a_web_server_on_a_database_without_tables_makes_no_pepper(tmp_path, url):
    for words in (["web"], ["worker"]):
        _, said, status = type_here(tmp_path / "one", *words, AUDIENCE_DATABASE_URL=url)
        assert (status, "migrations are pending" in said) == (1, True), said
    assert not (tmp_path / "one" / "pepper").exists()


def test_a_host_with_another_pepper_does_not_start(tmp_path, shared):
    assert type_here(tmp_path / "one", "migrate", **shared)[2] == 0
    (tmp_path / "other").write_bytes(os.urandom(32))
    other = shared | {"AUDIENCE_PEPPER_FILE": str(tmp_path / "other")}
    for type_words, words in (
        (type_, PREPARE),
        (type_here, ["web"]),
        (type_here, ["worker"]),
        (type_here, ["site", "list"]),
    ):
        _, said, status = type_words(tmp_path / "two", *words, **other)
        assert (status, "is not this database's" in said) == (1, True), said
    lost = shared | {"AUDIENCE_PEPPER_FILE": str(tmp_path / "none")}
    _, said, status = type_(tmp_path / "two", *PREPARE, **lost)
    assert (status, "the pepper is missing" in said) == (1, True), said
    assert not (tmp_path / "none").exists()


def test_a_host_of_web_servers_needs_a_redis_of_all(tmp_path, shared):
    alone = {name: value for name, value in shared.items() if name != "AUDIENCE_REDIS_URL"}
    _, said, status = type_(tmp_path / "one", "serve", "--web-only", **alone)
    assert (status, "needs AUDIENCE_REDIS_URL" in said) == (1, True), said


@contextlib.contextmanager
def worker(folder, **settings):
    folder.mkdir(exist_ok=True)
    env = environment(folder, free_port(), **settings)
    process = subprocess.Popen(command("worker"), env=env, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def import_all(service):
    """Sends batches until each is accepted; a batch that was cut off may be accepted twice."""
    for batch in range(BATCHES):
        people = [{"email": f"p{batch}_{n}@example.com", "tags": ["a"]} for n in range(ROWS)]

        def accepted(people=people):
            with contextlib.suppress(OSError, ValueError):
                return service.call("POST", "/batch/subscribers", {"subscribers": people})[0] == 200

        until(accepted)


def users_of(service):
    with contextlib.suppress(OSError):
        return service.call("GET", "/stats/site")[1]["user_count"]
    return None


def test_nothing_is_lost_when_a_worker_a_web_server_and_the_database_are_killed(
    tmp_path, shared, url, server, redis_url
):
    server.execute(f"ALTER DATABASE {url.partition('?')[0].rpartition('/')[2]} SET synchronous_commit = on")
    with (
        serving(tmp_path / "web", words=("serve", "--web-only"), **shared) as service,
        worker(tmp_path / "one", **shared) as first,
        worker(tmp_path / "two", **shared),
        ThreadPoolExecutor(1) as pool,
    ):
        assert next(service.process.stdout or iter(())) == "Starting the web server, about 3 s\n"
        sent = pool.submit(import_all, service)
        until(lambda: rows(url, "SELECT 1 FROM imports WHERE applied > 0"))
        first.kill()
        for web in service.processes("app web"):
            os.kill(web, signal.SIGKILL)
        until(lambda: rows(url, "SELECT 1 FROM imports WHERE status = 'finished'"))
        server.stop()
        Redis.from_url(redis_url).flushall()
        server.start()
        sent.result(PATIENCE_SECONDS)
        done = "SELECT count(*) FROM imports WHERE status <> 'finished'"
        until(lambda: rows(url, done) == [(0,)])
        total = BATCHES * ROWS
        assert until(lambda: users_of(service)) == total  # its web server may have been slow to come back
        key = service.first["publishable_key"]
        assert type_(tmp_path / "three", "key", "revoke", key, **shared)[2] == 0
        until(lambda: service.call("GET", "/stats/site")[0] == 401)
    assert rows(url, "SELECT count(*), count(DISTINCT email_key) FROM subscribers") == [(total, total)]
    assert rows(url, "SELECT users FROM site_counters") == [(total,)]
    assert rows(url, "SELECT CAST(sum(created) AS bigint) FROM imports") == [(total,)]
    assert rows(url, "SELECT count(*) FROM subscriber_tags") == rows(url, "SELECT bearers FROM tags")


def test_an_instance_in_a_file_moves_to_a_server_by_a_command(tmp_path, url):
    folder = tmp_path / "instance"
    assert type_(folder, *PREPARE)[2] == 0
    printed, said, status = type_here(folder, "move", "--to", url)
    assert (status, printed.splitlines()[-1]) == (0, f"AUDIENCE_DATABASE_URL={url}"), said
    _, said, status = type_here(folder, "site", "list")
    assert (status, "moved on" in said) == (1, True), said
    assert "My first site" in type_here(folder, "site", "list", AUDIENCE_DATABASE_URL=url)[0]
