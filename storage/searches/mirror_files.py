"""Mirrors in files: SQLite's, or JSON lines, which are written from an SQLite database in memory."""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import peewee

from storage.engines import sqlite, sqlite_pool
from storage.errors import Unusable
from storage.searches.mirrors import COLUMNS, WAIT_SECONDS, Mirror

PRAGMAS = {"secure_delete": 1}
JSON_COLUMNS = ("fields", "details")


class MirrorFile(Mirror):
    """An SQLite file with the mirror of a site."""

    types: ClassVar = {"json": "TEXT", "instant": "TEXT", "id": "INTEGER", "by_key": " WITHOUT ROWID"}
    remedy: ClassVar = "name a file that does not exist"
    isolation: ClassVar = "IMMEDIATE"

    def __init__(self, path: Path, site_uuid: str) -> None:
        self._path = path
        opened = sqlite_pool.SqliteFile(self._database(), timeout=WAIT_SECONDS, pragmas=PRAGMAS)
        super().__init__(sqlite, opened, str(path), site_uuid)

    def _database(self) -> str:
        return str(self._path)

    def _meaning(self, error: Exception) -> Exception:
        meaning = super()._meaning(error)
        return self._no_mirror() if isinstance(meaning, Unusable) else meaning


class JsonLinesFile(MirrorFile):
    """A mirror as JSON lines: one object for each row, with the name of its table as `table`. The file is
    replaced at the end of each transaction.
    """

    def _database(self) -> str:
        return ":memory:"

    def _begin(self) -> None:
        super()._begin()
        if self._path.exists():
            try:
                self._read()
            except (ValueError, KeyError, TypeError, peewee.PeeweeException):
                raise self._no_mirror() from None
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
