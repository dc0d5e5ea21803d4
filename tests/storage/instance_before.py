"""An instance as the last commit before the first migration left it, with waiting work."""

import contextlib
from pathlib import Path

import apsw
import psycopg

from storage import database
from storage.engines.chosen import engine

DUMPS = Path(__file__).parent / "data"
ON_SQLITE, ON_SERVER = DUMPS / "instance_55bcc54.sql", DUMPS / "instance_55bcc54_postgresql.sql"
COLUMNS = """
SELECT table_name, column_name, ordinal_position, data_type, collation_name, is_nullable, column_default,
    is_identity, identity_generation FROM information_schema.columns WHERE table_schema = 'public'
"""
CONSTRAINTS = """
SELECT CAST(conrelid AS regclass) || ' ' || conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = CAST('public' AS regnamespace)
"""
INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
FUNCTIONS = (
    "SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = CAST('public' AS regnamespace)"
)
OF_RUNNER = ("schema_migration", "sqlite_sequence")


def load(settings):
    """Loads the dump into the database of the settings, with its pepper. Leaves the database open."""
    settings.instance.joinpath("pepper").write_bytes(b"p" * 32)
    database.open(settings.database)
    if settings.database.startswith("postgresql"):
        with psycopg.connect(settings.database, autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            connection.execute(ON_SERVER.read_text("utf-8").encode())
    else:
        with contextlib.closing(apsw.Connection(str(database.file(settings.database)))) as connection:
            connection.execute(ON_SQLITE.read_text("utf-8"))


def shape():
    """Tables, defaults, constraints, indexes and functions, as the open database spells them."""
    with database.session():
        if engine.NAME == "postgresql":
            found = {name: set(database.rows(query)) for name, query in SPELT.items()}
            return {
                name: {row for row in rows if OF_RUNNER[0] not in str(row[0])} for name, rows in found.items()
            }
        spelt = database.rows("SELECT name, sql FROM sqlite_master WHERE tbl_name NOT IN (?, ?)", OF_RUNNER)
        return {
            name: sql and " ".join(sql.replace("(", " ( ").replace(")", " ) ").split()) for name, sql in spelt
        }


SPELT = {"columns": COLUMNS, "constraints": CONSTRAINTS, "indexes": INDEXES, "functions": FUNCTIONS}


def contents():
    """The rows of every table but the runner's, with the names of their columns."""
    with database.session():
        names = sorted(set(engine.tables(database.database)) - {*OF_RUNNER})
        return {name: _rows(name) for name in names}


def _rows(name):
    query = " ".join(("SELECT * FROM", name))
    columns = [each.name for each in database.database.get_columns(name)]
    return sorted(map(repr, (dict(zip(columns, row, strict=True)) for row in database.rows(query))))
