"""What the driver does otherwise than peewee expects."""

import datetime

import peewee
import pytest
from playhouse.migrations import Runner

from storage import database
from storage.engines import sqlite, sqlite_files
from storage.errors import Conflict, DiskFault, StatementError, Unavailable

SITE = "INSERT INTO sites (uuid, name, created_at) VALUES (?, '', 0)"


@pytest.fixture
def opened(settings):
    database.open(settings.database)
    database.migrate()
    yield settings.database
    database.close()


def test_the_instant_of_a_migration_is_stored_as_text(opened):
    with database.session():
        applied = dict(database.rows("SELECT name, applied FROM schema_migration"))
        assert all(map(datetime.datetime.fromisoformat, applied.values()))
        statuses = Runner(database.database.obj, str(sqlite.MIGRATIONS)).status()
    assert {step.name: str(step.applied) for step in statuses} == applied


def test_a_value_of_another_type_is_refused(opened):
    with pytest.raises(TypeError, match="set"), database.session():
        database.rows("SELECT ?", (set(),))


def test_a_statement_tells_how_many_rows_it_changed(opened):
    with database.write():
        database.execute_many(SITE, [(name,) for name in "abc"])
        assert database.execute("UPDATE sites SET name = 'x' WHERE uuid < 'c'") == 2
        assert database.execute("UPDATE sites SET name = 'x' WHERE uuid = 'z'") == 0
        assert database.execute("DELETE FROM sites") == 3


def test_many_rows_at_once_fail_with_the_errors_of_one(opened):
    with pytest.raises(Conflict), database.write():
        database.execute_many(SITE, [("a",), ("a",)])
    with pytest.raises(StatementError), database.write():
        database.execute_many("INSERT INTO nothing VALUES (?)", [("a",)])
    with pytest.raises(StatementError), database.write():
        database.execute_many(SITE, [("a", "b")])
    with database.session():
        [pages] = database.row("PRAGMA page_count")
        database.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(DiskFault, match="full"), database.write():
            database.execute_many(SITE, [("x" * 20_000,)])
        assert database.row("SELECT count(*) FROM sites") == (0,)


def test_many_rows_at_once_fail_with_peewees_errors_outside_a_session(opened):
    with sqlite_files.opened_file(database.file(opened)) as other:
        with pytest.raises(peewee.OperationalError):
            other.execute_many("INSERT INTO nothing VALUES (?)", [("a",)])
        with pytest.raises(peewee.IntegrityError):
            other.execute_many(SITE, [("a",), ("a",)])


def test_a_database_that_another_program_writes_to_is_busy_not_faulty(opened):
    database.open(opened, timeout=0)
    with sqlite_files.opened_file(database.file(opened)) as other:
        other.execute_sql("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable) as raised, database.write():
            pass
        assert raised.type is Unavailable
        other.execute_sql("ROLLBACK")
    with database.write():
        database.execute(SITE, ("a",))
