"""The log of recent writes: who moves it into the database file, and that it stays short."""

import shutil
import threading

import pytest

from storage import database
from storage.engines import sqlite, sqlite_log
from storage.errors import Unavailable

SITE = "INSERT INTO sites (uuid, name, created_at) VALUES (?, ?, 0)"
MEGABYTE = "x" * 2**20  # in 257 pages of the log at least


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "audience.db"
    database.open(f"sqlite:///{file}")
    database.migrate()
    database.checkpoint()
    yield file
    database.close()


def add(name, text=MEGABYTE):
    with database.write():
        database.execute(SITE, (name, text))


def log_pages():
    return database.database.log.pages


@pytest.fixture
def reading(file):
    """A reader that has seen the database as it is now, until the function is called."""
    seen, may_end = threading.Event(), threading.Event()

    def read():
        with database.snapshot():
            seen.set()
            may_end.wait(60)

    def end():
        may_end.set()
        thread.join(60)

    thread = threading.Thread(target=read)
    thread.start()
    assert seen.wait(60)
    yield end
    end()


def test_no_write_moves_the_log_and_a_checkpoint_does(file):
    size = file.stat().st_size
    for number in range(5):
        add(str(number))
    assert file.stat().st_size == size
    assert log_pages() > 5 * 256
    database.checkpoint()
    assert file.stat().st_size >= size + 5 * 2**20


def test_a_checkpoint_is_due_after_so_many_pages(file, monkeypatch):
    monkeypatch.setattr(sqlite_log, "DUE_PAGES", 1_000)
    size, sizes = file.stat().st_size, []
    for number in range(6):
        add(str(number))
        database.checkpoint(only_if_due=True)
        sizes.append(file.stat().st_size > size)
    assert (sizes[0], sizes[-1]) == (False, True)


def test_a_long_log_begins_anew(file, monkeypatch):
    monkeypatch.setattr(sqlite_log, "LONG_PAGES", 1_000)
    for number in range(20):
        add(str(number))
        database.checkpoint()
        assert log_pages() < 1_500
    assert file.with_name("audience.db-wal").stat().st_size < 1_600 * 4_120


def test_without_any_checkpoint_the_writers_keep_the_log_short(file, monkeypatch):
    monkeypatch.setattr(sqlite_log, "LONG_PAGES", 1_000)
    monkeypatch.setattr(sqlite_log, "OVERLONG_PAGES", 1_200)
    for number in range(20):
        add(str(number))
        assert log_pages() < 1_700


def test_a_writer_that_cannot_shorten_the_log_has_written(file, monkeypatch):
    def busy(_):
        raise Unavailable

    monkeypatch.setattr(sqlite_log, "OVERLONG_PAGES", 0)
    monkeypatch.setattr(sqlite, "checkpoint", busy)
    add("a")
    with database.session():
        assert database.row("SELECT uuid FROM sites") == ("a",)


def test_a_reader_keeps_the_log_and_long_work_waits_for_it(file, reading, monkeypatch):
    monkeypatch.setattr(sqlite_log, "LONG_PAGES", 500)
    monkeypatch.setattr(sqlite_log, "KEPT_PAGES", 100)
    monkeypatch.setattr(sqlite_log, "FULL_PAGES", 1_000)
    add("a")
    assert not database.log_is_full()
    for name in "bcde":
        add(name)
        database.checkpoint()
    assert database.log_is_full()
    reading()
    assert not database.log_is_full()
    add("f")
    assert log_pages() < 500


def test_a_log_that_grew_large_shrinks_when_it_begins_anew(file, monkeypatch):
    database.close()
    monkeypatch.setitem(sqlite.PRAGMAS, "journal_size_limit", 2**20)
    database.open(f"sqlite:///{file}")
    log = file.with_name("audience.db-wal")
    for name in "abc":
        add(name)
    assert log.stat().st_size > 3 * 2**20
    monkeypatch.setattr(sqlite_log, "LONG_PAGES", 500)
    database.checkpoint()
    add("d", "")
    assert log.stat().st_size <= 2**20


IN_BATCHES = """
SITE = "INSERT INTO sites (uuid, name, created_at) VALUES (?, ?, 0)"


def batch(db):
    [(number,)] = db.execute_sql("SELECT count(*) FROM sites")
    db.execute_sql(SITE, (str(number), "x" * 2**20))
    return number < 19


def up(_migrator, _db):
    pass
"""


def test_a_migration_in_batches_moves_the_log_as_it_goes(file, monkeypatch, tmp_path):
    folder = shutil.copytree(sqlite.MIGRATIONS, tmp_path / "migrations")
    (folder / "9999_in_batches.py").write_text(IN_BATCHES)
    monkeypatch.setattr(sqlite, "MIGRATIONS", folder)
    monkeypatch.setattr(sqlite_log, "DUE_PAGES", 1_000)
    assert database.migrate() == ["9999_in_batches"]
    assert sqlite_log.log_bytes(database.database) < 10 * 2**20
    add("later")
    assert log_pages() > 0
