"""Subscribers as a dry run leaves them: in a temporary database of its own, which goes with it."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import apsw
import orjson

from storage.engines import sqlite_errors


class DryRunStates(AbstractContextManager["DryRunStates"]):
    """JSON by the key of an address. Raises `DiskFault`, after which it is of no use."""

    def __init__(self) -> None:
        self._database = apsw.Connection("")
        self._database.execute(
            "CREATE TABLE states (key TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID"
        )

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def get(self, keys: Collection[str]) -> dict[str, Any]:
        """The states that are stored for these keys."""
        query = "SELECT key, state FROM states WHERE key IN (SELECT value FROM json_each(?))"
        with _translated():
            records = self._database.execute(query, (json.dumps(list(keys)),))
            return {key: orjson.loads(state) for key, state in records}

    def put(self, states: Mapping[str, Any]) -> None:
        rows = [(key, orjson.dumps(state).decode()) for key, state in states.items()]
        with _translated():
            self._database.execute("BEGIN")
            self._database.executemany("INSERT OR REPLACE INTO states VALUES (?, ?)", rows)
            self._database.execute("COMMIT")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise sqlite_errors.meaning(error) from error
