"""A migration that changes many rows does so in batches; stopped between two, it goes on with the next."""

import shutil

import pytest

from audience.access import sites
from audience.operations import opening
from storage import database
from storage.engines import chosen
from storage.errors import Unusable
from storage.opening import history

NAME = "9999_noted"
BATCHED = """
NEXT = "SELECT id, name FROM sites WHERE id NOT IN (SELECT id FROM noted_sites) ORDER BY id LIMIT 2"


def batch(db):
    db.execute_sql("CREATE TABLE IF NOT EXISTS noted_sites (id bigint PRIMARY KEY, name text)")
    rows = db.execute_sql(NEXT).fetchall()
    for site_id, name in rows:
        db.execute_sql(f"INSERT INTO noted_sites VALUES ({site_id}, '{name}')")
    return len(rows) > 0


def up(_migrator, db):
    db.execute_sql("CREATE INDEX noted_sites_name ON noted_sites (name)")
"""
NOTED = "SELECT name FROM noted_sites ORDER BY id"


@pytest.fixture
def pending(app, settings, tmp_path_factory, monkeypatch):
    """An instance of five sites with a pending migration in batches."""
    engine = chosen.engine_of(settings.database)
    folder = shutil.copytree(engine.MIGRATIONS, tmp_path_factory.mktemp("new") / "migrations")
    (folder / f"{NAME}.py").write_text(BATCHED)
    for number in range(5):
        sites.create(str(number))
    monkeypatch.setattr(engine, "MIGRATIONS", folder)
    return settings


@pytest.fixture
def stopped(monkeypatch):
    """Migrates, and is stopped after two batches."""

    def migrate():
        with monkeypatch.context() as patch:
            real, left = history.take_step, iter(range(2))
            patch.setattr(
                history, "take_step", lambda *step: stop() if next(left, None) is None else real(*step)
            )
            with pytest.raises(KeyboardInterrupt):
                database.migrate()

    return migrate


def stop():
    raise KeyboardInterrupt


def noted():
    with database.session():
        return database.column(NOTED)


def test_stopped_between_two_batches_it_goes_on_with_the_next(pending, stopped):
    stopped()
    assert noted() == ["0", "1", "2", "3"]
    assert database.pending_migrations() == [NAME]
    assert database.migrate() == [NAME]
    assert noted() == ["0", "1", "2", "3", "4"]
    assert database.pending_migrations() == []


def test_what_a_host_of_the_older_version_writes_between_two_batches_is_in_the_last(pending, stopped):
    stopped()
    sites.create("late")
    assert database.migrate() == [NAME]
    assert noted() == ["0", "1", "2", "3", "4", "late"]


def test_meanwhile_the_newer_version_does_not_start(pending, stopped):
    stopped()
    with pytest.raises(Unusable, match="migrations are pending: run `audience migrate`"):
        opening.check_migrated(pending)
