"""peewee's pool of connections to PostgreSQL, in the driver psycopg 3."""

import select
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import peewee
import psycopg
from playhouse.postgres_ext import PooledPsycopg3Database
from psycopg.adapt import Loader
from psycopg.types.numeric import DecimalDumper

from storage.engines import postgresql_bulk
from storage.errors import Unusable

MUCH = 1_000  # rows of a new site, for the first statistics
OLDEST, NEWEST = 15, 18
TYPES = (
    "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
    "WHERE attrelid = CAST(%s AS regclass) AND attnum > 0 AND NOT attisdropped"
)
UNSUPPORTED = "the database is PostgreSQL {}: Audience needs " + f"{OLDEST} to {NEWEST}"
NOT_UTF8 = "the database is encoded in {}: create one with ENCODING 'UTF8'"


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


class GrownTables:
    """The `tables` in which a site has grown by half, by what this process has written."""

    def __init__(self) -> None:
        self.tables: set[str] = set()
        self._grown: Counter[tuple[str, int]] = Counter()
        self._enough: dict[tuple[str, int], int] = {}

    def add(self, table: str, site_id: int, rows: int) -> None:
        place = table, site_id
        self._grown[place] += rows
        if self._grown[place] >= self._enough.get(place, MUCH):
            self._enough[place] = self._grown[place] * 3 // 2
            self.tables.add(table)

    def take(self) -> set[str]:
        taken, self.tables = self.tables, set()
        return taken


class ServerPool(PooledPsycopg3Database):  # type: ignore[misc]  # peewee is untyped
    """Checks each new connection's server."""

    def __init__(self, url: str, **options: Any) -> None:
        # The plan of a prepared statement does without its values: for each row it goes through a long list.
        super().__init__(url, **{"prepare_threshold": None} | options)
        self._types: dict[str, dict[str, str]] = {}
        self.growth = GrownTables()

    def _connect(self) -> Any:
        connection = super()._connect()
        if not hasattr(connection, "is_audience"):
            try:
                refuse_unsupported(connection)
            except Unusable:
                self._close(connection, close_conn=True)
                raise
            connection.adapters.register_dumper(float, NumberDumper)
            connection.adapters.register_loader("numeric", NumberLoader)
            connection.is_audience = True
        return connection

    def another(self) -> "ServerPool":
        """A pool of one connection, which no other thread uses."""
        return ServerPool(self.database, max_connections=1, thread_safe=False, **self.connect_params)

    def _is_closed(self, connection: Any) -> bool:
        lost = is_lost(connection)
        if lost:
            connection.close()
        return lost

    def run(self, statements: str) -> Any:
        """Runs statements without values, in one round trip; the first row of the last, if it has rows."""
        with vars(peewee)["__exception_wrapper__"]:
            cursor = self.cursor()
            cursor.execute(statements)
            while cursor.nextset():
                pass
            return cursor.fetchone() if cursor.description else None

    def execute_many(self, sql: str, parameters: Iterable[Sequence[Any]]) -> None:
        """Runs a statement, with `?` marks, for each row of parameters: if it can, for all at once."""
        rows = list(parameters)
        bulk = postgresql_bulk.bulk(sql) if len(rows) > postgresql_bulk.FEW else None
        with vars(peewee)["__exception_wrapper__"]:
            if bulk is None:
                self.cursor().executemany(sql.replace("?", "%s"), rows)
            elif bulk.copies:
                with self.cursor().copy(bulk.statement) as copy:
                    for row in rows:
                        copy.write_row(row)
            else:
                types = self.types(bulk.table)
                statement = bulk.statement.format(rows=postgresql_bulk.rows_of(bulk.columns, types))
                self.cursor().execute(statement, postgresql_bulk.arrays(bulk, types, rows))
        if bulk is not None and bulk.inserts and "site_id" in bulk.columns:
            self.growth.add(bulk.table, rows[0][bulk.columns.index("site_id")], len(rows))

    def types(self, table: str) -> dict[str, str]:
        """Those of a table's columns."""
        if table not in self._types:
            self._types[table] = dict(self.execute_sql(TYPES, (table,)).fetchall())
        return self._types[table]


def refuse_unsupported(connection: psycopg.Connection[Any]) -> None:
    """Raises `Unusable`."""
    version = connection.info.server_version // 10_000
    if not OLDEST <= version <= NEWEST:
        raise Unusable(UNSUPPORTED.format(version))
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise Unusable(NOT_UTF8.format(encoding))


def is_lost(connection: psycopg.Connection[Any]) -> bool:
    """Whether the server has closed an idle connection, which then has something to read."""
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
