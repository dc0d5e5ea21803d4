"""The files of mirrors: subscribers of a site with their tags and events, and up to where they are mirrored.

A mirror is an SQLite file whatever engine the instance has, or JSON lines, which are written from an SQLite
database in memory.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import peewee

from storage.engines import sqlite_errors, sqlite_pool
from storage.errors import Unusable

WAIT_SECONDS = 60  # for a reader of the file
PRAGMAS = {"secure_delete": 1}
COLUMNS = {
    "subscribers": ("uuid", "email", "first_name", "last_name", "fields", "created_at", "updated_at",
                    "last_event_at", "unsubscribed_at"),
    "tags": ("uuid", "tag"),
    "events": ("id", "uuid", "type", "date", "details", "created_at"),
    "mirror": ("site_uuid", "change", "event"),
}  # fmt: skip
SCHEMA = (
    "CREATE TABLE subscribers (uuid TEXT PRIMARY KEY, email TEXT NOT NULL, first_name TEXT, last_name TEXT, "
    "fields TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, last_event_at TEXT, "
    "unsubscribed_at TEXT) WITHOUT ROWID",
    "CREATE TABLE tags (uuid TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (uuid, tag)) WITHOUT ROWID",
    "CREATE INDEX tags_tag ON tags (tag)",
    "CREATE TABLE events (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL, type TEXT NOT NULL, "
    "date TEXT NOT NULL, details TEXT NOT NULL, created_at TEXT NOT NULL)",
    "CREATE INDEX events_uuid ON events (uuid)",
    "CREATE TABLE mirror (site_uuid TEXT NOT NULL, change INTEGER NOT NULL, event INTEGER NOT NULL)",
)
JSON_COLUMNS = ("fields", "details")
NO_MIRROR = "{} is no mirror that `audience mirror` made: name a file that does not exist"
ANOTHER_SITE = "{} mirrors another site: name a file that does not exist"


class MirrorCursor(NamedTuple):
    """Up to where a site is mirrored: the number of a change, and the id of an event."""

    change: int
    event: int


class MirrorFile:
    """An SQLite file with the mirror of a site. Rows are tuples in the order of `COLUMNS`. Raises
    `Unusable`.
    """

    def __init__(self, path: Path, site_uuid: str) -> None:
        self._path, self._site_uuid = path, site_uuid
        self._opened = sqlite_pool.SqliteFile(self._database(), timeout=WAIT_SECONDS, pragmas=PRAGMAS)
        with _translated(path):
            self._begin()

    def _database(self) -> str:
        return str(self._path)

    def _begin(self) -> None:
        """Makes the tables of a new file, or looks whose they are."""
        with self._opened.atomic("IMMEDIATE"):
            tables = self._opened.get_tables()
            if not tables:
                for statement in SCHEMA:
                    self._execute(statement)
            elif not {*COLUMNS} <= {*tables}:
                raise Unusable(NO_MIRROR.format(self._path))
        sites = {uuid for uuid, _, _ in self.rows("mirror")}
        if sites - {self._site_uuid}:
            raise Unusable(ANOTHER_SITE.format(self._path))

    def close(self) -> None:
        self._opened.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction of this file alone."""
        with _translated(self._path), self._opened.atomic("IMMEDIATE"):
            yield

    def cursor(self) -> MirrorCursor | None:
        """Up to where the site is mirrored; None if not at all."""
        with _translated(self._path):
            found = self._execute("SELECT change, event FROM mirror").fetchone()
        return found and MirrorCursor(*found)

    def keep(self, cursor: MirrorCursor) -> None:
        self._execute("DELETE FROM mirror")
        self.add("mirror", [(self._site_uuid, *cursor)])

    def clear(self) -> None:
        for table in COLUMNS:
            self._execute(f"DELETE FROM {table}")

    def add(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Adds rows to a table, or replaces those with the same key."""
        names = COLUMNS[table]
        marks = ", ".join("?" * len(names))
        statement = f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) VALUES ({marks})"
        self._opened.execute_many(statement, rows)

    def rows(self, table: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a table, in the order of its key."""
        yield from self._execute(f"SELECT {', '.join(COLUMNS[table])} FROM {table} ORDER BY 1")

    def subscriber(self, uuid: str) -> dict[str, Any]:
        """The values of a subscriber by column; empty if there is none."""
        names = COLUMNS["subscribers"]
        query = f"SELECT {', '.join(names)} FROM subscribers WHERE uuid = ?"
        return dict(zip(names, self._execute(query, (uuid,)).fetchone() or (), strict=False))

    def erase(self, uuid: str) -> None:
        for table in ("subscribers", "tags", "events"):
            self._execute(f"DELETE FROM {table} WHERE uuid = ?", (uuid,))

    def remove_tags(self, uuid: str, names: Iterable[str] | None = None) -> None:
        """Removes the tags with these names from a subscriber, or all."""
        if names is None:
            self._execute("DELETE FROM tags WHERE uuid = ?", (uuid,))
        else:
            self._opened.execute_many(
                "DELETE FROM tags WHERE uuid = ? AND tag = ?", [(uuid, name) for name in names]
            )

    def counts(self) -> dict[str, int]:
        """The numbers of rows of subscribers, tags and events."""
        tables = ("subscribers", "tags", "events")
        return {table: self._execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}

    def _execute(self, statement: str, parameters: Sequence[Any] = ()) -> Any:
        return self._opened.execute_sql(statement, parameters)


class JsonLinesFile(MirrorFile):
    """A mirror as JSON lines: one object for each row, with the name of its table as `table`. The file is
    replaced at the end of each transaction.
    """

    def _database(self) -> str:
        return ":memory:"

    def _begin(self) -> None:
        for statement in SCHEMA:
            self._execute(statement)
        if self._path.exists():
            try:
                self._read()
            except (ValueError, KeyError, TypeError, peewee.PeeweeException):
                raise Unusable(NO_MIRROR.format(self._path)) from None
        super()._begin()

    def _read(self) -> None:
        with self._opened.atomic(), self._path.open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                self.add(row["table"], [[_stored(name, row[name]) for name in COLUMNS[row["table"]]]])

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction, at whose end the file is replaced."""
        with super().transaction():
            yield
            self._write()

    def _write(self) -> None:
        draft = self._path.with_name(f"{self._path.name}.part")
        with draft.open("w", encoding="utf-8") as output:
            for table in ("mirror", "subscribers", "tags", "events"):
                for row in self.rows(table):
                    output.write(json.dumps(_object(table, row), ensure_ascii=False) + "\n")
            output.flush()
            os.fsync(output.fileno())
        draft.replace(self._path)


def _stored(name: str, value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if name in JSON_COLUMNS else value


def _object(table: str, row: Sequence[Any]) -> Mapping[str, Any]:
    values = dict(zip(COLUMNS[table], row, strict=True))
    return {"table": table} | {
        name: json.loads(value) if name in JSON_COLUMNS else value for name, value in values.items()
    }


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Replaces exceptions of peewee and the driver by those of storage."""
    try:
        yield
    except (peewee.DatabaseError, peewee.InterfaceError, sqlite_errors.Error) as error:
        meaning = sqlite_errors.meaning(error)
        raise Unusable(NO_MIRROR.format(path)) if isinstance(meaning, Unusable) else meaning from error
