"""peewee's databases on SQLite, in the driver apsw: one file, and a pool of connections to one."""

import datetime
from collections.abc import Iterable, Sequence
from typing import Any

import apsw
import peewee
from playhouse.apsw_ext import APSWDatabase
from playhouse.pool import PooledDatabase

from storage.engines.sqlite_log import Log
from storage.engines.sqlite_turns import Turns


class SqliteFile(APSWDatabase):  # type: ignore[misc]  # peewee is untyped
    """One database file. A `datetime`, which peewee's migration runner sends, is stored as text."""

    def _add_conn_hooks(self, connection: apsw.Connection) -> None:
        connection.convert_binding = _as_text
        super()._add_conn_hooks(connection)

    def _load_functions(self, connection: apsw.Connection) -> None:
        """Registers functions. peewee 4.5 passes `deterministic` by position, which apsw refuses."""
        for name, (function, count, deterministic) in self._functions.items():
            connection.create_scalar_function(name, function, count, deterministic=bool(deterministic))

    def execute_many(self, sql: str, parameters: Iterable[Sequence[Any]], _statement: object = None) -> None:
        """Runs one statement for each row of parameters, with the errors of `execute_sql`."""
        with vars(peewee)["__exception_wrapper__"]:
            self.cursor().executemany(sql, parameters)


class SqlitePool(PooledDatabase, SqliteFile):  # type: ignore[misc]  # peewee is untyped
    """Connections to one file. `turns` orders its writers; `log` notes the write-ahead log's pages."""

    def __init__(self, path: str, **options: Any) -> None:
        super().__init__(path, **options)
        self.turns, self.log = Turns(path), Log()

    def _add_conn_hooks(self, connection: apsw.Connection) -> None:
        super()._add_conn_hooks(connection)
        connection.set_wal_hook(self.log.grew)

    def _can_reuse(self, connection: apsw.Connection) -> bool:
        return not connection.in_transaction


def _as_text(_cursor: apsw.Cursor, _number: int, value: object) -> str:
    if isinstance(value, datetime.datetime):
        return str(value)
    raise TypeError(f"SQLite stores no {type(value).__name__}")
