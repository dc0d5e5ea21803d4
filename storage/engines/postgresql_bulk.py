"""One statement for many rows of parameters: COPY for new ones, arrays for others and for long lists.

An array is written here, column by column: the driver adapts each of its members.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import Any

MOSTLY_NEW = "ON CONFLICT DO NOTHING"
END = "\0"  # which no text has
FEW = 2  # rows that are as quick one by one
KEYS = r"(\w+ = \?(?: AND \w+ = \?)*)"  # nothing else: no condition may be lost
CHANGES = r"(\w+ = (?:\w+ \+ )?\?(?:, \w+ = (?:\w+ \+ )?\?)*)"
INSERT = re.compile(r"INSERT INTO (\w+) \(([\w, ]+)\) VALUES \([?, ]+\)(?: (ON CONFLICT .+))?", re.ASCII)
UPDATE = re.compile(rf"UPDATE (\w+) SET {CHANGES} WHERE {KEYS}", re.ASCII)
DELETE = re.compile(rf"DELETE FROM (\w+) WHERE {KEYS}", re.ASCII)
SET = re.compile(r"\b(\w++) = ((?:\w+ \+ )?)\?", re.ASCII)
LIST = re.compile(r"(?<!NOT )IN \((%s(?:,%s)+)\)", re.ASCII)
KEY = re.compile(r"\b(\w++) = \?", re.ASCII)


@dataclass(frozen=True)
class Bulk:
    """`columns` in the order of the parameters; in the `statement`, `{rows}` is a table `v` of them.

    `copy` is quicker, of rows that are new. Without a statement, they must be.
    """

    table: str
    columns: tuple[str, ...]
    statement: str = ""
    copy: str = ""
    inserts: bool = False


@lru_cache(maxsize=256)
def bulk(sql: str) -> Bulk | None:
    """From a statement for one row, the one for all rows; None if it is no plain INSERT, UPDATE or DELETE."""
    if match := INSERT.fullmatch(sql):
        table, columns, conflict = match.groups()
        names = tuple(columns.split(", "))
        copy = f"COPY {table} ({columns}) FROM STDIN" if conflict in (None, MOSTLY_NEW) else ""
        chosen = ", ".join(f"v.{name}" for name in names)
        text = f"INSERT INTO {table} ({columns}) SELECT {chosen} FROM {{rows}} {conflict}"
        return Bulk(table, names, text if conflict else "", copy, inserts=True)
    if match := UPDATE.fullmatch(sql):
        table, settings, keys = match.groups()
        changes = SET.findall(settings)
        shown = ", ".join(f"{name} = {table + '.' + plus if plus else ''}v.{name}" for name, plus in changes)
        where, key_names = _keys(table, keys)
        names = (*(name for name, _ in changes), *key_names)
        return Bulk(table, names, f"UPDATE {table} SET {shown} FROM {{rows}} WHERE {where}")
    if match := DELETE.fullmatch(sql):
        where, key_names = _keys(match[1], match[2])
        return Bulk(match[1], key_names, f"DELETE FROM {match[1]} USING {{rows}} WHERE {where}")
    return None


def _keys(table: str, text: str) -> tuple[str, tuple[str, ...]]:
    names = tuple(KEY.findall(text))
    return " AND ".join(f"{table}.{name} = v.{name}" for name in names), names


def rows_of(columns: Sequence[str], types: dict[str, str]) -> str:
    """The table `v`, of one array a column."""
    arrays = ", ".join(f"CAST(%s AS {types[name]}[])" for name in columns)
    return f"unnest({arrays}) AS v ({', '.join(columns)})"


def arrays(bulk: Bulk, types: dict[str, str], rows: Sequence[Sequence[Any]]) -> list[Any]:
    """The parameters of `rows_of`."""
    by_column = zip(bulk.columns, zip(*rows, strict=True), strict=True)
    return [_array(types[name], values) for name, values in by_column]


def with_arrays(sql: str, parameters: Sequence[Any]) -> tuple[str, list[Any]]:
    """A statement with an array in place of a list of marks: it is read, planned and sent with one."""
    remaining, parts, sent = iter(parameters), list[str](), list[Any]()
    for place, part in enumerate(LIST.split(sql)):
        chunk = list(islice(remaining, part.count("%s")))
        array = _array_text(chunk) if place % 2 else None
        parts.append("= ANY(%s)" if array else f"IN ({part})" if place % 2 else part)
        sent += [array] if array else chunk
    return "".join(parts), sent


def _array(sql_type: str, values: Sequence[Any]) -> Any:
    if sql_type == "numeric":
        return [None if value is None else str(exact(value)) for value in values]
    return _array_text(values) or list(values)


def _array_text(values: Sequence[Any]) -> str | None:
    """An array of only texts, or only integers, as the server reads it; None of others."""
    kinds = set(map(type, values))
    if kinds == {int}:
        return f"{{{','.join(map(str, values))}}}"
    joined = END.join(values) if kinds == {str} else END * len(values)
    if joined.count(END) >= len(values):
        return None
    escaped = joined.replace("\\", "\\\\").replace('"', '\\"')
    return '{"' + escaped.replace(END, '","') + '"}'


def exact(value: float) -> Decimal:
    """A number as the decimal that it is shown as, which compares with integers exactly."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**63
    return Decimal(int(value)) if whole else Decimal(repr(value))
