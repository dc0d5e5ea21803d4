"""What an operator may meet on a server: each is one sentence, and none has a password."""

import re

import psycopg
import pytest

from audience.config import Settings
from audience.operations import health
from audience.operations.diagnostics import Context
from storage import database
from storage.engines import postgresql_connections, postgresql_diagnostics, postgresql_errors, postgresql_pool
from storage.errors import Conflict, DiskFault, ReadOnly, StatementError, Unavailable, Unusable
from storage.instance import doctor
from storage.sql import insert_into
from tests.client import FakeProcesses
from tests.storage.server_steps import opens, server_ends

CLOSED = (  # by this transaction, which created it in an earlier one
    "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock' "
    "AND CAST(relation AS regclass)::text IN ('subscribers', 'events'))"
)


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


@pytest.mark.parametrize("rest", [
    "a:secret@word@db.example/x", "a:secret/word@db.example/x", "a:12/secret@db.example/x",
])  # fmt: skip
def test_a_password_that_is_not_escaped_is_not_shown(rest):
    with pytest.raises(Unusable, match="%40") as raised:
        database.open(f"postgresql://{rest}")
    assert "secret" not in str(raised.value)


def test_a_role_s_encoding_and_isolation_do_not_matter(server, url):
    name = url.partition("?")[0].rpartition("/")[2]
    server.execute(f"ALTER DATABASE {name} SET client_encoding = 'LATIN1'")
    server.execute(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    database.open(url)
    database.migrate()
    with database.write():
        assert database.row("SELECT CAST('Ж' AS text), current_setting('transaction_isolation')") == (
            "Ж",
            "read committed",
        )


def test_a_database_of_another_program(url):
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("CREATE TABLE sites (id integer)")
    database.open(url)
    with pytest.raises(Unusable, match="another program uses the database"):
        database.migrate()


def test_the_password_comes_beside_the_url(url):
    database.open(url, password="secret")
    assert database.database.connect_params["password"] == "secret"


@pytest.mark.parametrize(("oldest", "newest"), [(13, 14), (90, 91)])
def test_another_version(url, monkeypatch, oldest, newest):
    monkeypatch.setattr(postgresql_connections, "OLDEST", oldest)
    monkeypatch.setattr(postgresql_connections, "NEWEST", newest)
    with pytest.raises(Unusable, match="Audience needs 15 to 18"):
        opens(url)


def test_a_database_that_is_not_utf8(server):
    server.execute("CREATE DATABASE latin ENCODING LATIN1 LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0")
    with pytest.raises(Unusable, match="encoded in LATIN1"):
        opens(server.url("latin"))
    database.close()
    server.drop(server.url("latin"))


def test_a_database_that_would_store_bytes_wrongly(server, url):
    name = url.partition("?")[0].rpartition("/")[2]
    server.execute(f"ALTER DATABASE {name} SET standard_conforming_strings = off")
    with pytest.raises(Unusable, match=f"ALTER DATABASE {name} SET standard_conforming_strings = on"):
        opens(url)


def test_a_role_that_finds_no_schema(url):
    database.open(f"{url}&options=-c%20search_path%3Dnowhere")
    with pytest.raises(Unusable, match="search_path"):
        database.migrate()


def test_no_migration_builds_an_index_while_readers_wait_for_it(url, monkeypatch):
    """What closes a table to readers, such as DROP INDEX, comes last: all is open again a moment later."""
    pool_class = postgresql_pool.ServerPool
    real, waited_for = pool_class.execute_sql, list[str]()

    def execute_sql(pool, sql, *values, **options):
        if sql.startswith("CREATE INDEX") and real(pool, CLOSED).fetchone()[0]:
            waited_for.append(sql)
        return real(pool, sql, *values, **options)

    database.open(url)
    monkeypatch.setattr(pool_class, "execute_sql", execute_sql)
    assert database.migrate()
    assert waited_for == []


@pytest.mark.parametrize(("known", "found"), [("4MB", "32MB"), ("64MB", "64MB")])
def test_a_connection_has_memory_for_segments_and_compiles_nothing(server, url, known, found):
    name = url.partition("?")[0].rpartition("/")[2]
    server.execute(f"ALTER DATABASE {name} SET work_mem = '{known}'")
    opens(url)
    with database.session():
        names = ("work_mem", "jit", "hash_mem_multiplier")
        settings = [database.row("SELECT current_setting(?)", (name,))[0] for name in names]
    assert settings == [found, "off", "8"]


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
    assert unsafe == "fsync, full_page_writes, synchronous_commit is off on the server"  # that of the tests
    monkeypatch.setattr(postgresql_diagnostics, "FEW", 10_000)
    monkeypatch.setattr(postgresql_diagnostics, "LONG_SECONDS", -1)
    monkeypatch.setattr(postgresql_diagnostics, "LATE_SECONDS", -1)
    with database.session():
        assert len([advice for _, advice in doctor.notes() if advice]) == 4


def test_a_role_without_rights_to_see_others_counts_their_connections(server, url):
    server.execute("CREATE ROLE plain LOGIN")
    with psycopg.connect(url), psycopg.connect(url):
        opens(url.replace("audience@", "plain@"))
        with database.session():
            [free] = database.row("SELECT count(*) FROM pg_stat_activity WHERE usename IS NOT NULL")
            assert doctor.notes()[1][0] == f"{200 - 3 - free} connections free"
    server.execute("DROP ROLE plain")


def test_the_limit_of_a_database_counts(server, url):
    server.execute(f"ALTER DATABASE {url.partition('?')[0].rpartition('/')[2]} CONNECTION LIMIT 5")
    opens(url)
    with database.session():
        free, advice = doctor.notes()[1]
    assert free == "4 connections free"
    assert advice


def test_rows_that_are_dead_are_noted(url, monkeypatch):
    opens(url)
    monkeypatch.setattr(postgresql_diagnostics, "MANY_DEAD", 0)
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("CREATE TABLE much (id integer)")
        other.execute("INSERT INTO much SELECT generate_series(1, 100)")
        other.execute("DELETE FROM much")
        other.execute("SELECT pg_stat_force_next_flush()")
    with database.session():
        assert ("100 rows are dead, beside 0", postgresql_diagnostics.DEAD) in doctor.notes()


CITUS = """
CREATE FUNCTION create_reference_table(regclass) RETURNS void LANGUAGE sql AS '';
CREATE TABLE pg_dist_node (nodeid integer, nodename text, nodeport integer);
INSERT INTO pg_dist_node VALUES (1, 'one.example', 5432), (2, 'two.example', 5432),
    (3, 'three.example', 5432);
CREATE FUNCTION run_command_on_all_nodes(
    command text, parallel boolean DEFAULT TRUE, give_warning_for_connection_errors boolean DEFAULT FALSE,
    OUT nodeid integer, OUT success boolean, OUT result text
) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE here text;
BEGIN
    EXECUTE command INTO here;
    RETURN QUERY VALUES (1, TRUE, here), (2, FALSE, 'connection refused'),
        (3, TRUE, replace(replace(here, 'PostgreSQL 1', 'PostgreSQL 9'), ', 0]', ', 7]'));
END $$
"""


def test_nodes_of_citus_are_noted(url):
    opens(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(CITUS)
    with database.session():
        lines = doctor.nodes()
    shown = r"node {}\.example:5432: PostgreSQL \d+\.\d.*, \d+ MB, \d+ of 200 connections"
    one, three, prepared, two, versions = [found for found, _ in lines]
    assert re.fullmatch(shown.format("one"), one)
    assert re.fullmatch(shown.format("three"), three)
    assert prepared == "node three.example:5432 has 7 transactions prepared over a minute ago"
    assert two == "node two.example:5432 does not answer: connection refused"
    assert versions == "nodes have different versions"
    assert [bool(advice) for _, advice in lines] == [False, False, True, True, True]


def test_statistics_are_made_when_a_site_has_grown(server, migrated_on_server):
    url = server.create(migrated_on_server)
    database.open(url)
    rows = [(7, n, "2026-08-21", 1) for n in range(postgresql_pool.MUCH)]
    insert = insert_into("segment_counts", ("site_id", "segment_id", "day", "people"))
    for end, expected in ((999, -1), (1_000, 1_000)):
        with database.write():
            database.execute("DELETE FROM segment_counts")
            database.execute_many(insert, rows[:end])
        database.checkpoint(only_if_due=True)
        with database.session():
            [found] = database.row("SELECT reltuples FROM pg_class WHERE relname = 'segment_counts'")
        assert found == expected
    database.close()
    server.drop(url)


@pytest.mark.parametrize(("state", "meant"), [
    ("XX000", Unavailable), ("XX001", Unusable), ("08006", Unavailable), ("57P01", Unavailable),
    ("40P01", Unavailable), ("55P03", Unavailable), ("53300", Unavailable), ("53100", DiskFault),
    ("25006", ReadOnly), ("25P03", Unavailable), ("23505", Conflict), ("42601", StatementError),
    ("22P02", StatementError), ("42501", Unusable),
])  # fmt: skip
def test_an_error_means_what_its_state_says(state, meant):
    error = psycopg.errors.lookup(state)("text")
    assert type(postgresql_errors.meaning(error)) is meant


def test_a_node_of_citus_says_of_a_duplicate_that_it_is_an_internal_error():
    text = 'duplicate key value violates unique constraint "tags_site_id_name_key_102019"'
    error = psycopg.errors.lookup("XX000")(text)
    assert type(postgresql_errors.meaning(error)) is Conflict


def test_a_connection_that_the_server_closed_is_replaced(url):
    database.open(url, kept_connections=1)
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
