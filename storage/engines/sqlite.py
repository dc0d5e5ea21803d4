"""The specifics of SQLite: opening, locking, its log, its diagnostics, the database as a file.

`opened` is a peewee database whose connection the caller holds.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import peewee

from storage.engines import sqlite_errors, sqlite_log, sqlite_pool, sqlite_turns
from storage.errors import Unavailable, Unusable

# The WAL-reset fault, first and last version: https://sqlite.org/wal.html#walresetbug
FAULTY_VERSIONS = ((3, 7, 0), (3, 51, 2))
VERSION_ADVICE = "Install the package apsw anew."
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "foreign_keys": 1,
    "mmap_size": 0,
    "temp_store": "memory",
    "secure_delete": 1,
    "journal_size_limit": sqlite_log.LIMIT_BYTES,
}
CHECKED_PRAGMAS = ("journal_mode", "synchronous", "foreign_keys")
SYNCHRONOUS = ("off", "normal", "full", "extra")
COPY_PAGES = 2_000  # between two calls of `progress`, each of which Ctrl-C can interrupt
SHARED_MEMORY = "-shm"  # suffix of the file beside the database
IN_USE = "another process uses the database: stop it first"

Error, error_type = sqlite_errors.Error, sqlite_errors.error_type
LOG, log_bytes = sqlite_log.LOG, sqlite_log.log_bytes
is_due, is_overlong, is_full = sqlite_log.is_due, sqlite_log.is_overlong, sqlite_log.is_full
checkpoint, restart_log, truncate_log = sqlite_log.checkpoint, sqlite_log.restart_log, sqlite_log.truncate_log


def open(url: str, timeout_seconds: float, connections: int, allow_faulty: bool) -> Any:
    """A pooled peewee database, not connected yet. Raises `Unusable`."""
    path = file(url)
    if version_fault() and not allow_faulty:
        raise Unusable(
            f"{version()} can corrupt a database written by two processes (the WAL-reset fault): "
            "install the package apsw anew, or set allow_faulty_sqlite to run anyway"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    pool = sqlite_pool.Pool(
        str(path),
        max_connections=connections,
        timeout=timeout_seconds,
        pragmas=PRAGMAS,
        autoconnect=False,
    )
    pool.timeout = timeout_seconds  # SQLite's busy timeout; the argument above is the pool's
    pool.register_function(str.casefold, "casefold", 1, deterministic=True)  # lower() is ASCII only
    return pool


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def file(url: str) -> Path:
    """The file of `sqlite:///PATH`. Raises `Unusable`."""
    scheme, separator, path = url.partition(":///")
    if scheme != "sqlite" or not separator or not path:
        raise Unusable("database_url must be sqlite:///PATH")
    return Path(path)


def files(path: Path) -> list[Path]:
    """The files that hold data of a database."""
    return [path, Path(f"{path}{LOG}")]


def version() -> str:
    return f"SQLite {'.'.join(map(str, version_numbers()))}"


def version_numbers() -> tuple[int, ...]:
    numbers: tuple[int, ...] = sqlite_pool.SqliteFile.server_version
    return numbers


def version_fault() -> str | None:
    """A known bug of this version, as a predicate (`has ...`); None without one."""
    is_faulty = FAULTY_VERSIONS[0] <= version_numbers() <= FAULTY_VERSIONS[1]
    return "has the WAL-reset fault" if is_faulty else None


def rewrite_marks(sql: str) -> str:
    """The statement with `?` marks in the style of this driver: unchanged."""
    return sql


def indexed_by(index: str) -> str:
    """A clause after the table that forces an index."""
    return f"INDEXED BY {index}"


def folded(text: str) -> str:
    return f"casefold({text})"  # as Python folds case


@contextlib.contextmanager
def snapshot(opened: Any) -> Iterator[None]:
    """A read transaction, whose instant is that of its first read."""
    with opened.atomic("DEFERRED"):
        opened.execute_sql("SELECT 1 FROM sqlite_master").fetchone()
        yield


@contextlib.contextmanager
def write_transaction(opened: Any, deadline: float) -> Iterator[None]:
    """Takes the write lock at once: a transaction that begins with a read cannot wait for it.

    Waits for it until `deadline`, an instant of `time.monotonic`.
    """
    left = max(0.0, deadline - time.monotonic())
    opened.execute_sql(f"PRAGMA busy_timeout = {round(left * 1000)}")
    try:
        with opened.atomic("IMMEDIATE"):
            yield
    finally:
        opened.execute_sql(f"PRAGMA busy_timeout = {round(opened.timeout * 1000)}")


def writers_turn(opened: Any, timeout_seconds: float, gate: Any) -> AbstractContextManager[None]:
    """See `sqlite_turns.writers_turn`."""
    return sqlite_turns.writers_turn(opened.turns, timeout_seconds, gate)


@contextlib.contextmanager
def migration_lock(opened: Any) -> Iterator[None]:
    """One migrating process at a time, and no other writes. What is committed moves the log by itself."""
    opened.turns.take(threading.TIMEOUT_MAX)
    try:
        with sqlite_log.moved_by_commits(opened):
            yield
    finally:
        opened.turns.give_back()


def next_id(opened: Any, table: str) -> int:
    """An id that no row of a table has had; nobody else takes one while the caller holds the write lock."""
    highest = opened.execute_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return highest[0] + 1 if highest else 1


def fault(opened: Any, check: str = "quick_check") -> str:
    """The first fault of the database, "" if there is none; `integrity_check` compares indexes, too."""
    result = str(_pragma(opened, f"{check}(1)"))
    return "" if result == "ok" else result


def page_counts(opened: Any) -> tuple[int, int, int]:
    """(bytes per page, pages, free pages)."""
    size, total, free = (_pragma(opened, name) for name in ("page_size", "page_count", "freelist_count"))
    return size, total, free


def deviations(opened: Any) -> dict[str, str]:
    """The pragmas that differ from `PRAGMAS`, with their values."""
    actual = {name: _word(name, _pragma(opened, name)) for name in CHECKED_PRAGMAS}
    return {name: value for name, value in actual.items() if value != str(PRAGMAS[name])}


def _pragma(opened: Any, name: str) -> Any:
    return opened.execute_sql(f"PRAGMA {name}").fetchone()[0]


def _word(name: str, value: object) -> str:
    return SYNCHRONOUS[value] if name == "synchronous" and isinstance(value, int) else str(value)


@contextlib.contextmanager
def opened_file(path: Path, timeout_seconds: float = 5) -> Iterator[Any]:
    """A database outside the pool, such as a copy."""
    opened = sqlite_pool.SqliteFile(str(path), timeout=timeout_seconds)
    try:
        yield opened
    finally:
        opened.close()


def copy(opened: Any, target: Path, progress: Callable[[int, int], None]) -> None:
    """Copies the database, as the caller's snapshot sees it, into one new file; `progress(pages, total)`."""
    with opened_file(target) as new:
        with new.connection().backup("main", opened.connection(), "main") as copying:
            while not copying.done:
                copying.step(COPY_PAGES)
                progress(copying.page_count - copying.remaining, copying.page_count)
        _single_file(new)


def tables(opened: Any) -> list[str]:
    return [table for table in opened.get_tables() if not table.startswith("sqlite_")]


def stored_code(opened: Any) -> str:
    """The kinds of statements that a database runs by itself; "" without any."""
    query = "SELECT DISTINCT type FROM sqlite_master WHERE type NOT IN ('table', 'index') ORDER BY type"
    return ", ".join(kind for (kind,) in opened.execute_sql(query).fetchall())


def replace(current: Path, by: Path) -> None:
    """Replaces a database by another, atomically. Neither may be in use."""
    for suffix in (LOG, SHARED_MEMORY):
        Path(f"{current}{suffix}").unlink(missing_ok=True)
    _sync(by)
    os.replace(by, current)
    _sync(current.parent)


def release(path: Path) -> None:
    """Makes a database a single file, which proves that no process uses it. Raises `Unavailable` otherwise.

    A damaged database stays as it is.
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
    """Leaves WAL mode; the journal mode afterwards."""
    return _pragma(opened, "journal_mode = delete")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
