"""What an operator should know about a PostgreSQL server.

`opened` is a peewee database whose connection the caller holds.
"""

from typing import Any

import psycopg

from storage.engines import postgresql_connections as connections

STATE = """
WITH client AS (
    SELECT usename, datname FROM pg_stat_activity
    WHERE usename IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'
)  -- of other roles' connections, a role without pg_read_all_stats sees the name alone
SELECT current_setting('server_version'),
    least(
        CAST(current_setting('max_connections') AS integer)
            - CAST(current_setting('superuser_reserved_connections') AS integer)
            - CAST(coalesce(current_setting('reserved_connections', true), '0') AS integer)
            - (SELECT count(*) FROM client),
        (SELECT rolconnlimit - (SELECT count(*) FROM client WHERE usename = current_user)
            FROM pg_roles WHERE rolname = current_user AND rolconnlimit >= 0),
        (SELECT datconnlimit - (SELECT count(*) FROM client WHERE datname = current_database())
            FROM pg_database WHERE datname = current_database() AND datconnlimit >= 0)),
    (SELECT CAST(coalesce(extract(epoch FROM max(now() - xact_start)), 0) AS bigint) FROM pg_stat_activity
        WHERE datname = current_database()),
    (SELECT string_agg(name, ', ' ORDER BY name) FROM pg_settings
        WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'),
    (SELECT CAST(coalesce(extract(epoch FROM max(replay_lag)), 0) AS bigint) FROM pg_stat_replication),
    pg_is_in_recovery(),
    (SELECT CAST(coalesce(sum(n_dead_tup), 0) AS bigint) FROM pg_stat_user_tables),
    (SELECT CAST(coalesce(sum(n_live_tup), 0) AS bigint) FROM pg_stat_user_tables)
"""
FEW, LONG_SECONDS, LATE_SECONDS = 10, 3_600, 60
MANY_DEAD = 100_000  # dead rows, if they are also more than half as many as the live ones
CONNECTIONS = "Raise max_connections there, or lower AUDIENCE_DATABASE_CONNECTIONS."
LATE = "If the server is lost, the standby lacks what it has not replayed: look for its load or its network."
STANDBY = (
    "Put the server that takes writes into the URL, or all of them with target_session_attrs=read-write."
)
DEAD = "Vacuum does not keep up: look at autovacuum's settings and at transactions that stay open."
LONG = "It keeps deleted rows from being removed: find it in pg_stat_activity, and end it."
REPLAYED = "CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END"
TIMELINE = (  # of a server that takes writes; a standby that is promoted begins a new one
    "CASE WHEN pg_is_in_recovery() THEN NULL ELSE left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) END"
)
POSITION = f"SELECT CAST({REPLAYED} AS text), {TIMELINE}"
HAS_REACHED = f"SELECT {REPLAYED} >= CAST(? AS pg_lsn), {TIMELINE} <> ?"
MAY_IDENTIFY = "SELECT has_function_privilege('pg_control_system()', 'EXECUTE')"
IDENTITY = (
    "SELECT concat(system_identifier, '/', d.oid) FROM pg_control_system() "
    "CROSS JOIN pg_database AS d WHERE d.datname = current_database()"
)


def version() -> str:
    return f"PostgreSQL {connections.OLDEST} to {connections.NEWEST}, by psycopg {psycopg.__version__}"


def version_fault() -> str | None:
    return None


def version_advice() -> str:
    return ""


def fault(_opened: Any) -> str:
    """Always empty: the server itself finds faults, by its checksums."""
    return ""


def page_counts(opened: Any) -> tuple[int, int, None]:
    """(1, the size of the database in bytes, None): a page is taken as one byte; free pages are unknown."""
    return 1, opened.execute_sql("SELECT pg_database_size(current_database())").fetchone()[0], None


def deviations(_opened: Any) -> dict[str, str]:
    return {}


def notes(opened: Any) -> list[tuple[str, str]]:
    """The (finding, advice or "") pairs about the server. The first two are its version and free connections.

    The others are about what may lose data, keep deleted rows, or keep hosts out.
    """
    state = opened.execute_sql(STATE).fetchone()
    version, free, seconds, unsafe, late_seconds, is_standby, dead, live = state
    lines = [(f"PostgreSQL {version}", ""), (f"{free} connections free", CONNECTIONS if free < FEW else "")]
    if is_standby:
        lines.append(("the server is a standby, which takes no writes", STANDBY))
    if late_seconds > LATE_SECONDS:
        lines.append((f"a standby is {late_seconds} s behind", LATE))
    if seconds > LONG_SECONDS:
        lines.append((f"a transaction has been open for {seconds} s", LONG))
    if dead > MANY_DEAD and dead > live / 2:
        lines.append((f"{dead} rows are dead, beside {live}", DEAD))
    if unsafe:
        lines.append((f"{unsafe} is off on the server", "Turn it on: a crash loses what was accepted."))
    return lines


def identity(opened: Any) -> str:
    """A text that differs for each database of each server, except for copies of a server's files.

    It is "" if the role may not read it.
    """
    allowed = opened.execute_sql(MAY_IDENTIFY).fetchone()[0]
    return str(opened.execute_sql(IDENTITY).fetchone()[0]) if allowed else ""
