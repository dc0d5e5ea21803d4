"""Models and migrations make the same tables, and migrations keep the contents."""

from storage import database
from storage.models import MODELS


def shape():
    """Columns and indexes of each table. The size of integers is left out: only migrations tell it."""
    tables = [name for (name,) in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        table: (
            {
                (name, kind.replace("BIGINT", "INTEGER"), is_required)
                for _, name, kind, is_required, *_ in database.rows(f"PRAGMA table_info({table})")
            },
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
