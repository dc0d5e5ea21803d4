"""Where the instances of an attack store: in SQLite, or in a PostgreSQL server of the attack's own."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests import postgresql

ENGINES = ("sqlite", "postgresql")
COMMITTED = {"synchronous_commit": "on"}  # else the server's crash loses what it has confirmed
SAMPLES = "SELECT pg_relation_filepath('pg_statistic'), pg_relation_filepath('pg_statistic_ext_data')"
server: postgresql.Server | None = None


@contextlib.contextmanager
def opened(engine: str) -> Iterator[None]:
    """Lets `new_url` name databases of this engine during the block."""
    global server
    if engine == "sqlite":
        yield
        return
    if not (programs := postgresql.programs()):
        pytest.skip("needs the Debian package postgresql")
    server = postgresql.Server(programs, COMMITTED)
    try:
        yield
    finally:
        server.remove()
        server = None


def new_url() -> str:
    """The setting `database_url` of a new instance; "" for SQLite."""
    return server.create() if server else ""


def copy(name: str, to: str) -> None:
    """Replaces a database by a copy of another."""
    assert server
    server.execute(f"DROP DATABASE IF EXISTS {to} WITH (FORCE)")
    server.execute(f"CREATE DATABASE {to} TEMPLATE {name} STRATEGY file_copy")


def rewritten_files(url: str) -> list[Path]:
    """The server's log, and the files of a database's tables and indexes, which hold nothing deleted.

    Without the samples of the planner, which stay until it takes others.
    """
    if not server:
        return []
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM FULL")
        connection.execute("CHECKPOINT")
        samples = connection.execute(SAMPLES).fetchone() or ()
    data = server.folder / "data"
    kept = {data / name for name in samples}
    folder = (data / samples[0]).parent
    return [server.folder / "log", *(file for file in folder.iterdir() if file not in kept)]


def crash() -> None:
    """Kills the server, and starts it again."""
    assert server
    server.stop()
    server.start()
