"""What is worth saying of a PostgreSQL server.

`opened` is a peewee database whose connection the caller holds.
"""

from typing import Any

import psycopg

from storage.engines import postgresql_pool

STATE = """
SELECT current_setting('server_version'),
    CAST(current_setting('max_connections') AS integer)
        - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
    (SELECT CAST(coalesce(extract(epoch FROM max(now() - xact_start)), 0) AS bigint) FROM pg_stat_activity
        WHERE datname = current_database()),
    (SELECT string_agg(name, ', ') FROM pg_settings
        WHERE name IN ('fsync', 'full_page_writes') AND setting <> 'on'),
    (SELECT CAST(coalesce(extract(epoch FROM max(replay_lag)), 0) AS bigint) FROM pg_stat_replication),
    pg_is_in_recovery()
"""
FEW, LONG_SECONDS, LATE_SECONDS = 10, 3_600, 60
CONNECTIONS = "Raise max_connections there, or lower AUDIENCE_DATABASE_CONNECTIONS."
LATE = "If the server is lost, the standby lacks what it has not replayed: look for its load or its network."
STANDBY = (
    "Put the server that takes writes into the URL, or all of them with target_session_attrs=read-write."
)
LONG = "It keeps deleted rows from being removed: find it in pg_stat_activity, and end it."


def version() -> str:
    return (
        f"PostgreSQL {postgresql_pool.OLDEST} to {postgresql_pool.NEWEST}, by psycopg {psycopg.__version__}"
    )


def version_fault() -> str | None:
    return None


def version_advice() -> str:
    return ""


def fault(_opened: Any) -> str:
    """None is looked for: the server finds those that its checksums show."""
    return ""


def page_counts(opened: Any) -> tuple[int, int, int]:
    """The whole as pages of a byte, none of them free."""
    return 1, opened.execute_sql("SELECT pg_database_size(current_database())").fetchone()[0], 0


def deviations(_opened: Any) -> dict[str, str]:
    return {}


def notes(opened: Any) -> list[tuple[str, str]]:
    """The server's version; what may lose data, keeps deleted rows from going, or keeps hosts out."""
    version, free, seconds, unsafe, late_seconds, is_standby = opened.execute_sql(STATE).fetchone()
    found = [(f"PostgreSQL {version}", ""), (f"{free} connections free", CONNECTIONS if free < FEW else "")]
    if is_standby:
        found.append(("the server is a standby, which takes no writes", STANDBY))
    if late_seconds > LATE_SECONDS:
        found.append((f"a standby is {late_seconds} s behind", LATE))
    if seconds > LONG_SECONDS:
        found.append((f"a transaction has been open for {seconds} s", LONG))
    if unsafe:
        found.append((f"{unsafe} is off on the server", "Turn it on: a crash loses what was accepted."))
    return found
