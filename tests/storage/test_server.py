"""What an operator may meet on a server: each is one sentence, and none has a password."""

import psycopg
import pytest

from audience.config import Settings
from audience.operations import health
from audience.operations.diagnostics import Context
from storage import database, doctor
from storage.engines import postgresql_diagnostics, postgresql_errors, postgresql_pool
from storage.errors import Conflict, DiskFault, StatementError, Unavailable, Unusable
from tests.client import FakeProcesses


@pytest.fixture
def url(server):
    url = server.create()
    yield url
    database.close()
    server.drop(url)


def opens(url, **options):
    database.open(url, timeout=1, **options)
    with database.session():
        return database.ping()


def test_it_answers(url):
    assert opens(url)


def test_a_server_that_is_not_there(tmp_path):
    with pytest.raises(Unavailable, match=r"^PostgreSQL: connection") as raised:
        opens(f"postgresql://audience:secret@/audience?host={tmp_path}")
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_url_that_is_none():
    with pytest.raises(Unusable, match="postgresql://USER@HOST/DATABASE") as raised:
        database.open("postgresql://a:secret@[::1/x")
    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


def test_the_password_comes_beside_the_url(url):
    database.open(url, password="secret")
    assert database.database.connect_params["password"] == "secret"


@pytest.mark.parametrize(("oldest", "newest"), [(13, 14), (90, 91)])
def test_another_version(url, monkeypatch, oldest, newest):
    monkeypatch.setattr(postgresql_pool, "OLDEST", oldest)
    monkeypatch.setattr(postgresql_pool, "NEWEST", newest)
    with pytest.raises(Unusable, match="Audience needs 15 to 18"):
        opens(url)


def test_a_database_that_is_not_utf8(server):
    server.execute("CREATE DATABASE latin ENCODING LATIN1 LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0")
    with pytest.raises(Unusable, match="encoded in LATIN1"):
        opens(server.url("latin"))
    database.close()
    server.drop(server.url("latin"))


def test_a_role_without_rights(server, url):
    server.execute("CREATE ROLE reader LOGIN")
    database.open(url.replace("audience@", "reader@"))
    with pytest.raises(Unusable, match="lacks a right"):
        database.migrate()


def test_connections_and_old_transactions_are_noted(url, monkeypatch):
    opens(url)
    with database.session():
        (version, _), (free, advice), (unsafe, _) = doctor.notes()
    assert version.startswith("PostgreSQL ")
    assert free.endswith(" connections free")
    assert not advice
    assert unsafe == "fsync, full_page_writes is off on the server"  # that of the tests
    monkeypatch.setattr(postgresql_diagnostics, "FEW", 10_000)
    monkeypatch.setattr(postgresql_diagnostics, "LONG_SECONDS", -1)
    monkeypatch.setattr(postgresql_diagnostics, "LATE_SECONDS", -1)
    with database.session():
        assert len([advice for _, advice in doctor.notes() if advice]) == 4


def test_statistics_are_made_when_a_site_has_grown(server, migrated_on_server):
    url = server.create(migrated_on_server)
    database.open(url)
    rows = [(7, f"{n}.example", 1) for n in range(postgresql_pool.MUCH)]
    insert = "INSERT INTO domains (site_id, domain, people) VALUES (?, ?, ?)"
    for end, expected in ((999, -1), (1_000, 1_000)):
        with database.write():
            database.execute("DELETE FROM domains")
            database.execute_many(insert, rows[:end])
        database.checkpoint(only_if_due=True)
        with database.session():
            [found] = database.row("SELECT reltuples FROM pg_class WHERE relname = 'domains'")
        assert found == expected
    database.close()
    server.drop(url)


@pytest.mark.parametrize(("state", "meant"), [
    ("XX000", Unavailable), ("XX001", Unusable), ("08006", Unavailable), ("57P01", Unavailable),
    ("40P01", Unavailable), ("55P03", Unavailable), ("53300", Unavailable), ("53100", DiskFault),
    ("25006", Unavailable), ("25P03", Unavailable), ("23505", Conflict), ("42601", StatementError),
    ("22P02", StatementError), ("42501", Unusable),
])  # fmt: skip
def test_an_error_means_what_its_state_says(state, meant):
    error = psycopg.errors.lookup(state)("text")
    assert type(postgresql_errors.meaning(error)) is meant


def test_a_connection_that_the_server_closed_is_replaced(url):
    database.open(url, kept=1)
    with database.session():
        [number] = database.row("SELECT pg_backend_pid()")
    server_ends(url, number)
    with database.session():
        assert database.ping()


def test_a_connection_lost_within_a_session_is_unavailable(url):
    opens(url)
    with pytest.raises(Unavailable):
        loses_its_connection(url)
    with database.session():
        assert database.ping()


@database.session()
def loses_its_connection(url):
    [number] = database.row("SELECT pg_backend_pid()")
    server_ends(url, number)
    database.ping()


def server_ends(url, number):
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 30000)", (number,))


def test_readiness_warns_of_what_the_server_lacks(url, tmp_path):
    opens(url)
    settings = Settings(instance=tmp_path, database_url=url)
    with database.session():
        findings = list(health.database_answers(Context(settings, FakeProcesses())))
    assert [finding.state for finding in findings] == ["ok", "warn"]
    assert "fsync" in findings[1].found


def test_a_standby_is_named(url, monkeypatch):
    opens(url)
    state = postgresql_diagnostics.STATE.replace("pg_is_in_recovery()", "TRUE")
    monkeypatch.setattr(postgresql_diagnostics, "STATE", state)
    with database.session():
        assert "the server is a standby, which takes no writes" in [found for found, _ in doctor.notes()]
