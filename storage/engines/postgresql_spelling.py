"""The parts of statements that PostgreSQL spells otherwise than SQLite."""

from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any

import orjson
from pyroaring import BitMap

from storage.engines import postgresql_bulk
from storage.sql import Sql

NUMBERS = "(SELECT CAST(member AS bigint) AS value FROM json_array_elements_text(CAST({} AS json)) AS member)"
IDS = f"SELECT value FROM {NUMBERS.format('?')} AS numbers"
BRACES = bytes.maketrans(b"[]", b"{}")
PERIODS = (
    "(SELECT place, CAST(pair ->> 0 AS bigint) AS first, CAST(pair ->> 1 AS bigint) AS ending "
    "FROM json_array_elements(CAST(? AS json)) WITH ORDINALITY AS pairs (pair, place)) AS b"
)
VALUE_KEYS = "unnest(CAST(? AS bigint[]), CAST(? AS text[])) AS k (field_id, folded)"
SCALARS = (
    'LATERAL (SELECT members.key COLLATE "C" AS key, types.type, '
    "(members.value #>> '{}') COLLATE \"C\" AS atom "
    "FROM json_each(CAST(s.fields AS json)) AS members, LATERAL (SELECT CASE json_typeof(members.value) "
    "WHEN 'string' THEN 'text' WHEN 'boolean' THEN CAST(members.value AS text) WHEN 'number' THEN "
    "CASE WHEN CAST(members.value AS text) ~ '[.eE]' THEN 'real' ELSE 'integer' END END AS type) AS types) "
    "AS v"
)
BY_ATOM = (
    "CASE WHEN type IN ('integer', 'real') THEN CAST(value AS numeric) WHEN type = 'true' THEN 1 "
    "WHEN type = 'false' THEN 0 END, value"
)
IN_ORDER = "JOIN"
OF_SITE = "site_id = ?"


def rewrite(sql: str) -> str:
    """The statement with the driver's `%s` in place of `?`."""
    return sql.replace("?", "%s")


def indexed_by(_index: str) -> str:
    """Always empty: PostgreSQL's planner chooses the index."""
    return ""


def caseless(column: str, sign: str) -> str:
    """A comparison of a column with one parameter that ignores case. `sign` is `=`, `<` or `>=`.

    It compares the first 300 characters, as the index does.
    """
    return f'left(lower({column}), 300) {sign} lower(? COLLATE "C")'


def among(values: Collection[Any]) -> Sql:
    """The end of a condition, to follow a column: that it is one of these values."""
    return Sql("= ANY(?)", (postgresql_bulk.array(values),))


def value_keys(texts: Mapping[int, Collection[str]]) -> Sql:
    """Rows `k` (field_id, folded), of texts by field. From arrays, whose length the planner reads: without
    statistics of a site, it would compare each of these rows with each value of the site.
    """
    fields = [field_id for field_id, of_field in texts.items() for _ in of_field]
    folded = list(chain.from_iterable(texts.values()))
    return Sql(VALUE_KEYS, (postgresql_bulk.array(fields), postgresql_bulk.array(folded)))


def each_number(array: str) -> str:
    """The SQL of a table whose column `value` has the numbers of a JSON array."""
    return f"LATERAL {NUMBERS.format(array)}"


def joined(text: str, order: str) -> str:
    """An aggregate: all texts with commas between, as bytes. `order` is the `ORDER BY` clause of the rows."""
    return f"convert_to(string_agg({text}, ',' {order}), 'UTF8')"


def instant_text(column: str) -> str:
    """A column's milliseconds since 1970 as text, such as 2026-10-31T09:00:00.000."""
    day, of_day = f"{column} / 86400000", f"mod({column}, 86400000)"
    instant = f"timestamp 'epoch' + {day} * interval '1 day' + {of_day} * interval '1 millisecond'"
    return f"""to_char({instant}, 'YYYY-MM-DD"T"HH24:MI:SS.MS')"""


def in_set(column: str, ids: BitMap) -> Sql:
    """A condition: the column is one of these ids, which may be many.

    `IS TRUE` makes the planner hash the ids once, not look each up for each period of a report.
    """
    array = orjson.dumps(list(ids)).translate(BRACES).decode()
    return Sql(f"({column} IN (SELECT unnest(CAST(? AS bigint[])))) IS TRUE", (array,))
