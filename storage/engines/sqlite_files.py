"""SQLite's databases as files: outside the pool, copied, replaced, released."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import peewee

from storage.engines import sqlite_log, sqlite_pool
from storage.errors import Unavailable

COPY_PAGES = 2_000  # between two calls of `progress`, each of which Ctrl-C can interrupt
SHARED_MEMORY = "-shm"  # suffix of the file beside the database
IN_USE = "another process uses the database: stop it first"


@contextlib.contextmanager
def opened_file(path: Path, timeout_seconds: float = 5) -> Iterator[Any]:
    """Yields a database outside the pool, such as a copy."""
    opened = sqlite_pool.SqliteFile(str(path), timeout=timeout_seconds)
    try:
        yield opened
    finally:
        opened.close()


def copy(opened: Any, target: Path, progress: Callable[[int, int], None]) -> None:
    """Copies the database, as the caller's snapshot sees it, into a new file.

    After each step, calls `progress` with the numbers of pages copied and of all pages.
    """
    with opened_file(target) as new:
        with new.connection().backup("main", opened.connection(), "main") as copying:
            while not copying.done:
                copying.step(COPY_PAGES)
                progress(copying.page_count - copying.remaining, copying.page_count)
        _single_file(new)


def tables(opened: Any) -> list[str]:
    return [table for table in opened.get_tables() if not table.startswith("sqlite_")]


def stored_code(opened: Any) -> str:
    """The kinds of SQL that a database runs by itself, such as triggers, with commas between; "" if none."""
    query = "SELECT DISTINCT type FROM sqlite_master WHERE type NOT IN ('table', 'index') ORDER BY type"
    return ", ".join(kind for (kind,) in opened.execute_sql(query).fetchall())


def replace(current: Path, by: Path) -> None:
    """Replaces a database by another, atomically. Neither may be in use."""
    for suffix in (sqlite_log.LOG, SHARED_MEMORY):
        Path(f"{current}{suffix}").unlink(missing_ok=True)
    _sync(by)
    os.replace(by, current)
    _sync(current.parent)


def release(path: Path) -> None:
    """Makes a database a single file, without a write-ahead log. A damaged or missing one stays as it is.

    Raises `Unavailable` if another process uses it.
    """
    if not path.exists():
        return
    try:
        with opened_file(path, timeout_seconds=1) as opened:
            if _single_file(opened) != "delete":
                raise Unavailable(IN_USE)
    except peewee.DatabaseError as error:
        if "locked" in str(error):
            raise Unavailable(IN_USE) from error


def _single_file(opened: Any) -> Any:
    """Leaves WAL mode. Returns the journal mode: `delete`, unless another process uses the database."""
    return opened.execute_sql("PRAGMA journal_mode = delete").fetchone()[0]


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
