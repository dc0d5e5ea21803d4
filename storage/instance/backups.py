"""Whole databases as files, for backups and restores."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import peewee

from storage.database import database, rows, session
from storage.engines import chosen, sqlite, sqlite_files
from storage.engines.chosen import engine
from storage.errors import Unusable
from storage.instance import state
from storage.models import MODELS

MIGRATION_HISTORY = "schema_migration"
FIRST_BYTES = b"SQLite format 3\0"
release, replace = sqlite_files.release, sqlite_files.replace


@dataclass(frozen=True)
class Contents:
    """The applied migrations of a database, and the number of rows of each table."""

    migrations: list[str]
    rows: dict[str, int]


@session()
def copy(target: Path, progress: Callable[[int, int], None]) -> None:
    """Copies the open database, as it is at one instant, into a new file `target`. A server's is dumped.

    Calls `progress` with the numbers of pages copied and of all pages. Raises `Unusable` if the server's
    program for it is missing or fails.
    """
    engine.copy(database, target, progress)


@session()
def load(dump: Path, digest: str, at: int) -> bool:
    """Loads a server's dump into the open database. No instance uses that until `finish_load`.

    Returns True without a change if the same dump is loaded already, also by a program that a killed call left
    running. Returns False if the database has other tables.
    `digest` is the dump's, `at` the present in milliseconds. Raises `Unusable` if the server's programs for
    it are missing or fail; then nothing is loaded.
    """
    from storage.engines import postgresql_dumps  # needs its driver, which a file's instance may lack

    if not engine.tables(database):
        mark = f"UPDATE instance_state SET move = '{digest}', phase = '{state.RESTORING}', at = {at}"
        try:
            postgresql_dumps.load(database, dump, mark)
        except Unusable:
            if not engine.tables(database):  # else the program of a killed call was still loading them
                raise
    return state.phase()[:2] == (digest, state.RESTORING)


@contextlib.contextmanager
def finish_load() -> Iterator[None]:
    """A transaction, beside which nobody writes. At its end, the instance uses what `load` has loaded."""
    with session(), engine.migration_lock(database):
        yield
        state.mark_active()


def restore_advice(url: str) -> str:
    """How to restore a database that is not a file; "" for a file. Raises `Unusable`."""
    return chosen.engine_of(url).RESTORE_ADVICE


def examine(path: Path) -> Contents:
    """Reads a whole database that is not in use.

    Raises `Unusable` if it is damaged, or has triggers or other SQL of its own.
    """
    try:
        with sqlite_files.opened_file(path) as opened:
            if fault := sqlite.fault(opened, "integrity_check"):
                raise Unusable(f"the database is damaged: {fault}")
            applied = opened.execute_sql(f"SELECT name FROM {MIGRATION_HISTORY} ORDER BY name").fetchall()
            if code := sqlite_files.stored_code(opened):
                raise Unusable(f"the database has code of its own ({code}), which no Audience wrote")
            counts = {
                table: opened.execute_sql(f'SELECT count(*) FROM "{table}"').fetchone()[0]
                for table in sqlite_files.tables(opened)
            }
            return Contents([name for (name,) in applied], counts)
    except peewee.DatabaseError as error:
        raise Unusable(f"the database is damaged: {error}") from error


def is_of_another_kind(path: Path) -> bool:
    """Whether the path is neither a database nor an empty file."""
    if not path.is_file():
        return path.exists()
    with path.open("rb") as file:
        return file.read(len(FIRST_BYTES)) not in (b"", FIRST_BYTES)


def accepted_numbers(path: Path) -> dict[str, int]:
    """The newest acceptance number of each site, by site uuid; empty for a database without tables."""
    with sqlite_files.opened_file(path) as opened:
        if not {"site_counters", "sites"} <= set(sqlite_files.tables(opened)):
            return {}
        numbers = "SELECT s.uuid, c.accepted FROM site_counters c JOIN sites s ON s.id = c.site_id"
        return dict(opened.execute_sql(numbers).fetchall())


@session()
def missing_columns() -> list[str]:
    """The columns that this code needs but the open database lacks, as `table.column`."""
    columns = [(model._meta.table_name, name) for model in MODELS for name in model._meta.columns]
    there = {table: {column.name for column in database.get_columns(table)} for table, _ in columns}
    return [f"{table}.{name}" for table, name in columns if name not in there[table]]


def ended_keys() -> list[tuple[str, int | None, int | None]]:
    """The (publishable key, revoked at, expires at) of revoked or expiring API keys, in milliseconds."""
    return rows(
        "SELECT publishable_key, revoked_at, expires_at FROM keys "
        "WHERE revoked_at IS NOT NULL OR expires_at IS NOT NULL ORDER BY id"
    )


def is_empty() -> bool:
    """Whether the database has never been migrated."""
    return not database.table_exists("keys")
