"""Statements whose plan the server keeps, sent through libpq's own call.

It gives the interpreter's lock away once. A cursor does so twice and takes as long again, and by it finds are
a twelfth slower. Not within a transaction: a statement may be gone, which would end it.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import psycopg
from psycopg import pq
from psycopg.adapt import PyFormat, Transformer

Connection = psycopg.Connection[Any]


class FoundRows(NamedTuple):
    """All rows of a statement, as a cursor has them."""

    found: list[tuple[Any, ...]]

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self.found

    def fetchone(self) -> tuple[Any, ...] | None:
        return self.found[0] if self.found else None


class KeptPlans:
    """The names of each connection's statements: of the few that ask for it, none is forgotten."""

    def __init__(self) -> None:
        self._names: WeakKeyDictionary[Connection, dict[str, bytes]] = WeakKeyDictionary()
        self._numbers = count()

    @staticmethod
    def has_place(connection: Connection) -> bool:
        """Whether a connection keeps plans, and is not within a transaction."""
        idle = connection.pgconn.transaction_status == pq.TransactionStatus.IDLE
        return idle and connection.prepare_threshold is not None

    def run(self, connection: Connection, sql: str, parameters: Sequence[Any]) -> FoundRows:
        """The rows of a statement with `%s` marks. Raises `psycopg.Error`."""
        try:
            return self._run(connection, sql, parameters)
        except psycopg.errors.InvalidSqlStatementName:  # the driver deallocates all after a rollback
            del self._names[connection]
            return self._run(connection, sql, parameters)

    def _run(self, connection: Connection, sql: str, parameters: Sequence[Any]) -> FoundRows:
        names = self._names.setdefault(connection, {})
        if sql not in names:
            name = f"kept_{next(self._numbers)}".encode()
            _checked(connection.pgconn.prepare(name, _numbered(sql)))
            names[sql] = name
        transformer = Transformer(connection)
        values: Any = transformer.dump_sequence(parameters, [PyFormat.TEXT] * len(parameters))
        # in text, bytes would be sent as twice as many
        result = connection.pgconn.exec_prepared(names[sql], values, result_format=pq.Format.BINARY)
        transformer.set_pgresult(_checked(result))
        return FoundRows(transformer.load_rows(0, result.ntuples, tuple))


def _numbered(sql: str) -> bytes:
    first, *others = sql.split("%s")
    return (first + "".join(f"${number}{part}" for number, part in enumerate(others, 1))).encode()


def _checked(result: Any) -> Any:
    if result.status in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK):
        return result
    error = psycopg.errors.error_from_result(result)
    raise error if error.sqlstate else psycopg.OperationalError(str(error))
