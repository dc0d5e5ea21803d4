"""Opening the database, refusals and errors."""

import threading
import time

import pytest
from playhouse.schema_diff import diff_models

from audience.config import Settings
from storage import database, models
from storage.engines import sqlite
from storage.errors import StatementError, Unavailable, Unusable

NAMED_EXCEPTIONS = {
    "sites_uuid",
    "keys_publishable_key",
    "operators_email_key",
    "sessions_token_hash",
    "one_time_links_token_hash",
    "schema_migration_name",
    "sqlite_autoindex_sent_forms_1",
    "sqlite_autoindex_mailbox_counts_1",  # what one mailbox got of all sites
}


@pytest.fixture
def opened(tmp_path):
    url = f"sqlite:///{tmp_path / 'audience.db'}"
    database.open(url)
    yield url
    database.close()


@pytest.fixture
def migrated(opened):
    database.migrate()
    return opened


def test_the_migrated_tables_match_the_models(migrated):
    with database.session():
        difference = diff_models(database.database.obj, models.MODELS)
        assert not difference, difference
        names = {name for (name,) in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    model_names = {str(vars(model)["_meta"].table_name) for model in models.MODELS}
    assert {name for name in names if not name.startswith("sqlite_")} == {*model_names, "schema_migration"}


def test_every_unique_index_begins_with_the_site(migrated):
    """Except integer primary keys, which have no index, and public names, which are unique across sites."""
    with database.session():
        unique = database.rows(
            "SELECT i.name, (SELECT c.name FROM pragma_index_info(i.name) c WHERE c.seqno = 0) "
            "FROM sqlite_master t, pragma_index_list(t.name) i WHERE t.type = 'table' AND i.\"unique\""
        )
    first = dict(unique)
    assert set(first) >= NAMED_EXCEPTIONS
    assert {first[name] for name in set(first) - NAMED_EXCEPTIONS} == {"site_id"}


def test_migrating_twice_applies_nothing(migrated):
    assert database.migrate() == []
    assert database.pending_migrations() == []


def test_concurrent_migrations_are_applied_once(opened):
    applied = []
    threads = [threading.Thread(target=lambda: applied.append(database.migrate())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(applied) == 4
    names = [name for names in applied for name in names]
    assert sorted(names) == sorted(path.stem for path in sqlite.MIGRATIONS.glob("0*.py"))


def test_a_newer_database_is_refused(migrated):
    with database.write():
        database.execute(
            "INSERT INTO schema_migration (name, applied) VALUES ('9999_of_tomorrow', '2999-01-01')"
        )
    with pytest.raises(Unusable, match="9999_of_tomorrow"):
        database.migrate()


@pytest.mark.parametrize(("version", "faulty"), [
    ((3, 6, 23), False), ((3, 7, 0), True), ((3, 40, 1), True), ((3, 51, 2), True), ((3, 51, 3), False),
    ((3, 53, 0), False),
])  # fmt: skip
def test_a_faulty_sqlite_is_refused_unless_the_operator_allows_it(tmp_path, monkeypatch, version, faulty):
    monkeypatch.setattr(sqlite, "version_numbers", lambda: version)
    url = f"sqlite:///{tmp_path / 'audience.db'}"
    if faulty:
        with pytest.raises(Unusable, match="apsw"):
            database.open(url)
    database.open(url, allow_faulty=faulty)
    database.close()


def test_the_installed_sqlite_is_not_faulty():
    first, last = sqlite.FAULTY_VERSIONS
    assert not first <= sqlite.version_numbers() <= last


@pytest.mark.parametrize("url", ["", "audience.db", "mysql:///audience", "sqlite:///", "sqlite:audience.db"])
def test_another_url_is_refused(url):
    with pytest.raises(Unusable, match="sqlite:///PATH"):
        database.open(url)


@pytest.mark.parametrize(("pragma", "value"), [
    ("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("mmap_size", 0),
    ("busy_timeout", 3_500),
])  # fmt: skip
def test_pragmas_of_every_connection(opened, pragma, value):
    seen = []

    def read():
        with database.session():
            seen.append(database.row(f"PRAGMA {pragma}")[0])

    with database.session():
        thread = threading.Thread(target=read)
        thread.start()
        thread.join(30)
        read()
    assert seen == [value, value]


def test_a_connection_keeps_as_much_of_the_file_in_memory_as_it_is_told(tmp_path):
    database.open(f"sqlite:///{tmp_path / 'audience.db'}", cache_mb=8)
    with database.session():
        assert database.row("PRAGMA cache_size") == (-8_000,)
    database.close()


def test_a_connection_serves_one_thread_after_another(migrated):
    def count():
        with database.write():
            database.execute("UPDATE sites SET created_at = created_at + 1")

    with database.write():
        database.execute("INSERT INTO sites (uuid, name, created_at) VALUES ('', '', 0)")
    threads = [threading.Thread(target=lambda: [count() for _ in range(20)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    with database.session():
        assert database.row("SELECT created_at FROM sites") == (160,)


def test_waiting_writers_do_not_hold_the_readers_connections(migrated):
    database.open(migrated, timeout=1, connections=2)
    writing, may_end, waiting = threading.Event(), threading.Event(), threading.Barrier(4)

    def hold():
        with database.write():
            writing.set()
            may_end.wait(30)

    def wait():
        waiting.wait(30)
        with database.write():
            pass

    threads = [threading.Thread(target=target) for target in (hold, wait, wait, wait)]
    threads[0].start()
    assert writing.wait(30)
    for thread in threads[1:]:
        thread.start()
    waiting.wait(30)
    try:
        for _ in range(50):
            threads[1].join(0.002)
            with database.session():
                assert database.row("SELECT 1") == (1,)
    finally:
        may_end.set()
        for thread in threads:
            thread.join(30)


def test_a_writer_that_waits_too_long_gets_unavailable(migrated):
    database.open(migrated, timeout=0.1)
    writing, may_end, outcomes = threading.Event(), threading.Event(), []

    def hold():
        with database.write():
            writing.set()
            may_end.wait(30)

    def wait():
        try:
            with database.write():
                outcomes.append("written")
        except Unavailable:
            outcomes.append("unavailable")

    holder = threading.Thread(target=hold)
    holder.start()
    assert writing.wait(30)
    threads = [threading.Thread(target=wait, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert outcomes == ["unavailable"] * 4
    may_end.set()
    holder.join(30)
    wait()
    assert outcomes.pop() == "written"


def test_truncating_the_log_preserves_the_timeout(migrated):
    database.open(migrated, timeout=3)
    with database.session():
        assert database.truncate_log()
        assert database.row("PRAGMA busy_timeout") == (3000,)


def test_a_failed_write_leaves_nothing(migrated):
    def fail():
        with database.write():
            database.execute("DELETE FROM schema_migration")
            with database.write():
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert database.migrate() == []


@pytest.mark.parametrize("statement", ["SELECT * FROM nothing", "nonsense"])
def test_a_statement_that_can_never_run_does_not_count_as_busy(migrated, statement):
    with pytest.raises(StatementError), database.session():
        database.rows(statement)
    with pytest.raises(StatementError), database.session():
        database.execute_many(statement, [()])


def test_a_value_that_no_database_can_store_does_not_count_as_busy(migrated):
    with pytest.raises(StatementError), database.session():
        database.rows("SELECT zeroblob(3000000000)")
    with pytest.raises(StatementError), database.session():
        database.rows("SELECT ?", ())


@pytest.mark.parametrize("offset", [0, 4096])
def test_a_damaged_database_is_unusable(migrated, offset):
    database.close()
    with open(migrated.removeprefix("sqlite:///"), "r+b") as file:
        size = file.seek(0, 2)
        file.seek(offset)
        file.write(b"\xff" * (size - offset))
    database.open(migrated)
    with pytest.raises(Unusable, match="restore"), database.session():
        database.rows("SELECT * FROM sites")


def test_a_database_that_cannot_be_opened_is_unavailable(tmp_path):
    (tmp_path / "audience.db").mkdir()
    database.open(f"sqlite:///{tmp_path / 'audience.db'}")
    with pytest.raises(Unavailable), database.session():
        database.row("SELECT 1")
    database.close()


class FullGate:
    def enter(self):
        return False

    def leave(self):
        raise AssertionError("nobody entered")


def test_a_full_gate_refuses_writers_at_once_and_lets_readers_read(tmp_path):
    database.open(f"sqlite:///{tmp_path / 'audience.db'}", write_gate=FullGate())
    with pytest.raises(Unavailable), database.write():
        pass
    with database.session():
        assert database.ping()
    database.close()


def test_the_waits_of_a_write_share_one_timeout(migrated, monkeypatch):
    database.open(migrated, timeout=100)
    instants = iter((1000.0,))
    monkeypatch.setattr(time, "monotonic", lambda: next(instants, 1099.0))  # 99 s for the other threads
    with database.write():
        assert database.row("PRAGMA busy_timeout") == (1000,)
    with database.session():
        assert database.row("PRAGMA busy_timeout") == (100_000,)


def test_a_busy_database_is_told_in_time_for_a_client_that_waits_ten_seconds(tmp_path):
    assert 2 * Settings(instance=tmp_path).database_timeout < 8  # erasing waits twice
