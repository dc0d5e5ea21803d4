"""All access to the database: opening, sessions, write transactions, statements, migrations."""

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from playhouse.migrations import Runner

from storage.engines import chosen, sqlite
from storage.engines.chosen import engine
from storage.errors import DiskFault, StatementError, Unavailable, Unusable
from storage.opening import history, replica
from storage.opening.connections import database as database
from storage.opening.connections import keep_connections
from storage.opening.connections import session as session
from storage.opening.history import Migrations
from storage.opening.open_gate import OpenGate
from storage.opening.places import WatchedPlaces
from storage.sql import RowStatement


class CommitStep(Protocol):
    """Work to do right before and right after the commit of a write transaction, see `at_commit`.

    On SQLite, other writers wait until `after_commit` has returned.
    """

    def before_commit(self) -> None: ...
    def after_commit(self) -> None: ...


P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound=CommitStep)
SHARED = 0  # in place of a site: rows that belong to no site, such as keys, operators, sessions
url, file = sqlite.url, sqlite.file  # of a database file
MOVED = "the database or its folder was moved or deleted"

_disk_refused = False  # whether the disk refused this process's last write
_places = WatchedPlaces()
_write_gate: Any = OpenGate()
_log: Path | None = None
_replica: replica.Replica | None = None
_transaction = threading.local()  # this thread's write transaction: its `steps`, by class


def open(
    url: str,
    *,
    timeout: float = 3.5,
    connections: int = 16,
    allow_faulty: bool = False,
    password: str | None = None,
    write_gate: Any = None,
    folders: Sequence[Path] = (),
    kept_connections: int = 0,
    cache_mb: int = 2,
    erasure_log: Path | None = None,
    read_url: str = "",
) -> None:
    """Points the models at a database. Connects lazily. Raises `Unusable`.

    `timeout` is how many seconds sessions and writers wait. `write_gate`, with `enter` and `leave`, limits
    the threads that wait to write. Writes are refused while the database's file, or one of `folders`, is
    missing from its place. `password` replaces that of `url`. With `allow_faulty`, an SQLite with a known
    bug is used anyway. The first `kept_connections` threads keep their connection between sessions; they
    must live as long as the process. Each connection to a database file caches up to `cache_mb` MB of it.
    `log` is the file of the erasure log, see `storage.erasures.log`. `read_url` is that of a
    replica, see `on_replica`.
    """
    global _places, _write_gate, _log, _replica
    options = timeout, connections, allow_faulty, password, cache_mb
    opened, read = chosen.engine_of(url).open(url, *options), replica.open(url, read_url, *options)
    close()
    _replica = read
    chosen.choose(url)
    database.initialize(opened)
    _write_gate, _log = write_gate or OpenGate(), erasure_log
    keep_connections(kept_connections)
    _places = WatchedPlaces([*engine.files(url)[:1], *folders])
    _places.have_changed()


def erasure_log() -> Path | None:
    """The file of the erasure log, which outlives the database; None if `open` was given no `log`."""
    return _log


def is_spread() -> bool:
    """Whether the tables of sites are spread, over nodes of Citus or partitions.

    A statement then names its site by a value: not by a column of a join, nor with a `+` before it.
    """
    return engine.is_spread(database)


def files(url: str) -> list[Path]:
    """The paths that data of a database may be in, whether or not such files exist; [] for a server.

    Raises `Unusable`.
    """
    return chosen.engine_of(url).files(url)


def close() -> None:
    """Closes all connections of this process."""
    if _replica:
        _replica.close()
    if database.obj is not None:
        database.obj.close_all()
        database.obj = None


@contextlib.contextmanager
def snapshot() -> Iterator[None]:
    """A session whose reads all see the database at one instant."""
    with session():
        if database.in_transaction():
            yield
        else:
            with engine.snapshot(database):
                yield


def on_replica(function: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Decorates a function that only reads a site, so that it runs in `snapshot`, and on the replica while
    that has what the primary has of the site. Its first argument is the site, or the site's id.

    It runs again on the primary if the replica is lost meanwhile, or ends its statement.
    """

    @functools.wraps(function)
    def reading(site: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if _replica and not database.in_transaction():
            passed_over = contextlib.suppress(Unavailable, StatementError)
            with _replica.reads(getattr(site, "id", site)) as is_read, passed_over:
                if is_read:
                    with snapshot():
                        return function(site, *args, **kwargs)
        with snapshot():
            return function(site, *args, **kwargs)

    return reading


def replica_problem() -> str:
    """Why the replica is not read; "" if it is read, or none is configured."""
    return _replica.problem() if _replica else ""


def check_replica() -> None:
    """Raises `Unusable` if the replica belongs to another database."""
    if (problem := replica_problem()) == replica.ANOTHER:
        raise Unusable(problem)


@contextlib.contextmanager
def write(site_id: int | None = None) -> Iterator[None]:
    """Opens a session with one atomic, durable write transaction. Within another one, joins it and ignores
    `site_id`.

    With a site's id, the block may write only rows of that site; with `SHARED`, only rows that belong to no
    site. On a server, other threads may then write to other sites meanwhile. On SQLite, writers queue in
    order of arrival, before they take a connection.

    Raises `DiskFault`, and `Unavailable` if the wait exceeds the timeout or the database was moved.
    """
    if database.in_transaction():
        with session():
            yield
    else:
        if was_moved():
            raise Unavailable(MOVED)
        deadline = time.monotonic() + database.timeout
        turn = engine.writers_turn(database, database.timeout, _write_gate)
        with _note_outcome(), turn, session():
            steps: dict[type[CommitStep], CommitStep] = {}
            _transaction.steps = steps
            with engine.write_transaction(database, deadline, site_id):
                yield
                for step in steps.values():
                    step.before_commit()
            for step in steps.values():
                step.after_commit()
        if engine.log_is_overlong(database):
            with contextlib.suppress(Unavailable):  # the write is done
                checkpoint()


def at_commit(kind: type[S]) -> S:
    """The step of class `kind` in the caller's write transaction, whose first call creates the step."""
    step: S = _transaction.steps.setdefault(kind, kind())
    return step


def writes_site(function: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Decorates a function to run in `write`. The function's first argument is the site, or the site's id."""

    @functools.wraps(function)
    def writing(site: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with write(getattr(site, "id", site)):
            return function(site, *args, **kwargs)

    return writing


@contextlib.contextmanager
def _note_outcome() -> Iterator[None]:
    """Notes whether the disk refused the write in the block. Other errors leave the note unchanged."""
    global _disk_refused
    try:
        yield
    except DiskFault:
        _disk_refused = True
        raise
    _disk_refused = False


def was_moved() -> bool:
    """Whether the database, or a folder that belongs to it, was moved or deleted since it was opened."""
    return _places.have_changed()


def takes_writes() -> bool:
    """Whether the disk takes writes. Tries a write only if this process's last write failed."""
    if _disk_refused:
        with contextlib.suppress(DiskFault), write(SHARED):
            execute("UPDATE schema_migration SET name = name WHERE id = 1")
    return not _disk_refused


def ping() -> bool:
    """Whether the database answers, in the caller's session."""
    return bool(row("SELECT 1") == (1,))


def rows(sql: str, parameters: Sequence[Any] = (), *, keeps_plan: bool = False) -> list[Any]:
    """All rows of one statement.

    With `keeps_plan`, a server keeps the plan: for frequent statements whose plan does not depend on the
    values.
    """
    return list(_execute(sql, parameters, keeps_plan).fetchall())


def each_row(sql: str, parameters: Sequence[Any] = ()) -> Iterator[Any]:
    """Yields the rows of one statement. The caller's session must stay open meanwhile."""
    return iter(_execute(sql, parameters))


def row(sql: str, parameters: Sequence[Any] = (), *, keeps_plan: bool = False) -> Any:
    """The first row of one statement; None if there is no row. `keeps_plan` is as in `rows`."""
    return _execute(sql, parameters, keeps_plan).fetchone()


def column(sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
    """The values of a statement that reads one column."""
    return [value for (value,) in rows(sql, parameters)]


def value(sql: str, parameters: Sequence[Any], default: R, *, keeps_plan: bool = False) -> R:
    """The first column of the first row; `default` without a row."""
    found = row(sql, parameters, keeps_plan=keeps_plan)
    return default if found is None else found[0]


def execute(sql: str, parameters: Sequence[Any] = ()) -> int:
    """Runs one statement. Returns the number of changed rows."""
    return int(database.rows_affected(_execute(sql, parameters)))


def _execute(sql: str, parameters: Sequence[Any], keeps_plan: bool = False) -> Any:
    options = engine.KEEPS_PLAN if keeps_plan else {}
    return database.execute_sql(engine.rewrite(sql), parameters, **options)


def execute_many(statement: str | RowStatement, parameters: Iterable[Sequence[Any]]) -> None:
    """Runs one statement for each row of parameters. No run may depend on another."""
    if isinstance(statement, str):
        database.execute_many(statement, parameters)
    else:
        database.execute_many(statement.one, parameters, statement)


def checkpoint(only_if_due: bool = False) -> None:
    """Moves the write-ahead log into the database's file; on a server, renews statistics instead.

    With `only_if_due`, does so only if this process has written much since. Raises `Unavailable`.
    """
    if only_if_due and not engine.checkpoint_is_due(database):
        return
    with session():
        if engine.checkpoint(database):
            with engine.writers_turn(database, database.timeout, OpenGate()):
                engine.restart_log(database)


def log_is_full() -> bool:
    """Checkpoints. Returns whether long work should wait, because a reader keeps the log growing."""
    if engine.log_is_full(database):
        checkpoint()
    return engine.log_is_full(database)


def truncate_log() -> bool:
    """Empties the write-ahead log, which still contains deleted data. Returns False if a reader needs it."""
    return engine.truncate_log(database)


def migrate() -> list[str]:
    """Applies pending migrations, one process at a time, each in its own transactions. Returns their names.

    Interrupted, the next call goes on after the last transaction. Raises `Unusable`.
    """
    applied: list[str] = []
    with session():
        while True:
            with engine.migration_lock(database, True):
                runner = _usable()
                history.replace_old_history(runner)
                if not (pending := history.read(runner).pending):
                    engine.distribute(database)
                    return applied
                applied += history.take_step(runner, pending[0])


@session()
def migrations() -> Migrations:
    """The pending migrations, and the reason if this code cannot apply them."""
    return history.read(_runner())


@session()
def pending_migrations() -> list[str]:
    """The names of migrations that are not applied yet. Raises `Unusable`."""
    return history.read(_usable()).pending


@session()
def is_spoilt_by_migrating() -> bool:
    """Whether older code cannot use the database after the pending migrations. False for a new database."""
    runner = _runner()
    return bool(runner.applied()) and history.needs_backup(runner, history.read(runner).pending)


def _usable() -> Runner:
    """The migration runner. Raises `Unusable` for a database that this code cannot migrate."""
    runner = _runner()
    if refusal := history.read(runner).refusal:
        raise Unusable(refusal)
    return runner


def _runner() -> Runner:
    return Runner(database.obj, str(engine.MIGRATIONS))
