"""The parts of statements that SQLite spells otherwise than PostgreSQL."""

import json
from collections.abc import Collection, Mapping
from typing import Any

import apsw
from pyroaring import BitMap

from storage.sql import Sql

IDS = "SELECT value FROM json_each(?)"
PERIODS = "(SELECT key AS place, value ->> 0 AS first, value ->> 1 AS ending FROM json_each(?)) AS b"
VALUE_KEYS = (
    "(SELECT CAST(field.key AS bigint) AS field_id, text.value AS folded "
    "FROM json_each(?) AS field, json_each(field.value) AS text) AS k"
)
SCALARS = "json_each(s.fields) AS v"
BY_ATOM = "value"  # numbers before texts
IN_ORDER = "CROSS JOIN"
OF_SITE = "+site_id = ?"


def rewrite(sql: str) -> str:
    """The statement, unchanged."""
    return sql


def indexed_by(index: str) -> str:
    """A clause after the table that forces an index."""
    return f"INDEXED BY {index}"


def caseless(column: str, sign: str) -> str:
    """A comparison of a column with one parameter, ignoring ASCII case. `sign` is `=`, `<` or `>=`."""
    return f"{column} COLLATE NOCASE {sign} ?"


def among(values: Collection[Any]) -> Sql:
    """The end of a condition, to follow a column: that it is one of these values."""
    return Sql(f"IN ({','.join('?' * len(values))})", tuple(values))


def value_keys(texts: Mapping[int, Collection[str]]) -> Sql:
    """Rows `k` (field_id, folded), of texts by field."""
    return Sql(VALUE_KEYS, (json.dumps(texts),))


def each_number(array: str) -> str:
    """The SQL of a table whose column `value` has the numbers of a JSON array."""
    return f"json_each({array})"


def joined(text: str, _order: str) -> str:
    """An aggregate: all texts with commas between, as bytes. The rows are in order, as `IN_ORDER` reads them:
    to sort them once more, SQLite would copy each text twice.
    """
    return f"CAST(group_concat({text}, ',') AS BLOB)"


def instant_text(column: str) -> str:
    """A column's milliseconds since 1970 as text, such as 2026-10-31T09:00:00.000."""
    return f"replace(datetime({column} / 86400000.0 + 2440587.5, 'subsec'), ' ', 'T')"  # from a Julian day


def in_set(column: str, ids: BitMap) -> Sql:
    """A condition: the column is one of these ids, which may be many."""
    return Sql(f"is_in_set(?, {column})", (apsw.pyobject(ids),))
