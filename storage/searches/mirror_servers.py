"""Mirrors in a schema of a PostgreSQL database."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import peewee
from psycopg.types.string import TextLoader

from storage.engines import postgresql
from storage.engines.postgresql_connections import ServerConnections, readable
from storage.errors import Unavailable, Unusable
from storage.searches.mirrors import WAIT_SECONDS, Mirror

LOCK = 7_023_004  # beside those of storage/engines/postgresql.py; with the schema
ENTER = (
    f"SET LOCAL lock_timeout = {WAIT_SECONDS * 1000}; SET LOCAL tcp_keepalives_idle = 10; "
    "SET LOCAL tcp_keepalives_interval = 5; SET LOCAL tcp_keepalives_count = 3; "
    f"SELECT pg_advisory_xact_lock({LOCK}, hashtext(current_schema()))"
)
NO_RIGHT = "the role cannot make or write a mirror's tables in {}: {}"


class _Server(ServerConnections):
    """A connection that reads JSON columns as text, so that numbers keep their digits."""

    def _connect(self) -> Any:
        connection = super()._connect()
        connection.adapters.register_loader("json", TextLoader)
        return connection

    def execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        with vars(peewee)["__exception_wrapper__"]:
            self.cursor().executemany(statement, rows)


class ServerMirror(Mirror):
    """A mirror of a site in the database that a URL names. Connects again after losing the server."""

    types: ClassVar = {"json": "JSON", "instant": "TIMESTAMPTZ", "id": "BIGINT", "by_key": ""}
    remedy: ClassVar = (
        "name another database, or add ?options=-csearch_path%3DSCHEMA to the URL, with a schema of the role"
    )
    isolation: ClassVar = postgresql.READ_COMMITTED

    def __init__(self, url: str, site_uuid: str, password: str | None) -> None:
        parts = readable(url)
        options: dict[str, Any] = {
            name: value for name, value in postgresql.DEFAULTS.items() if name not in parts
        }
        options |= {} if password is None else {"password": password}
        opened = _Server(url, prepare_threshold=None, client_encoding="UTF8", **options)
        super().__init__(postgresql, opened, f"the database {parts.get('dbname', '')}".rstrip(), site_uuid)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with super()._locked():
            self._opened.cursor().execute(ENTER)
            yield

    def _meaning(self, error: Exception) -> Exception:
        meaning = super()._meaning(error)
        if isinstance(meaning, Unavailable):
            self._opened.close()
        return (
            Unusable(NO_RIGHT.format(self._name, self.remedy)) if isinstance(meaning, Unusable) else meaning
        )
