"""Fixtures that the tests of all rooms share."""

import contextlib
import gc
import importlib
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

import hypothesis
import pytest
from werkzeug.serving import make_server

from app import create_app, create_routes
from audience.access import passwords
from audience.config import Settings
from audience.imports import imports
from storage import database
from storage.pace import Pace
from tests import citus, depth, in_memory, partitions, postgresql
from tests.api.endpoints import prepare
from tests.client import ApiClient, FakeLimiter, FakeProcesses, FakeQueue, open_client
from tests.second_tries import FILE, SecondTries
from tests.service import packed_places
from tests.slow import IN_A_BROWSER, LONG_ALONE, Guard, is_slow
from tests.statements import reader, recorded

guard = Guard()
sys.addaudithook(guard)
WATCHERS = (reader, recorded, partitions)
REQUIRED = frozenset(filter(None, os.environ.get("AUDIENCE_REQUIRE", "").split(",")))
REAL_COST = passwords.COST
ENGINES = ("sqlite", "postgresql")
OF_SQLITE = {
    Path(__file__).parent / name
    for name in (
        "storage/test_console_queries.py", "storage/test_database.py", "storage/test_full_disk.py",
        "storage/test_indexes.py", "storage/test_log.py",
        "storage/test_migrations.py", "storage/test_models.py", "storage/test_queries.py",
        "storage/test_sqlite_driver.py", "storage/test_turns.py", "api/test_full_disk.py",
        "api/test_moved_folder.py", "cli/test_backups.py", "cli/test_refused_backups.py",
        "cli/test_consent_log.py", "cli/test_damaged_log.py", "cli/test_restored_consent.py",
        "cli/test_restores.py", "cli/test_checked_backups.py", "console/test_backups.py",
        "console/test_daily_backups.py",
    )
}  # fmt: skip
PROGRAMS = {name: name for name in ("chromium", "curl", "nginx", "nsd", "pgbouncer", "rbldnsd")}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engine", choices=ENGINES, default=ENGINES[0], help="where the instances of tests store"
    )
    parser.addoption("--second-try", action="store_true", help="list what passes in tests/second_tries.txt")
    parser.addoption(
        "--partitioned", action="store_true", help="tables of sites in partitions, plans are read"
    )
    parser.addoption("--whole", action="store_true", help="long tables and histories whole, not a sample")


def pytest_configure(config: pytest.Config) -> None:
    in_memory.keep_instances()
    depth.whole = config.getoption("whole")
    if config.getoption("partitioned"):
        partitions.read_plans()
    if config.getoption("second_try"):
        config.pluginmanager.register(SecondTries(FILE, config.getoption("engine")))
    hypothesis.settings.register_profile("untimed", deadline=None, max_examples=depth.examples(100))
    hypothesis.settings.load_profile("untimed")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignores tests of a browser where no browser is asked for: `make test` does not install its driver."""
    return (collection_path in IN_A_BROWSER and config.option.markexpr.startswith("not ")) or None


def pytest_collection(session: pytest.Session) -> None:
    """In a run of all tests, each process imports a share of the files first: what one has compiled, the
    others read.
    """
    process: dict[str, Any] = getattr(session.config, "workerinput", {})
    if process and session.config.args == session.config.getini("testpaths"):
        files = sorted(Path(__file__).parent.rglob("test_*.py"))
        for path in files[int(process["workerid"].removeprefix("gw")) :: process["workercount"]]:
            name = ".".join(path.relative_to(session.config.rootpath).with_suffix("").parts)
            with contextlib.suppress(Exception, pytest.skip.Exception):  # which the collection then tells
                if not pytest_ignore_collect(path, session.config):
                    importlib.import_module(name)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    other_engine = config.getoption("engine") != ENGINES[0]
    for item in items:
        if is_slow(item.path):
            item.add_marker(pytest.mark.slow)
        if item.path in IN_A_BROWSER:
            item.add_marker(pytest.mark.browser)
        if item.path in LONG_ALONE:
            item.add_marker(pytest.mark.long)
        if other_engine and (item.path in OF_SQLITE or item.get_closest_marker("of_sqlite")):
            item.add_marker(pytest.mark.skip("looks into SQLite itself"))
    items.sort(key=lambda item: not is_slow(item.path))  # so that no process is left with them at the end


def pytest_collection_finish() -> None:
    """Takes what has been loaded out of garbage collection, which would go through it hundreds of times."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Twice as many as there are cores: tests of services and browsers wait for them."""
    return (os.cpu_count() or 1) * 2


@pytest.fixture(autouse=True)
def watched(request):
    """Fails a test that starts a process, unless it is in the table of slow tests. Fails one that sent a
    statement to a site's table without the site, or changed subscribers without an entry in the record; with
    `--partitioned`, one that sent a statement for which several partitions of a table are read.

    It is one fixture: each costs as much as a short test.
    """
    guard.up = request.node.get_closest_marker("slow") is None
    for each in WATCHERS:
        each.wrong.clear()
    yield
    guard.up = False
    assert [statement for each in WATCHERS for statement in each.wrong] == []


def program(name: str) -> str:
    """The path of a Debian package's program. If it is missing, skips the test, or fails it under
    AUDIENCE_REQUIRE.
    """
    path = shutil.which(PROGRAMS[name], path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if path:
        return path
    return lacks(name)


def lacks(name: str) -> NoReturn:
    """Skips a test whose Debian package is missing, or fails it under AUDIENCE_REQUIRE."""
    reason = f"needs the Debian package {name}: apt-get install {name}"
    if name in REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def geo_table():
    """The path of the bundled geolocation table, packed."""
    return packed_places()


@pytest.fixture(scope="session", autouse=True)
def work_of_a_fixed_size():
    """Imports write 500 rows in a transaction, however fast the machine is, and hashing a password takes no
    time.
    """
    imports._pace = Pace(500, 500, 500)
    passwords.COST = 2


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server, or a cluster of Citus."""
    of_citus = citus.programs()
    programs = of_citus or postgresql.programs() or lacks("postgresql")
    with guard.lowered():
        server = citus.Cluster(programs) if of_citus else postgresql.Server(programs)
    yield server
    with guard.lowered():
        server.remove()


@pytest.fixture(scope="session")
def migrated_on_server(server, request):
    """The name of an empty migrated database, created once."""
    url = server.create()
    database.open(url)
    database.migrate()
    database.close()
    if request.config.getoption("partitioned"):
        partitions.partition(url)
    return postgresql.name_of(url)


@pytest.fixture(scope="session")
def new_server_url(request):
    """Makes the URL of a new migrated database on the server; "" where tests store in SQLite."""
    if request.config.getoption("engine") == "sqlite":
        return lambda: ""
    server, template = request.getfixturevalue("server"), request.getfixturevalue("migrated_on_server")
    return lambda: server.create(template)


@pytest.fixture
def database_url(new_server_url, request):
    """The setting `database_url`: a new database on the server, or "" for SQLite."""
    url = new_server_url()
    server = url and request.getfixturevalue("server")
    yield url
    if server:
        server.drop(url)


@pytest.fixture
def settings(tmp_path, database_url):
    return Settings(instance=tmp_path, database_url=database_url)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory):
    """An empty migrated database, created once."""
    file = tmp_path_factory.mktemp("migrated") / "audience.db"
    database.open(f"sqlite:///{file}")
    database.migrate()
    database.close()
    return file


@pytest.fixture
def resolver():
    """None, so that the application uses the resolver of its settings. Modules of tests override this."""


@pytest.fixture(scope="session")
def every_route():
    """An application with all routes and no instance. Compiling routes takes longer than most tests, so it is
    shared.
    """
    return create_routes()


@pytest.fixture
def served_routes(every_route):
    """The routes of `app`. A test that adds a route makes its own application with `create_routes`."""
    every_route.extensions.clear()
    return every_route


@pytest.fixture
def app(settings, migrated, resolver, served_routes):
    if not settings.database_url:
        shutil.copy(migrated, settings.instance / migrated.name)
    application = create_app(
        settings, FakeQueue(), FakeLimiter(), FakeProcesses(), resolver=resolver, routes=served_routes
    )
    yield application
    database.close()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory, migrated, every_route):
    """(folder, site, key) of an instance on which `prepare` has run, created once."""
    folder = tmp_path_factory.mktemp("prepared")
    shutil.copy(migrated, folder / migrated.name)
    app = create_app(
        Settings(instance=folder), FakeQueue(), FakeLimiter(), FakeProcesses(), routes=every_route
    )
    client = open_client(app.test_client())
    prepare(client)
    database.close()
    return folder, client.site, client.key


@pytest.fixture
def prepared_client(tmp_path, prepared, resolver, served_routes):
    """A client of a copy of the instance `prepared`, in SQLite, with a full key of its site."""
    folder, site, key = prepared
    settings = Settings(instance=tmp_path)
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    app = create_app(
        settings, FakeQueue(), FakeLimiter(), FakeProcesses(), resolver=resolver, routes=served_routes
    )
    yield ApiClient(app.test_client(), site, key)
    database.close()


@pytest.fixture(scope="module")
def chromium():
    """A browser. Its driver is imported here: `make test` does not install it."""
    from tests.console.chromium import chromium

    with chromium(program("chromium")) as browser:
        yield browser


@pytest.fixture
def port(app):
    """The port at which a thread serves `app`."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def client(app):
    """A client with a full key of a site."""
    return open_client(app.test_client())


@pytest.fixture
def other_client(app):
    """A client with a full key of another site on the same instance."""
    return open_client(app.test_client())
