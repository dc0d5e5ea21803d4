"""peewee's pool of connections to PostgreSQL, in the driver psycopg 3."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import peewee
import psycopg
from playhouse.postgres_ext import PooledPsycopg3Database

from storage.engines import postgresql_bulk
from storage.engines.postgresql_connections import ServerConnections
from storage.engines.postgresql_errors import is_duplicate
from storage.sql import PASSED_OVER, RowStatement

MUCH = 1_000  # rows written for a site that make its first statistics due
TYPES = (
    "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
    "WHERE attrelid = CAST(%s AS regclass) AND attnum > 0 AND NOT attisdropped"
)
SPREAD = (
    "SELECT relkind = 'p' OR to_regprocedure('create_reference_table(regclass)') IS NOT NULL "
    "FROM pg_class WHERE oid = to_regclass('site_counters')"
)
EXPECTED = "EXPLAIN (FORMAT JSON) SELECT 1 FROM {} WHERE site_id = %s"


class GrownTables:
    """Counts the rows written to a table for a site.

    `due` has each (table, site id) that may have grown by half since its statistics were made.
    """

    def __init__(self) -> None:
        self.due: set[tuple[str, int]] = set()
        self._written: Counter[tuple[str, int]] = Counter()
        self._enough: dict[tuple[str, int], int] = {}

    def add(self, table: str, site_id: int, rows: int) -> None:
        key = table, site_id
        self._written[key] += rows
        if self._written[key] >= self._enough.get(key, MUCH):
            self.due.add(key)

    def take(self, expected: Callable[[str, int], int]) -> set[str]:
        """Empties `due`. Returns the tables in it whose statistics are outdated.

        For those, the planner expects less than two thirds of the rows that this process wrote for a site.
        `expected(table, site_id)` is the planner's number of rows.
        """
        keys, self.due = self.due, set()
        outgrown = set()
        for key in keys:
            own_rows, expected_rows = self._written[key], expected(*key)
            self._enough[key] = own_rows + max(own_rows, expected_rows) // 2
            if expected_rows * 3 < own_rows * 2:
                outgrown.add(key[0])
        return outgrown


class ServerPool(PooledPsycopg3Database, ServerConnections):  # type: ignore[misc]  # peewee is untyped
    """A pool of connections, which can write many rows in one statement."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url, **{"prepare_threshold": None} | options)
        self._types: dict[str, dict[str, str]] = {}
        self._spread: bool | None = None
        self.growth = GrownTables()

    def _is_closed(self, connection: Any) -> bool:
        lost = is_lost(connection)
        if lost:
            connection.close()
        return lost

    def has_free(self) -> bool:
        """Whether a connection is kept that no thread uses."""
        return bool(self._connections)

    def limit_answers(self, seconds: float) -> None:
        """Closes this thread's connection if the server takes longer than `seconds` to answer."""
        connection = self.connection()

        def wait(asking: Any) -> Any:
            try:
                return psycopg.Connection.wait(connection, asking, timeout=seconds)
            except psycopg.OperationalError:
                connection.close()
                raise

        connection.wait = wait

    def run(self, statements: str) -> Any:
        """Runs statements without values in one round trip. Returns the first row of the last one, or None.

        Where sites are spread, runs them one by one: Citus would send all to each node for each `SET`.
        """
        with vars(peewee)["__exception_wrapper__"]:
            cursor = self.cursor()
            for statement in statements.split("; ") if self.is_spread() else [statements]:
                cursor.execute(statement)
            while cursor.nextset():
                pass
            return cursor.fetchone() if cursor.description else None

    def execute_sql(self, sql: str, params: Any = None, **options: Any) -> Any:
        if not options.get("prepare"):
            return super().execute_sql(sql, params, **options)
        with vars(peewee)["__exception_wrapper__"]:
            return self.connection().kept.execute(sql, params, prepare=True)

    def execute_many(
        self, sql: str, parameters: Iterable[Sequence[Any]], statement: RowStatement | None = None
    ) -> None:
        """Runs `sql`, with `?` marks, for each row of parameters.

        With a `statement`, more than a few rows are written at once, by COPY or from arrays.
        """
        rows = list(parameters)
        if not rows:
            return
        with vars(peewee)["__exception_wrapper__"]:
            if statement is None or len(rows) <= postgresql_bulk.FEW:
                self.cursor().executemany(sql.replace("?", "%s"), rows)
                return
            if not self._try_copy(statement, rows):
                self._write_at_once(statement, rows)
        if statement.conflict is not None and "site_id" in statement.columns:
            self.growth.add(statement.table, rows[0][statement.columns.index("site_id")], len(rows))

    def _write_at_once(self, statement: RowStatement, rows: Sequence[Sequence[Any]]) -> None:
        """Runs a statement for all rows at once; where sites are spread, once for each site."""
        types, is_by_value = self.types(statement.table), "{site}" in statement.at_once and self.is_spread()
        by_site = postgresql_bulk.by_site(statement, rows) if is_by_value else {None: rows}
        at_once = statement.at_once.format(
            rows=postgresql_bulk.rows_of(statement.columns, types), site="%s" if is_by_value else "v.site_id"
        )
        for site_id, of_site in by_site.items():
            arrays = postgresql_bulk.arrays(statement, types, of_site)
            self.cursor().execute(at_once, [*arrays, site_id] if is_by_value else arrays)

    def is_spread(self) -> bool:
        """Whether the tables of sites are spread, over nodes of Citus or partitions.

        A statement then names its site by a value. Elsewhere that would be slow for a site without
        statistics.
        """
        if self._spread is None:
            self._spread = (self.execute_sql(SPREAD).fetchone() or [None])[0]
        return bool(self._spread)

    def _try_copy(self, statement: RowStatement, rows: Sequence[Sequence[Any]]) -> bool:
        """Adds rows by `COPY`. Returns False, with none added, if a row may exist already."""
        if statement.conflict == "":
            self._copy(statement, rows)
            return True
        if statement.conflict == PASSED_OVER:
            try:
                with self.atomic():
                    self._copy(statement, rows)
                return True
            except psycopg.Error as error:
                if not is_duplicate(error):
                    raise
        return False

    def _copy(self, statement: RowStatement, rows: Sequence[Sequence[Any]]) -> None:
        copied = f"COPY {statement.table} ({', '.join(statement.columns)}) FROM STDIN"
        with self.cursor().copy(copied) as copy:
            for row in rows:
                copy.write_row(row)

    def expected(self, table: str, site_id: int) -> int:
        """The number of a site's rows that the planner expects."""
        [plan] = self.execute_sql(EXPECTED.format(table), (site_id,)).fetchone()[0]
        return int(plan["Plan"]["Plan Rows"])

    def types(self, table: str) -> dict[str, str]:
        """The types of a table's columns, by column name."""
        if table not in self._types:
            self._types[table] = dict(self.execute_sql(TYPES, (table,)).fetchall())
        return self._types[table]


def is_lost(connection: psycopg.Connection[Any]) -> bool:
    """Whether the server has closed an idle connection.

    Two reads that do not wait find out: the first gets the server's reason, the second the end of the
    connection. They keep the interpreter's lock. Asking the system whether there is something to read would
    release it in each session.
    """
    if connection.closed:
        return True
    try:
        connection.pgconn.consume_input()
        connection.pgconn.consume_input()
    except psycopg.OperationalError:
        return True
    return False
