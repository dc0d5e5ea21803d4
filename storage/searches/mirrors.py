"""The tables of mirrors: a site's subscribers with their tags and events, and the cursor of the mirror.

A mirror's database is apart from that of the instance, and may be of the other engine.
"""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import peewee

from storage.engines.protocol import Engine
from storage.errors import Unavailable, Unusable

WAIT_SECONDS = 60  # for others who use the tables
COLUMNS = {
    "subscribers": ("uuid", "email", "first_name", "last_name", "fields", "created_at", "updated_at",
                    "last_event_at", "unsubscribed_at"),
    "tags": ("uuid", "tag"),
    "events": ("id", "uuid", "type", "date", "details", "created_at"),
    "mirror": ("site_uuid", "change", "event"),
}  # fmt: skip
KEYS = {"subscribers": ("uuid",), "tags": ("uuid", "tag"), "events": ("id",)}
SCHEMA = (
    "CREATE TABLE subscribers (uuid TEXT PRIMARY KEY, email TEXT NOT NULL, first_name TEXT, last_name TEXT, "
    "fields {json} NOT NULL, created_at {instant} NOT NULL, updated_at {instant} NOT NULL, "
    "last_event_at {instant}, unsubscribed_at {instant}){by_key}",
    "CREATE TABLE tags (uuid TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (uuid, tag)){by_key}",
    "CREATE INDEX tags_tag ON tags (tag)",
    "CREATE TABLE events (id {id} PRIMARY KEY, uuid TEXT NOT NULL, type TEXT NOT NULL, "
    "date {instant} NOT NULL, details {json} NOT NULL, created_at {instant} NOT NULL)",
    "CREATE INDEX events_uuid ON events (uuid)",
    "CREATE TABLE mirror (site_uuid TEXT NOT NULL, change {id} NOT NULL, event {id} NOT NULL)",
)
NO_MIRROR = "{} is no mirror that `audience mirror` made: {}"
ANOTHER_SITE = "{} mirrors another site: {}"


class MirrorCursor(NamedTuple):
    """The position up to which a site is mirrored: the number of a change, and the id of an event."""

    change: int
    event: int


class Mirror:
    """The mirror of a site, in a database of `engine`. Rows are tuples in the order of `COLUMNS`. Raises
    `Unusable` and `Unavailable`.
    """

    types: ClassVar[dict[str, str]]  # what `SCHEMA` names in braces
    remedy: ClassVar[str]  # where there are other tables
    isolation: ClassVar[str]  # of transactions

    def __init__(self, engine: Engine, opened: Any, name: str, site_uuid: str) -> None:
        self._engine, self._opened, self._name, self._site_uuid = engine, opened, name, site_uuid
        try:
            with self._translated():
                self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        """Creates the tables if none exists. Raises `Unusable` if only some do, or for another site."""
        with self._locked():
            own = {*COLUMNS} & {*self._engine.tables(self._opened)}
            if not own:
                for statement in SCHEMA:
                    self._execute(statement.format(**self.types))
            elif own != {*COLUMNS}:
                raise self._no_mirror()
        sites = {uuid for uuid, _, _ in self.rows("mirror")}
        if sites - {self._site_uuid}:
            raise Unusable(ANOTHER_SITE.format(self._name, self.remedy))

    def close(self) -> None:
        self._opened.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction of this mirror alone."""
        with self._translated(), self._locked():
            yield

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """A transaction during which no other process writes this mirror."""
        with self._opened.atomic(self.isolation):
            yield

    def cursor(self) -> MirrorCursor | None:
        """The position up to which the site is mirrored; None if it was never mirrored."""
        with self._translated():
            found = self._execute("SELECT change, event FROM mirror").fetchone()
        return found and MirrorCursor(*found)

    def keep(self, cursor: MirrorCursor) -> None:
        """Replaces the stored cursor."""
        self._execute("DELETE FROM mirror")
        self.add("mirror", [(self._site_uuid, *cursor)])

    def clear(self) -> None:
        for table in COLUMNS:
            self._execute(f"DELETE FROM {table}")

    def add(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Adds rows to a table, or replaces those with the same key."""
        names, keys = COLUMNS[table], KEYS.get(table, ())
        sets = ", ".join(f"{name} = excluded.{name}" for name in names if name not in keys)
        conflict = f" ON CONFLICT ({', '.join(keys)}) DO " + (f"UPDATE SET {sets}" if sets else "NOTHING")
        marks = ", ".join("?" * len(names))
        statement = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks}){conflict if keys else ''}"
        self._execute_many(statement, rows)

    def rows(self, table: str) -> Iterator[tuple[Any, ...]]:
        """Yields the rows of a table, in the order of its first column."""
        yield from self._execute(f"SELECT {', '.join(COLUMNS[table])} FROM {table} ORDER BY 1")

    def subscribers(self, uuids: Collection[str]) -> dict[str, dict[str, Any]]:
        """`{uuid: {column: value}}` of the mirrored subscribers among `uuids`."""
        names = COLUMNS["subscribers"]
        found = self._of(f"SELECT {', '.join(names)} FROM subscribers", uuids)
        return {row[0]: dict(zip(names, row, strict=True)) for row in found}

    def tags(self, uuids: Collection[str]) -> set[tuple[str, str]]:
        """The (uuid, tag) rows of these subscribers."""
        return {(uuid, tag) for uuid, tag in self._of("SELECT uuid, tag FROM tags", uuids)}

    def erase(self, uuids: Collection[str]) -> None:
        for table in ("subscribers", "tags", "events"):
            self._of(f"DELETE FROM {table}", uuids)

    def remove_tags(self, rows: Iterable[tuple[str, str]]) -> None:
        self._execute_many("DELETE FROM tags WHERE uuid = ? AND tag = ?", rows)

    def counts(self) -> dict[str, int]:
        """The number of rows of each of the tables of subscribers, tags and events."""
        tables = ("subscribers", "tags", "events")
        return {table: self._execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}

    def _of(self, statement: str, uuids: Collection[str]) -> Any:
        among = self._engine.among(uuids)
        return self._execute(f"{statement} WHERE uuid {among.text}", among.parameters)

    def _execute(self, statement: str, parameters: Sequence[Any] = ()) -> Any:
        return self._opened.execute_sql(self._engine.rewrite(statement), parameters or None)

    def _execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        self._opened.execute_many(self._engine.rewrite(statement), rows)

    def _no_mirror(self) -> Unusable:
        return Unusable(NO_MIRROR.format(self._name, self.remedy))

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Replaces exceptions of peewee and the driver by those of storage."""
        try:
            yield
        except (peewee.DatabaseError, peewee.InterfaceError, self._engine.Error) as error:
            raise self._meaning(error) from error

    def _meaning(self, error: Exception) -> Exception:
        meaning = self._engine.meaning(error)
        return type(meaning)(f"{self._name}: {meaning}") if isinstance(meaning, Unavailable) else meaning
