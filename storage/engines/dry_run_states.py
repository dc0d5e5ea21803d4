"""The subscribers as a dry run would leave them, in a temporary database that is deleted when it is
closed.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import apsw
import orjson

from storage.engines import sqlite_errors


class DryRunStates(AbstractContextManager["DryRunStates"]):
    """Stores a subscriber's state as JSON, by the key of the address.

    `get` and `put` raise `DiskFault` if the disk is full or faulty; afterwards, the object is of no use.
    """

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
        with _translate_errors():
            records = self._database.execute(query, (json.dumps(list(keys)),))
            return {key: orjson.loads(state) for key, state in records}

    def put(self, states: Mapping[str, Any]) -> None:
        """Stores states by key, in place of those that are stored for these keys."""
        rows = [(key, orjson.dumps(state).decode()) for key, state in states.items()]
        with _translate_errors():
            self._database.execute("BEGIN")
            self._database.executemany("INSERT OR REPLACE INTO states VALUES (?, ?)", rows)
            self._database.execute("COMMIT")


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Replaces exceptions of the driver by those of storage."""
    try:
        yield
    except apsw.Error as error:
        raise sqlite_errors.meaning(error) from error
