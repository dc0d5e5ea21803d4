"""The parts of statements that another engine spells otherwise. `j` has `type` and `atom` of a JSON value."""

import json
from collections.abc import Collection
from typing import Any

from storage.sql import Sql

IDS = "SELECT value FROM json_each(?)"
ONE_OF_DOMAINS = """IN (SELECT value FROM json_each('["' || replace(?, ' ', '","') || '"]'))"""
PERIODS = "(SELECT key AS place, value ->> 0 AS first, value ->> 1 AS ending FROM json_each(?)) AS b"
VALUE_KEYS = (
    "(SELECT value ->> 0 AS field_id, value ->> 1 AS folded, value ->> 2 AS label, value ->> 3 AS kind, "
    "value ->> 4 AS subscriber_id FROM json_each(?)) AS k"
)
SCALARS = "json_each(s.fields) AS v"
BY_ATOM = "value"  # numbers before texts
IN_ORDER = "CROSS JOIN"
OF_SITE = "+site_id = ?"
JOINS_SETS, NARROWED = False, 8
NOT_AMONG = "({id} IN ({ids})) IS NOT TRUE"
COUNTED = (  # sorting them takes half as long as keeping them and reading the subscribers
    "SELECT count(*), count(*) FILTER (WHERE subscriber_id IN ({left})) "
    "FROM (SELECT subscriber_id FROM ({ids}) AS found {once}) AS found"
)

# Of the array or object at a path, each member; text that spells a number is that number in a comparison with
# a NUMERIC, and other text is above infinity. `unixepoch` takes 2026-02-31 for a day of March, hence `date`.
OF_JSON = "json_each({}, ?)"
NUMBER = (
    "j.type IN ('integer', 'real', 'text') AND j.atom <= CAST(9e999 AS NUMERIC) "
    "AND j.atom {} CAST(? AS NUMERIC)"
)
INSTANT = (
    "j.type = 'text' AND j.atom GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' "
    "AND date(substr(j.atom, 1, 10)) = substr(j.atom, 1, 10) "
    "AND round(unixepoch(j.atom, 'subsec') * 1000) {} ?"
)


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


def json_number(sign: str) -> str:
    return NUMBER.format(sign)


def json_instant(sign: str) -> str:
    return INSTANT.format(sign)


def json_path(key: str) -> str:
    """Where `OF_JSON` finds the value of a key, whatever characters it has."""
    return f"$.{json.dumps(key, ensure_ascii=False)}"
