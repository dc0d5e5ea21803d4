"""One statement for many rows of parameters: COPY for new rows, arrays for others.

The arrays are written as text here, column by column: the driver would adapt each member by itself.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

from storage.sql import RowStatement

END = "\0"  # separates texts: no stored text contains it
FEW = 2  # up to so many rows are as quick one by one


def rows_of(columns: Sequence[str], types: dict[str, str]) -> str:
    """The SQL of a table `v` with these columns. Its parameters are an array for each column."""
    arrays = ", ".join(f"CAST(%s AS {types[name]}[])" for name in columns)
    return f"unnest({arrays}) AS v ({', '.join(columns)})"


def by_site(statement: RowStatement, rows: Sequence[Sequence[Any]]) -> dict[Any, list[Sequence[Any]]]:
    """The rows, by site id."""
    position, found = statement.columns.index("site_id"), defaultdict(list)
    for row in rows:
        found[row[position]].append(row)
    return found


def arrays(statement: RowStatement, types: dict[str, str], rows: Sequence[Sequence[Any]]) -> list[Any]:
    """The parameters of `rows_of`: for each column of the statement, the array of its values."""
    by_column = zip(statement.columns, zip(*rows, strict=True), strict=True)
    return [_array(types[name], values) for name, values in by_column]


def _array(sql_type: str, values: Sequence[Any]) -> Any:
    if sql_type == "numeric":
        return [None if value is None else str(exact(value)) for value in values]
    return array(values)


def array(values: Collection[Any]) -> str | list[Any]:
    """The text of an array of texts or of integers; the values themselves if they are others, or a text
    contains a NUL.
    """
    kinds = set(map(type, values))
    if kinds == {int}:
        return f"{{{','.join(map(str, values))}}}"
    joined = END.join(values) if kinds == {str} else END * len(values)
    if joined.count(END) >= len(values):
        return list(values)
    escaped = joined.replace("\\", "\\\\").replace('"', '\\"')
    return '{"' + escaped.replace(END, '","') + '"}'


def exact(value: float) -> Decimal:
    """The decimal with the digits that Python shows, so that the server compares it with integers exactly."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**63
    return Decimal(int(value)) if whole else Decimal(repr(value))
