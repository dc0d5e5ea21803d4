"""Rows of plain tables as typed records, whose fields have the names of the model's columns.

A record type names its columns once; statements are made from it. Writes go through peewee's builder. Reads
are SQL text: the builder adds 0.1 ms to a statement, and a request reads several times.
"""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar

from peewee import BooleanField

from storage.base_models import BaseModel
from storage.database import execute_many, row, rows
from storage.sql import Sql, insert_into, replacing

R = TypeVar("R")


class Records(Generic[R]):
    """Reads and writes the records of a table. `equal` selects the rows with these values in these columns.
    To read, a value may also be the end of a condition, such as `engine.among(ids)`.

    `change` and `delete` need at least one such column.
    """

    def __init__(self, model: type[BaseModel], record: type[R]) -> None:
        self._model, self._record, self._meta = model, record, vars(model)["_meta"]
        self._names = [self._meta.combined[name].column_name for name in record.__annotations__]
        self._booleans = [number for number, name in enumerate(self._names)
                          if isinstance(self._meta.columns[name], BooleanField)]  # fmt: skip
        self.columns = ", ".join(self._names)

    def columns_of(self, alias: str) -> str:
        """The record's columns in a statement in which the table is called `alias`."""
        return ", ".join(f"{alias}.{name}" for name in self._names)

    def get(self, **equal: Any) -> R | None:
        """A record that `equal` selects; None if there is none."""
        where, parameters = _where(equal)
        record = row(f"SELECT {self.columns} FROM {self._meta.table_name} {where}", parameters)
        return record and self._make(record)

    def select(self, columns: str, tail: str = "", *more: Any, **equal: Any) -> list[Any]:
        """These columns of the rows that `equal` selects. `tail` and `more` are as in `find`."""
        where, parameters = _where(equal)
        query = f"SELECT {columns} FROM {self._meta.table_name} {where} {tail}"
        return rows(query, [*parameters, *more])

    def find(self, tail: str = "", *more: Any, **equal: Any) -> list[R]:
        """The records that `equal` selects. `tail` is further SQL, such as an order; `more` its values."""
        return self.read(self.select(self.columns, tail, *more, **equal))

    def newest(self, site_id: int, limit: int | None = None, before: int = 0) -> list[R]:
        """The records of a site, newest first; with a `limit`, up to that many with ids below `before`."""
        if limit is None:
            return self.find("ORDER BY id DESC", site_id=site_id)
        return self.find("AND id < ? ORDER BY id DESC LIMIT ?", before, limit, site_id=site_id)

    def has(self, **equal: Any) -> bool:
        """Whether `equal` selects a record."""
        return bool(self.select("1", "LIMIT 1", **equal))

    def read(self, records: Iterable[Sequence[Any]]) -> list[R]:
        """The records of rows that have the columns of `columns`, in this order."""
        return [self._make(record) for record in records]

    def _make(self, record: Sequence[Any]) -> R:
        """The record of a row. Booleans, which SQLite stores as numbers, become booleans again."""
        if not self._booleans:
            return self._record(*record)
        values = list(record)
        for position in self._booleans:  # SQLite stores booleans as numbers
            values[position] = values[position] if values[position] is None else bool(values[position])
        return self._record(*values)

    def add(self, **values: Any) -> int:
        """Adds a record with these values. Returns its id."""
        row_id: int = self._model.insert(**values).execute()
        return row_id

    def add_new(self, record: R, **more: Any) -> int:
        """Adds a record without its id, with values `more` of further columns. Returns the new id."""
        values = {name: getattr(record, name) for name in self._names if name != "id"}
        return self.add(**values, **more)

    def add_many(self, records: Iterable[R], keys: Sequence[str] = (), **more: Any) -> None:
        """Adds records. Values in `more` replace those of every record. The table assigns the ids.

        With `keys`, the columns of a unique index, a record replaces the one with the same keys.
        """
        own = [name for name in self._names if name != "id" and name not in more]
        columns, values, shared = [*more, *own], attrgetter(*own), tuple(more.values())
        conflict = replacing(keys, [name for name in columns if name not in keys]) if keys else ""
        insert = insert_into(self._meta.table_name, columns, conflict)
        execute_many(insert, (shared + values(record) for record in records))

    def change(self, values: dict[str, Any], **equal: Any) -> int:
        """Sets `values` in the records that `equal` selects. Returns how many."""
        return int(self._model.update(**values).where(*self._are(equal)).execute())

    def delete(self, **equal: Any) -> int:
        """Deletes the records that `equal` selects. Returns how many."""
        return int(self._model.delete().where(*self._are(equal)).execute())

    def _are(self, equal: dict[str, Any]) -> Any:
        return [self._meta.columns[name] == value for name, value in equal.items()]


def _where(equal: dict[str, Any]) -> tuple[str, list[Any]]:
    """The WHERE clause that selects rows with these values, and its parameters."""
    conditions, parameters = [], list[Any]()
    for name, value in equal.items():
        end = value if isinstance(value, Sql) else Sql("= ?", (value,))
        conditions.append(f"{name} {end.text}")
        parameters += end.parameters
    return f"WHERE {' AND '.join(conditions)}" if conditions else "", parameters
