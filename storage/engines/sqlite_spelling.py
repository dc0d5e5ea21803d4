"""The parts of statements that another engine spells otherwise."""

from collections.abc import Collection
from typing import Any

import apsw
from pyroaring import BitMap

from storage.sql import Sql

IDS = "SELECT value FROM json_each(?)"
ONE_OF_DOMAINS = """IN (SELECT value FROM json_each('["' || replace(?, ' ', '","') || '"]'))"""
PERIODS = "(SELECT key AS place, value ->> 0 AS first, value ->> 1 AS ending FROM json_each(?)) AS b"
VALUE_KEYS = "(SELECT value ->> 0 AS field_id, value ->> 1 AS folded FROM json_each(?)) AS k"
SCALARS = "json_each(s.fields) AS v"
BY_ATOM = "value"  # numbers before texts
IN_ORDER = "CROSS JOIN"
OF_SITE = "+site_id = ?"


def rewrite(sql: str) -> str:
    """The statement as this engine has it: unchanged."""
    return sql


def indexed_by(index: str) -> str:
    """A clause after the table that forces an index."""
    return f"INDEXED BY {index}"


def caseless(column: str, sign: str) -> str:
    """A comparison without case, of ASCII."""
    return f"{column} COLLATE NOCASE {sign} ?"


def among(values: Collection[Any]) -> Sql:
    """Is one of some values."""
    return Sql(f"IN ({','.join('?' * len(values))})", tuple(values))


def each_number(array: str) -> str:
    """A table with the numbers of a JSON array as `value`."""
    return f"json_each({array})"


def joined(text: str, order: str) -> str:
    """All texts with commas between, as bytes."""
    return f"CAST(group_concat({text}, ',' {order}) AS BLOB)"


def instant_text(column: str) -> str:
    """Milliseconds as 2026-10-31T09:00:00.000."""
    return f"replace(datetime({column} / 86400000.0 + 2440587.5, 'subsec'), ' ', 'T')"  # from a Julian day


def in_set(column: str, ids: BitMap) -> Sql:
    """Is one of many ids."""
    return Sql(f"is_in_set(?, {column})", (apsw.pyobject(ids),))
