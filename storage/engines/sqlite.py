"""The specifics of SQLite: opening, locking, its log, its diagnostics, the database as a file.

`opened` is a peewee database whose connection the caller holds.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from storage import spelt
from storage.engines import (
    sqlite_errors,
    sqlite_files,
    sqlite_log,
    sqlite_pool,
    sqlite_spelling,
    sqlite_turns,
)
from storage.errors import Unusable

# The WAL-reset fault, first and last version: https://sqlite.org/wal.html#walresetbug
FAULTY_VERSIONS = ((3, 7, 0), (3, 51, 2))
KEEPS_PLAN: dict[str, bool] = {}  # the driver keeps the plan of every statement
NAME, HAS_HOSTS, RESTORE_ADVICE = "sqlite", False, ""
POSITION = HAS_REACHED = ""
TURN_SECONDS = 0.012  # all writers wait for it; a commit adds about 3 ms
MIGRATIONS = Path(__file__).parent.parent / "migrations"
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "foreign_keys": 1,
    "mmap_size": 0,
    "temp_store": "memory",
    "secure_delete": 1,
    "journal_size_limit": sqlite_log.LIMIT_BYTES,
    "cache_spill": 2_500,  # pages: what a usual transaction writes goes to the log once, when it commits
}
FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "folded": (str.casefold, 1),  # lower() is ASCII only
    "spelt_number": (spelt.number, 1),
    "spelt_instant": (spelt.instant, 1),
    "is_in_set": (lambda ids, subscriber_id: subscriber_id in ids, 2),
}
CHECKED_PRAGMAS = ("journal_mode", "synchronous", "foreign_keys")
SYNCHRONOUS = ("off", "normal", "full", "extra")

Error, meaning = sqlite_errors.Error, sqlite_errors.meaning
LOG, log_bytes = sqlite_log.LOG, sqlite_log.log_bytes
checkpoint_is_due, log_is_overlong, log_is_full = (
    sqlite_log.checkpoint_is_due,
    sqlite_log.log_is_overlong,
    sqlite_log.log_is_full,
)
checkpoint, restart_log, truncate_log = sqlite_log.checkpoint, sqlite_log.restart_log, sqlite_log.truncate_log
IDS, PERIODS, SCALARS = sqlite_spelling.IDS, sqlite_spelling.PERIODS, sqlite_spelling.SCALARS
IN_ORDER, BY_ATOM = sqlite_spelling.IN_ORDER, sqlite_spelling.BY_ATOM
value_keys = sqlite_spelling.value_keys
OF_SITE = sqlite_spelling.OF_SITE
rewrite, indexed_by, caseless = sqlite_spelling.rewrite, sqlite_spelling.indexed_by, sqlite_spelling.caseless
among, each_number, joined = sqlite_spelling.among, sqlite_spelling.each_number, sqlite_spelling.joined
instant_text, in_set = sqlite_spelling.instant_text, sqlite_spelling.in_set


def open(
    url: str,
    timeout_seconds: float,
    connections: int,
    allow_faulty: bool,
    _password: str | None = None,
    cache_mb: int = 2,
) -> Any:
    """A pooled peewee database, not connected yet. Raises `Unusable`."""
    path = file(url)
    if version_fault() and not allow_faulty:
        raise Unusable(
            f"{version()} can corrupt a database written by two processes (the WAL-reset fault): "
            "reinstall the package apsw, or set allow_faulty_sqlite to run anyway"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    pool = sqlite_pool.SqlitePool(
        str(path),
        max_connections=connections,
        timeout=timeout_seconds,
        pragmas=PRAGMAS | {"cache_size": -1_000 * cache_mb},  # SQLite's measure: negative is in KiB
        autoconnect=False,
    )
    pool.timeout = timeout_seconds  # SQLite's busy timeout; the argument above is the pool's
    for name, (function, arguments) in FUNCTIONS.items():
        pool.register_function(function, name, arguments, deterministic=True)
    return pool


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def file(url: str) -> Path:
    """The file of `sqlite:///PATH`. Raises `Unusable`."""
    scheme, separator, path = url.partition(":///")
    if scheme != "sqlite" or not separator or not path:
        raise Unusable("database_url must be sqlite:///PATH")
    return Path(path)


def files(url: str) -> list[Path]:
    """The files that hold data of a database, the database first. Raises `Unusable`."""
    path = file(url)
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


def version_advice() -> str:
    return "Reinstall the package apsw."


def is_stuck(opened: Any) -> bool:
    """Whether the connection is still in a transaction that peewee has ended."""
    return bool(opened.connection().in_transaction) and not opened.in_transaction()


def is_lost(_opened: Any) -> bool:
    return False


def identity(_opened: Any) -> str:
    """Always empty: a file cannot be told from its copy."""
    return ""


@contextlib.contextmanager
def snapshot(opened: Any) -> Iterator[None]:
    """A read transaction that sees the database as it is at its start."""
    with opened.atomic("DEFERRED"):
        opened.execute_sql("SELECT 1 FROM sqlite_master").fetchone()
        yield


def copy(opened: Any, target: Path, progress: Callable[[int, int], None]) -> None:
    """Copies the database as it is now into a new file. Calls `progress` with the pages copied, and all."""
    with snapshot(opened):
        sqlite_files.copy(opened, target, progress)


@contextlib.contextmanager
def write_transaction(opened: Any, deadline: float, _site_id: int | None) -> Iterator[None]:
    """A write transaction. It locks all sites at its start: after a read, it could not wait for the lock.

    Waits for the lock until `deadline`, an instant of `time.monotonic`.
    """
    wait_seconds = max(0.0, deadline - time.monotonic())
    connection = opened.connection()
    connection.set_busy_timeout(round(wait_seconds * 1000))
    try:
        with opened.atomic("IMMEDIATE"):
            yield
    finally:
        connection.set_busy_timeout(round(opened.timeout * 1000))


def writers_turn(opened: Any, timeout_seconds: float, gate: Any) -> AbstractContextManager[None]:
    """See `sqlite_turns.writers_turn`."""
    return sqlite_turns.writers_turn(opened.turns, timeout_seconds, gate)


@contextlib.contextmanager
def migration_lock(opened: Any, _ends_still: bool = False) -> Iterator[None]:
    """Lets one process migrate while no other writes. Each commit of the migration moves the write-ahead log
    into the file.
    """
    opened.turns.take(threading.TIMEOUT_MAX)
    try:
        with sqlite_log.moved_by_commits(opened):
            yield
    finally:
        opened.turns.give_back()


def distribute(_opened: Any) -> None:
    pass


def now_ms(_opened: Any) -> int | None:
    """Always None: all processes are on one machine, and go by its uptime."""
    return None


def is_spread(_opened: Any) -> bool:
    return False


def new_ids(opened: Any, table: str, count: int) -> Sequence[int]:
    """`count` new ids of a table, in order. They stay free only while the caller holds the write lock."""
    first = last_id(opened, table) + 1
    return range(first, first + count)


def tables(opened: Any) -> list[str]:
    return sqlite_files.tables(opened)


@contextlib.contextmanager
def stream(opened: Any, sql: str, parameters: Sequence[Any], _rows: int) -> Iterator[Iterator[Any]]:
    """A context with the rows of one statement, which are read one by one."""
    with contextlib.closing(opened.execute_sql(sql, parameters)) as cursor:
        yield iter(cursor)


def primary_key(opened: Any, table: str) -> list[str]:
    query = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
    return [name for (name,) in opened.execute_sql(query, (table,)).fetchall()]


def last_id(opened: Any, table: str) -> int:
    """The highest id that a table has given; 0 before the first."""
    highest = opened.execute_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return int(highest[0]) if highest else 0


def put_last_id(opened: Any, table: str, number: int) -> None:
    """Sets the highest id that a table has given: the next row gets the one after it."""
    opened.execute_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    opened.execute_sql("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))


def fault(opened: Any, check: str = "quick_check") -> str:
    """The first fault that SQLite's `check` finds; "" if none. `integrity_check` compares indexes, too."""
    result = str(_pragma(opened, f"{check}(1)"))
    return "" if result == "ok" else result


def page_counts(opened: Any) -> tuple[int, int, int]:
    """(bytes per page, pages, free pages)."""
    size, total, free = (_pragma(opened, name) for name in ("page_size", "page_count", "freelist_count"))
    return size, total, free


def nodes(_opened: Any) -> list[tuple[str, str]]:
    return []


def notes(_opened: Any) -> list[tuple[str, str]]:
    return []


def deviations(opened: Any) -> dict[str, str]:
    """The values of those checked pragmas that differ from `PRAGMAS`."""
    actual = {name: _word(name, _pragma(opened, name)) for name in CHECKED_PRAGMAS}
    return {name: value for name, value in actual.items() if value != str(PRAGMAS[name])}


def _pragma(opened: Any, name: str) -> Any:
    return opened.execute_sql(f"PRAGMA {name}").fetchone()[0]


def _word(name: str, value: object) -> str:
    return SYNCHRONOUS[value] if name == "synchronous" and isinstance(value, int) else str(value)
