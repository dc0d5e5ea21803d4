"""The one door to the database: opening, sessions, write transactions, migrations."""

import contextlib
import fcntl
import itertools
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import peewee
from playhouse.migrations import Runner
from playhouse.pool import MaxConnectionsExceeded, PooledSqliteDatabase

from storage.errors import Conflict, Mistaken, Unavailable, Unusable

MIGRATIONS = Path(__file__).parent / "migrations"
FAULTY_SQLITE = ((3, 7, 0), (3, 51, 2))  # the WAL-reset fault: https://sqlite.org/wal.html#walresetbug
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "foreign_keys": 1,
    "mmap_size": 0,
    "temp_store": "memory",
    "secure_delete": 1,
}

MOST_PARAMETERS = 10_000
TRUNCATE_PATIENCE = 250  # milliseconds

database: Any = peewee.DatabaseProxy()
driver: Any = vars(peewee)["sqlite3"]
_write_lock = threading.Lock()


def open(url: str, *, timeout: float = 10.0, connections: int = 16, allow_faulty: bool = False) -> None:
    """Points the models at `sqlite:///PATH`; connects lazily. Raises `Unusable`."""
    path = file(url)
    if faulty() and not allow_faulty:
        raise Unusable(
            f"SQLite {sqlite_version()} can corrupt a database that two processes write (the WAL-reset "
            "fault): install the package pysqlite3, or set allow_faulty_sqlite to run all the same"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    close()
    pool = PooledSqliteDatabase(
        str(path),
        max_connections=connections,
        timeout=timeout,
        pragmas=PRAGMAS,
        autoconnect=False,
        check_same_thread=False,  # the pool hands a connection to one thread at a time
    )
    pool.timeout = timeout  # SQLite's; the one above is the pool's
    pool.register_function(str.casefold, "casefold", 1, deterministic=True)  # SQLite's lower() is for ASCII
    database.initialize(pool)


def file(url: str) -> Path:
    """The file of `sqlite:///PATH`. Raises `Unusable`."""
    scheme, separator, path = url.partition(":///")
    if scheme != "sqlite" or not separator or not path:
        raise Unusable("database_url must be sqlite:///PATH")
    return Path(path)


def close() -> None:
    """Closes every connection that this process holds."""
    if database.obj is not None:
        database.obj.close_all()
        database.obj = None


def sqlite_version() -> str:
    return str(driver.sqlite_version)


def faulty() -> bool:
    """Whether this SQLite has the WAL-reset fault."""
    first, last = FAULTY_SQLITE
    return bool(first <= driver.sqlite_version_info <= last)


@contextlib.contextmanager
def session() -> Iterator[None]:
    """A connection from the pool for the calls within; re-entrant. Raises `Unavailable` and `Conflict`."""
    with _translated():
        opened = database.connect(reuse_if_open=True)
        try:
            yield
        finally:
            if opened:
                database.close()


@contextlib.contextmanager
def snapshot() -> Iterator[None]:
    """A session whose reads all see the database at one instant."""
    with session():
        if database.in_transaction():
            yield
            return
        with database.atomic("DEFERRED"):
            row("SELECT 1 FROM sqlite_master")  # the instant is that of the first read
            yield


@contextlib.contextmanager
def write() -> Iterator[None]:
    """A session with one write transaction: all of what is within, or nothing, is on disk afterwards.

    Threads of this process queue for the lock, without a connection while they wait, for up to the time-out;
    then other processes are waited for, up to the time-out again. Raises `Unavailable` after either.
    """
    if database.in_transaction():
        with session():
            yield
    else:
        with _in_turn(), session(), database.atomic("IMMEDIATE"):
            yield


@contextlib.contextmanager
def _in_turn() -> Iterator[None]:
    if not _write_lock.acquire(timeout=database.timeout):
        raise Unavailable("others are writing")
    try:
        yield
    finally:
        _write_lock.release()


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        with vars(peewee)["__exception_wrapper__"]:
            yield
    except peewee.IntegrityError as error:
        raise Conflict(type(error).__name__) from error
    except (peewee.OperationalError, peewee.InterfaceError, MaxConnectionsExceeded) as error:
        raise (Mistaken if _can_never_work(error) else Unavailable)(str(error)) from error
    except (peewee.DataError, peewee.ProgrammingError, peewee.NotSupportedError) as error:
        raise Mistaken(str(error)) from error
    except peewee.DatabaseError as error:
        raise Unusable(f"the database is damaged ({error}): stop the service and restore a backup") from error


def _can_never_work(error: BaseException) -> bool:
    """Whether the statement is wrong (SQLITE_ERROR), which waiting does not mend."""
    original: BaseException | None = error
    while isinstance(original, peewee.PeeweeException):
        original = original.__cause__ or original.__context__
    return getattr(original, "sqlite_errorname", "") == "SQLITE_ERROR"


def rows(sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
    """All rows of one statement."""
    return list(database.execute_sql(sql, parameters).fetchall())


def row(sql: str, parameters: Sequence[Any] = ()) -> Any:
    """The first row of one statement, or None."""
    return database.execute_sql(sql, parameters).fetchone()


def execute(sql: str, parameters: Sequence[Any] = ()) -> int:
    """Runs one statement; the number of rows that it changed."""
    return int(database.execute_sql(sql, parameters).rowcount)


def execute_many(sql: str, parameters: Iterable[Sequence[Any]]) -> None:
    """Runs one statement for every row of parameters, on the driver: 3 times as fast as `insert_many`."""
    database.cursor().executemany(sql, parameters)


def truncate_log() -> bool:
    """Moves the whole write-ahead log into the database file, and empties it; False while somebody reads.

    Waits for readers for a moment only, because writers wait meanwhile.
    """
    rows(f"PRAGMA busy_timeout = {TRUNCATE_PATIENCE}")
    try:
        [(busy, _, _)] = rows("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        rows(f"PRAGMA busy_timeout = {round(database.timeout * 1000)}")
    return not busy


def slices(values: Iterable[Any]) -> Iterator[list[Any]]:
    """Any number of values, where a statement takes only so many parameters."""
    remaining = iter(values)
    while some := list(itertools.islice(remaining, MOST_PARAMETERS)):
        yield some


def marks(values: Sequence[Any]) -> str:
    """Placeholders for an `IN (...)` list."""
    return ",".join("?" * len(values))


def migrate() -> list[str]:
    """Applies what is pending, behind a lock; the names applied. Raises `Unusable` on a newer database."""
    with _migration_lock(), session():
        refuse_newer()
        return [str(name) for name in Runner(database.obj, str(MIGRATIONS)).up()]


def pending() -> list[str]:
    """Migrations that are not applied yet."""
    with session():
        return [str(item.name) for item in Runner(database.obj, str(MIGRATIONS)).status() if not item.applied]


def refuse_newer() -> None:
    """Raises `Unusable` where a newer Audience has migrated the database."""
    if newer := unknown():
        raise Unusable(f"the database is newer than this Audience (it has {newer[-1]}): upgrade Audience")


def unknown() -> list[str]:
    """Migrations that a newer Audience has applied."""
    with session():
        return [
            str(item.name) for item in Runner(database.obj, str(MIGRATIONS)).status() if item.path is None
        ]


@contextlib.contextmanager
def _migration_lock() -> Iterator[None]:
    with Path(f"{database.obj.database}.migrate-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
