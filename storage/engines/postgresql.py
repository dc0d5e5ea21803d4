"""The specifics of PostgreSQL: opening and locking.

`opened` is a peewee database whose connection the caller holds. Functions about files and the write-ahead log
do nothing here, except `checkpoint_is_due` and `checkpoint`, which renew statistics.
"""

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import peewee
from psycopg.pq import TransactionStatus

from storage.engines import postgresql_citus, postgresql_dumps, postgresql_errors, postgresql_pool
from storage.engines import postgresql_diagnostics as diagnostics
from storage.engines import postgresql_spelling as spelling
from storage.engines.postgresql_connections import readable
from storage.errors import Unavailable

KEEPS_PLAN = {"prepare": True}
NAME, HAS_HOSTS = "postgresql", True
TURN_SECONDS = 0.08  # writers of one site wait for it; most of a small transaction is waiting for the server
RESTORE_ADVICE = (
    "The database is on a PostgreSQL server: restore the backup into an empty database with `audience "
    "restore`. See docs/postgresql.md."
)
MIGRATIONS = Path(__file__).parent.parent / "migrations" / "postgresql"
READ_COMMITTED = "READ COMMITTED"  # after waiting for a lock, it sees what others wrote
INSTANCE, MIGRATING, SHARED_ROWS = 7_023_001, 7_023_002, 7_023_003  # keys of advisory locks
WRITER = 9  # version of this code; a migration that older code must not write to raises `lowest_writer`
ENTER = (
    "SET LOCAL tcp_keepalives_idle = 10; SET LOCAL tcp_keepalives_interval = 5; "
    "SET LOCAL tcp_keepalives_count = 3; "  # notices a host that vanished while it sent rows
    "SET LOCAL citus.propagate_set_commands = 'local'; "  # to the nodes of Citus; elsewhere it means nothing
    "SET LOCAL lock_timeout = {}; SET LOCAL idle_in_transaction_session_timeout = {}; "
    f"SELECT pg_advisory_xact_lock{{}}({INSTANCE}); "
    "SELECT lowest_writer, phase FROM instance_state"
)
ENTER_BOUNDED = "SET LOCAL transaction_timeout = 900000; " + ENTER  # of a host that freezes within a COPY
BOUNDED_SINCE = 170_000
LOCK_SITE = "SELECT 1 FROM site_counters WHERE site_id = %s FOR NO KEY UPDATE"
NOW = "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)"
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = ANY(current_schemas(false))"
PRIMARY_KEY = """
SELECT a.attname FROM pg_index AS i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)
JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number
WHERE i.indrelid = CAST(%s AS regclass) AND i.indisprimary ORDER BY k.place
"""
NEW_IDS = (
    "WITH ids AS MATERIALIZED (SELECT CAST(pg_get_serial_sequence(%s, 'id') AS regclass) AS sequence) "
    "SELECT nextval(sequence) FROM ids CROSS JOIN generate_series(1, %s)"
)
LAST_ID = "SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence(%s, 'id') AS regclass))"
UPGRADE = "this host's Audience is older than the database: upgrade it"
GONE = "the site was deleted"
ELSEWHERE = "the instance moves to another database, or has moved"
ANALYZE_MS = 500  # to wait for the table's lock
STILL_MS = 30_000  # after which a silent host in a write transaction, frozen or cut off, loses its locks
DEFAULTS = {  # after how many seconds a server that does not answer, or has vanished, is given up
    "connect_timeout": 3,
    "keepalives_idle": 3,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 8_000,  # ms
}

Error, meaning = postgresql_errors.Error, postgresql_errors.meaning
IDS, PERIODS, SCALARS, BY_ATOM = spelling.IDS, spelling.PERIODS, spelling.SCALARS, spelling.BY_ATOM
IN_ORDER, OF_SITE = spelling.IN_ORDER, spelling.OF_SITE
rewrite, indexed_by, caseless = spelling.rewrite, spelling.indexed_by, spelling.caseless
among, each_number, joined = spelling.among, spelling.each_number, spelling.joined
instant_text, in_set = spelling.instant_text, spelling.in_set
value_keys = spelling.value_keys
version, version_advice = diagnostics.version, diagnostics.version_advice
version_fault = diagnostics.version_fault
POSITION, HAS_REACHED = diagnostics.POSITION, diagnostics.HAS_REACHED
fault, notes, identity = diagnostics.fault, diagnostics.notes, diagnostics.identity
page_counts, deviations = diagnostics.page_counts, diagnostics.deviations
nodes, distribute = postgresql_citus.nodes, postgresql_citus.distribute
copy = postgresql_dumps.copy


def open(
    url: str,
    timeout_seconds: float,
    connections: int,
    _allow_faulty: bool,
    password: str | None = None,
    _cache_mb: int = 0,
) -> Any:
    """A pooled peewee database, not connected yet. Raises `Unusable`."""
    parts = readable(url)
    defaults = {name: value for name, value in DEFAULTS.items() if name not in parts}
    pool = postgresql_pool.ServerPool(
        url,
        max_connections=connections,
        timeout=timeout_seconds,
        autoconnect=False,
        client_encoding="UTF8",
        **defaults,
        **({} if password is None else {"password": password}),
    )
    pool.timeout = timeout_seconds
    return pool


def files(_url: str) -> list[Path]:
    """Always empty: the files of a server's databases belong to the server."""
    return []


def is_stuck(opened: Any) -> bool:
    """Whether the connection is still in a transaction that peewee has ended."""
    status = opened.connection().pgconn.transaction_status
    return status != TransactionStatus.IDLE and not opened.in_transaction()


def is_lost(opened: Any) -> bool:
    """Whether the server has closed an idle connection."""
    return postgresql_pool.is_lost(opened.connection())


@contextlib.contextmanager
def snapshot(opened: Any) -> Iterator[None]:
    """A read transaction that sees the database as it is at its first read."""
    with opened.atomic("REPEATABLE READ READ ONLY"):
        yield


@contextlib.contextmanager
def writers_turn(_opened: Any, _timeout_seconds: float, gate: Any) -> Iterator[None]:
    """Counts the thread as one that writes or waits to. Raises `Unavailable` if `gate.enter()` refuses."""
    if not gate.enter():
        raise Unavailable("too many threads wait to write")
    try:
        yield
    finally:
        gate.leave()


@contextlib.contextmanager
def write_transaction(opened: Any, deadline: float, site_id: int | None) -> Iterator[None]:
    """A write transaction, beside those of other sites; without a `site_id`, alone. 0 is for rows of no site.

    Waits for other writers until `deadline`, an instant of `time.monotonic`, and as long again for the site's
    lock. Raises `Unavailable` if the database needs newer code, the instance moves or has moved, or the site
    was deleted.
    """
    wait_ms = max(1, round((deadline - time.monotonic()) * 1000))
    with opened.atomic(READ_COMMITTED):
        enter = ENTER_BOUNDED if opened.connection().info.server_version >= BOUNDED_SINCE else ENTER
        lowest_writer, phase = opened.run(
            enter.format(wait_ms, STILL_MS, "" if site_id is None else "_shared")
        )
        if lowest_writer > WRITER or phase:
            raise Unavailable(ELSEWHERE if phase else UPGRADE)
        if site_id == 0:
            opened.run(f"SELECT pg_advisory_xact_lock({SHARED_ROWS})")
        elif site_id is not None and not _lock(opened, site_id):
            raise Unavailable(GONE)
        yield


def _lock(opened: Any, site_id: int) -> bool:
    """Locks a site for the transaction. Returns False without such a site."""
    return opened.execute_sql(LOCK_SITE, (site_id,), **KEEPS_PLAN).fetchone() is not None


@contextlib.contextmanager
def migration_lock(opened: Any, ends_still: bool = False) -> Iterator[None]:
    """Lets one process of all hosts migrate, in one transaction. No other process writes meanwhile.

    With `ends_still`, a host that stands still for `STILL_MS` loses its transaction.
    """
    with opened.atomic(READ_COMMITTED):
        opened.run(
            "SET LOCAL lock_timeout = 0; "
            f"SET LOCAL idle_in_transaction_session_timeout = {STILL_MS if ends_still else 0}; "
            f"SELECT pg_advisory_xact_lock({MIGRATING}); SELECT pg_advisory_xact_lock({INSTANCE})"
        )
        yield


def is_spread(opened: Any) -> bool:
    """Whether the tables of sites are spread, over nodes of Citus or partitions."""
    return bool(opened.is_spread())


def now_ms(opened: Any) -> int | None:
    """The server's clock, in milliseconds since 1970."""
    return int(opened.execute_sql(NOW, **KEEPS_PLAN).fetchone()[0])


def new_ids(opened: Any, table: str, count: int) -> Sequence[int]:
    """`count` new ids of a table, in order. No other row ever gets one of them."""
    return sorted(number for (number,) in opened.execute_sql(NEW_IDS, (table, count)).fetchall())


def tables(opened: Any) -> list[str]:
    """The names of the tables in the schemas of the search path."""
    return [name for (name,) in opened.execute_sql(TABLES).fetchall()]


@contextlib.contextmanager
def stream(opened: Any, sql: str, parameters: Sequence[Any], rows: int) -> Iterator[Iterator[Any]]:
    """A context with the rows of one statement, of which the server sends `rows` at a time."""
    with opened.atomic(), opened.cursor(named_cursor=True) as cursor:
        cursor.itersize = rows
        yield iter(cursor.execute(sql, parameters))


def primary_key(opened: Any, table: str) -> list[str]:
    """The columns of a table's primary key, in order."""
    return [name for (name,) in opened.execute_sql(PRIMARY_KEY, (table,)).fetchall()]


def last_id(opened: Any, table: str) -> int:
    """The highest id that a table's sequence has given; 0 before the first."""
    return int(opened.execute_sql(LAST_ID, (table,)).fetchone()[0] or 0)


def put_last_id(opened: Any, table: str, number: int) -> None:
    """Sets the highest id that a table's sequence has given: the next row gets the one after it."""
    opened.execute_sql("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", (table, number))


def checkpoint_is_due(opened: Any) -> bool:
    """Whether `checkpoint` should renew statistics, because a site may have grown by half since."""
    return bool(opened.growth.due)


def log_is_full(_opened: Any) -> bool:
    return False


log_is_overlong = log_is_full


def checkpoint(opened: Any) -> bool:
    """Renews the planner's statistics of tables in which a site has grown. Always returns False."""
    for table in opened.growth.take(opened.expected):
        with contextlib.suppress(peewee.OperationalError), opened.atomic():  # another process is making them
            opened.run(f"SET LOCAL lock_timeout = {ANALYZE_MS}; ANALYZE {table}")
    return False


def restart_log(_opened: Any) -> None:
    pass


def truncate_log(_opened: Any) -> bool:
    return True


def log_bytes(_opened: Any) -> int:
    return 0
