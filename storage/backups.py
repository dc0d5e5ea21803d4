"""Whole databases as files: copying one that is in use, examining a copy, putting one in another's place."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peewee

from storage.database import database, row, rows
from storage.errors import Unavailable, Unusable

PAGES = 2_000  # copied between two looks at the clock and at Ctrl-C
HISTORY = "schema_migration"
IN_USE = "another process uses the database: stop it first"


@dataclass(frozen=True)
class Contents:
    """The migrations that a database has had, and how many rows each table has."""

    migrations: list[str]
    rows: dict[str, int]


def copy(target: Path, progress: Callable[[int, int], None]) -> None:
    """Copies the database into one new file, as the caller's snapshot sees it; progress in pages of pages."""
    file: Any = peewee.SqliteDatabase(str(target))
    try:
        database.connection().backup(
            file.connection(), pages=PAGES, progress=lambda _, left, total: progress(total - left, total)
        )
        file.execute_sql("PRAGMA journal_mode = delete")
    finally:
        file.close()


def examine(file: Path) -> Contents:
    """Reads a database that nobody uses from end to end. Raises `Unusable` when it is damaged."""
    opened: Any = peewee.SqliteDatabase(str(file))
    try:
        found = [line[0] for line in opened.execute_sql("PRAGMA integrity_check(1)").fetchall()]
        if found != ["ok"]:
            raise Unusable(f"the database is damaged: {found[0]}")
        migrations = opened.execute_sql(f"SELECT name FROM {HISTORY} ORDER BY name").fetchall()
        return Contents([name for (name,) in migrations], _count(opened))
    except peewee.DatabaseError as error:
        raise Unusable(f"the database is damaged: {error}") from error
    finally:
        opened.close()


def _count(opened: Any) -> dict[str, int]:
    return {
        table: opened.execute_sql(f'SELECT count(*) FROM "{table}"').fetchone()[0]
        for table in sorted(opened.get_tables())
        if not table.startswith("sqlite_")
    }


def ended_keys() -> list[tuple[str, int | None, int | None]]:
    """(publishable key, revoked at, expires at) of keys with an end; an older schema will do."""
    columns = {found[1] for found in rows("PRAGMA table_info(keys)")}
    expires_at = "expires_at" if "expires_at" in columns else "NULL"
    return [
        (found[0], found[1], found[2])
        for found in rows(f"SELECT publishable_key, revoked_at, {expires_at} FROM keys ORDER BY id")
        if found[1] is not None or found[2] is not None
    ]


def is_empty() -> bool:
    """Whether the database has never been migrated."""
    return row("SELECT 1 FROM sqlite_master WHERE name = 'keys'") is None


def replace(current: Path, by: Path) -> None:
    """Puts a database that nobody uses in the place of another that nobody uses, in one step."""
    for suffix in ("-wal", "-shm"):
        Path(f"{current}{suffix}").unlink(missing_ok=True)
    _sync(by)
    os.replace(by, current)
    _sync(current.parent)


def release(current: Path) -> None:
    """Makes a database one file, which SQLite does only for the last that has it open.

    Raises `Unavailable` while a process has it open. A damaged one stays as it is.
    """
    if not current.exists():
        return
    opened: Any = peewee.SqliteDatabase(str(current), timeout=1)
    try:
        if opened.execute_sql("PRAGMA journal_mode = delete").fetchone()[0] != "delete":
            raise Unavailable(IN_USE)
    except peewee.DatabaseError as error:
        if "locked" in str(error):
            raise Unavailable(IN_USE) from error
    finally:
        opened.close()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
