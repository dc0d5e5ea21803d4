"""Models and migrations make the same tables, and migrations keep the contents."""

import json

from playhouse.migrations import Runner

from audience import imports, pepper, sites
from storage import database
from storage.engines import sqlite
from storage.models import MODELS


def shape():
    """Columns and indexes of each table."""
    tables = [name for (name,) in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        table: (
            {tuple(column[1:4]) for column in database.rows(f"PRAGMA table_info({table})")},
            {
                (bool(index[2]), tuple(each[2] for each in database.rows(f"PRAGMA index_info({index[1]})")))
                for index in database.rows(f"PRAGMA index_list({table})")
            },
        )
        for table in tables
        if table not in ("schema_migration", "sqlite_sequence")
    }


def test_models_and_migrations_make_the_same_tables(tmp_path):
    made = []
    for name in ("migrated", "modelled"):
        database.open(f"sqlite:///{tmp_path / name}")
        if name == "migrated":
            database.migrate()
        with database.session():
            if name == "modelled":
                database.database.create_tables(MODELS)
            made.append(shape())
        database.close()
    migrated, modelled = made
    assert migrated == modelled


def test_waiting_imports_survive_the_migration_to_file_imports(tmp_path):
    pepper.open(tmp_path / pepper.FILE)
    database.open(f"sqlite:///{tmp_path / 'audience.db'}")
    with database.session():
        Runner(database.database.obj, str(sqlite.MIGRATIONS)).up(target="0001_people")
    site = sites.Site(1, "3c7f5f0e-0000-4000-8000-000000000000", "Example", "UTC", 0)
    payload = json.dumps([{"email": "ann@example.com"}, {"email": "bob@example.com"}])
    with database.write():
        database.execute(
            "INSERT INTO sites (id, uuid, name, user_count, unsubscriber_count, created_at) "
            "VALUES (?, ?, ?, 0, 0, 7)",
            (site.id, site.uuid, site.name),
        )
        database.execute(
            "INSERT INTO imports (site_id, status, payload, rows, applied, refused, created, updated, "
            "unchanged, suppressed, lease_until, attempts, created_at) "
            "VALUES (?, 'queued', ?, 2, 0, 1, 0, 0, 0, 0, 0, 0, 7)",
            (site.id, payload),
        )
    assert database.migrate()
    imports.drain(site.id, 5)
    progress = imports.progress(site, 1)
    assert (progress.status, progress.created, progress.refused, progress.created_at) == ("finished", 2, 1, 7)
    database.close()
