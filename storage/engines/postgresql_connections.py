"""Connections to a PostgreSQL server, each of them checked when it is new."""

import sys
import time
from typing import Any

import peewee
import psycopg
from playhouse.postgres_ext import Psycopg3Database
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import DecimalDumper

from storage.engines import postgresql_bulk
from storage.errors import Unfinished, Unusable

OLDEST, NEWEST = 15, 18
UNSUPPORTED = "the database is PostgreSQL {}: Audience needs " + f"{OLDEST} to {NEWEST}"
NOT_UTF8 = "the database is encoded in {}: create one with ENCODING 'UTF8'"
NO_URL = (
    "database_url cannot be read: write it as postgresql://USER@HOST/DATABASE, and the password into a file "
    "that AUDIENCE_DATABASE_PASSWORD_FILE names. In a URL, @ is %40, : is %3A and / is %2F"
)
ESCAPED = (
    "the database has standard_conforming_strings off, which would store bytes wrongly: "
    "ALTER DATABASE {} SET standard_conforming_strings = on, and for the role, if that sets it"
)
# A report looks up a segment's ids in memory, for each day anew. JIT compiling costs more than it saves.
SETTINGS = (
    "SELECT set_config('jit', 'off', false), CASE WHEN pg_size_bytes(current_setting('work_mem')) < 2 ^ 25 "
    "THEN set_config('work_mem', '32MB', false) END, "
    "CASE WHEN CAST(current_setting('hash_mem_multiplier') AS float) < 8 "  # of segments of eight million
    "THEN set_config('hash_mem_multiplier', '8', false) END, "
    "set_config('lock_timeout', CAST(%s AS text), false)"  # of readers: a write transaction sets its own
)
LET_BE_SECONDS = 1  # for which no connection is tried after the server did not answer
SILENT = "the server does not answer"


class NumberDumper(DecimalDumper):
    """Sends a float as a decimal."""

    def dump(self, value: Any) -> Any:
        return super().dump(postgresql_bulk.exact(value))


class NumberLoader(Loader):
    """Reads a decimal as SQLite has it: an integer of 64 bits, or a float."""

    def load(self, data: Any) -> int | float:
        text = bytes(data).decode()
        whole = text.lstrip("-").isdigit() and -(2**63) <= int(text) < 2**63
        return int(text) if whole else float(text)


class ServerConnections(Psycopg3Database):  # type: ignore[misc]  # peewee is untyped
    """Connects to a server. If it does not answer, further attempts fail at once for `LET_BE_SECONDS`."""

    timeout = 0.0  # seconds that a reader waits for a lock on a table; 0 for no limit
    _let_be_until = 0.0

    def _connect(self) -> Any:
        """Connects, checks the server and prepares the connection. Only one thread may connect at a time.

        Raises `Unusable` for an unsupported server, `psycopg.OperationalError` for one that does not answer.
        """
        if time.monotonic() < self._let_be_until:
            raise psycopg.OperationalError(SILENT)
        try:
            connection = super()._connect()
        except psycopg.errors.ConnectionTimeout:
            self._let_be_until = time.monotonic() + LET_BE_SECONDS
            raise
        try:
            refuse_unsupported(connection)
            connection.prepare_threshold = prepare_threshold(connection)
            if connection.prepare_threshold is not None:
                connection.execute(SETTINGS, (round(self.timeout * 1000),))
        except (Unusable, psycopg.Error):
            connection.close()
            raise
        connection.adapters.register_dumper(float, NumberDumper)
        connection.adapters.register_loader("numeric", NumberLoader)
        connection.kept = connection.cursor(binary=True)  # a new one costs half as much as its statement
        return connection

    def commit(self) -> Any:
        """Commits. Raises `Unfinished` if the connection is lost before the server confirms."""
        try:
            return super().commit()
        except peewee.OperationalError as error:
            if self.connection().closed:
                raise Unfinished("the server was lost while it committed") from error
            raise


def refuse_unsupported(connection: psycopg.Connection[Any]) -> None:
    """Raises `Unusable` if the server's version, encoding or escaping of strings is not supported."""
    version = connection.info.server_version // 10_000
    if not OLDEST <= version <= NEWEST:
        raise Unusable(UNSUPPORTED.format(version))
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise Unusable(NOT_UTF8.format(encoding))
    if connection.info.parameter_status("standard_conforming_strings") != "on":
        raise Unusable(ESCAPED.format(connection.info.dbname))


def readable(url: str) -> dict[str, Any]:
    """The parts of a database's URL, by libpq's names. Raises `Unusable` if libpq cannot read it.

    Also raises `Unusable` if an unescaped password would be read as host, port or database.
    """
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:  # its text has the password
        raise Unusable(NO_URL) from None
    ports = str(parts.get("port", "")).replace(",", "")
    names = f"{parts.get('host', '')}{parts.get('dbname', '')}"
    if url.startswith(("postgresql:", "postgres:")) and ("@" in names or ports.strip("0123456789")):
        raise Unusable(NO_URL)
    return dict(parts)


def prepare_threshold(connection: psycopg.Connection[Any]) -> int | None:
    """The `prepare_threshold` of a connection: so high that only statements that ask for it are prepared. A
    prepared plan ignores the values, and reads a long list again for each row.

    Through a pooler it is None, which forbids prepared statements: the server process that answers is then
    not the one that the connection names.
    """
    [number] = connection.execute("SELECT pg_backend_pid()").fetchone() or (None,)
    return sys.maxsize if number == connection.info.backend_pid else None
