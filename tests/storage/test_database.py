"""The one door to the database: what it opens, and what it refuses."""

import threading

import pytest
from playhouse.schema_diff import diff_models

from storage import database, models
from storage.errors import Mistaken, Unavailable, Unusable

NAMED_EXCEPTIONS = {"sites_uuid", "keys_publishable_key", "schema_migration_name"}


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


def test_the_migrated_tables_are_the_models(migrated):
    with database.session():
        difference = diff_models(database.database.obj, models.TABLES)
        assert not difference, difference
        names = {found[0] for found in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    named = {str(vars(model)["_meta"].table_name) for model in models.TABLES}
    assert {name for name in names if not name.startswith("sqlite_")} == {*named, "schema_migration"}


def test_every_unique_index_begins_with_the_site(migrated):
    """But for the integer primary keys, which have no index, and the names looked up by themselves."""
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
    assert database.pending() == []


def test_migrating_at_once_applies_each_once(opened):
    applied = []
    threads = [threading.Thread(target=lambda: applied.append(database.migrate())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(applied) == 4
    assert len([names for names in applied if names]) == 1


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
def test_a_faulty_sqlite_is_refused_unless_the_operator_insists(tmp_path, monkeypatch, version, faulty):
    monkeypatch.setattr(database.driver, "sqlite_version_info", version)
    url = f"sqlite:///{tmp_path / 'audience.db'}"
    if faulty:
        with pytest.raises(Unusable, match="pysqlite3"):
            database.open(url)
    database.open(url, allow_faulty=faulty)
    database.close()


def test_the_sqlite_here_has_no_fault():
    first, last = database.FAULTY_SQLITE
    assert not first <= database.driver.sqlite_version_info <= last


@pytest.mark.parametrize(
    "url", ["", "audience.db", "postgresql:///audience", "sqlite:///", "sqlite:audience.db"]
)
def test_another_url_is_refused(url):
    with pytest.raises(Unusable, match="sqlite:///PATH"):
        database.open(url)


@pytest.mark.parametrize(("pragma", "value"), [
    ("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("mmap_size", 0), ("busy_timeout",
    10_000),
])  # fmt: skip
def test_pragmas_of_every_connection(opened, pragma, value):
    seen = []

    def look():
        with database.session():
            seen.append(database.row(f"PRAGMA {pragma}")[0])

    with database.session():
        thread = threading.Thread(target=look)
        thread.start()
        thread.join(30)
        look()
    assert seen == [value, value]


def test_a_connection_serves_one_thread_after_another(migrated):
    def count():
        with database.write():
            database.execute("UPDATE sites SET user_count = user_count + 1")

    with database.write():
        database.execute(
            "INSERT INTO sites (uuid, name, user_count, unsubscriber_count, created_at) "
            "VALUES ('', '', 0, 0, 0)"
        )
    threads = [threading.Thread(target=lambda: [count() for _ in range(20)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    with database.session():
        assert database.row("SELECT user_count FROM sites") == (160,)


def test_who_waits_to_write_leaves_the_connections_to_the_readers(migrated):
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


def test_who_waits_too_long_to_write_is_told_so(migrated):
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


def test_truncating_the_log_leaves_the_time_out_as_it_was(migrated):
    database.open(migrated, timeout=3)
    with database.session():
        assert database.truncate_log()
        assert database.row("PRAGMA busy_timeout") == (3000,)


def test_a_write_that_fails_leaves_nothing(migrated):
    def fail():
        with database.write():
            database.execute("DELETE FROM schema_migration")
            with database.write():
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert database.migrate() == []


@pytest.mark.parametrize("statement", ["SELECT * FROM nothing", "nonsense"])
def test_a_statement_that_can_never_run_is_not_taken_for_a_busy_database(migrated, statement):
    with pytest.raises(Mistaken), database.session():
        database.rows(statement)
    with pytest.raises(Mistaken), database.session():
        database.execute_many(statement, [])


def test_what_no_database_holds_is_not_taken_for_a_busy_one(migrated):
    with pytest.raises(Mistaken), database.session():
        database.rows("SELECT zeroblob(3000000000)")
    with pytest.raises(Mistaken), database.session():
        database.rows("SELECT ?", ())


@pytest.mark.parametrize("kept", [0, 4096])
def test_a_damaged_database_is_unusable(migrated, kept):
    database.close()
    with open(migrated.removeprefix("sqlite:///"), "r+b") as file:
        size = file.seek(0, 2)
        file.seek(kept)
        file.write(b"\xff" * (size - kept))
    database.open(migrated)
    with pytest.raises(Unusable, match="restore"), database.session():
        database.rows("SELECT * FROM sites")


def test_a_database_that_cannot_be_opened_is_unavailable(tmp_path):
    (tmp_path / "audience.db").mkdir()
    database.open(f"sqlite:///{tmp_path / 'audience.db'}")
    with pytest.raises(Unavailable), database.session():
        database.row("SELECT 1")
    database.close()
