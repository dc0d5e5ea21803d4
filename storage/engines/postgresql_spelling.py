"""The parts of statements that another engine spells otherwise. `j` has `type` and `atom` of a JSON value."""

from collections.abc import Collection
from typing import Any

from storage.sql import Sql

NUMBERS = "(SELECT CAST(member AS bigint) AS value FROM json_array_elements_text(CAST({} AS json)) AS member)"
IDS = f"SELECT value FROM {NUMBERS.format('?')} AS numbers"
ONE_OF_DOMAINS = "= ANY (string_to_array(?, ' '))"
PERIODS = (
    "(SELECT place, CAST(pair ->> 0 AS bigint) AS first, CAST(pair ->> 1 AS bigint) AS ending "
    "FROM json_array_elements(CAST(? AS json)) WITH ORDINALITY AS pairs (pair, place)) AS b"
)
VALUE_KEYS = (
    "(SELECT CAST(key ->> 0 AS bigint) AS field_id, key ->> 1 AS folded, key ->> 2 AS label, "
    "CAST(key ->> 3 AS integer) AS kind, CAST(key ->> 4 AS bigint) AS subscriber_id "
    "FROM json_array_elements(CAST(? AS json)) AS keys (key)) AS k"
)
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
JOINS_SETS, NARROWED = True, 3
NOT_AMONG = "NOT EXISTS (SELECT 1 FROM ({ids}) AS those (one) WHERE those.one = {id})"
COUNTED = (
    "SELECT count(DISTINCT found.subscriber_id), count(DISTINCT gone.subscriber_id) FROM ({left}) AS gone "
    "RIGHT JOIN ({ids}) AS found ON found.subscriber_id = gone.subscriber_id"
)

OF_JSON = "json_members({}, ?) WITH ORDINALITY"  # so that the planner does not count its loops


OF_SITE = "site_id = ?"


def rewrite(sql: str) -> str:
    """The statement with this engine's marks."""
    return sql.replace("?", "%s")


def indexed_by(_index: str) -> str:
    return ""


def caseless(column: str, sign: str) -> str:
    """A comparison without case, as indexed; no longer text is looked for."""
    return f'left(lower({column}), 300) {sign} lower(? COLLATE "C")'


def among(values: Collection[Any]) -> Sql:
    """Is one of some values."""
    return Sql("= ANY(?)", (list(values),))


def each_number(array: str) -> str:
    """A table with the numbers of a JSON array as `value`."""
    return f"LATERAL {NUMBERS.format(array)}"


def joined(text: str, order: str) -> str:
    """All texts with commas between, as bytes."""
    return f"convert_to(string_agg({text}, ',' {order}), 'UTF8')"


def instant_text(column: str) -> str:
    """Milliseconds as 2026-10-31T09:00:00.000."""
    day, of_day = f"{column} / 86400000", f"mod({column}, 86400000)"
    instant = f"timestamp 'epoch' + {day} * interval '1 day' + {of_day} * interval '1 millisecond'"
    return f"""to_char({instant}, 'YYYY-MM-DD"T"HH24:MI:SS.MS')"""


def json_number(sign: str) -> str:
    return f"spelt_number(j.atom) {sign} CAST(? AS NUMERIC)"


def json_instant(sign: str) -> str:
    return f"spelt_instant(j.atom) {sign} ?"


def json_path(key: str) -> str:
    """Where `OF_JSON` finds the value of a key, whatever characters it has."""
    return key
