"""One statement for many rows of parameters: COPY for new ones, arrays for others.

An array is written here, column by column: the driver adapts each of its members.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from storage.sql import RowStatement

END = "\0"  # which no text has
FEW = 2  # rows that are as quick one by one


def rows_of(columns: Sequence[str], types: dict[str, str]) -> str:
    """The table `v`, of one array a column."""
    arrays = ", ".join(f"CAST(%s AS {types[name]}[])" for name in columns)
    return f"unnest({arrays}) AS v ({', '.join(columns)})"


def arrays(statement: RowStatement, types: dict[str, str], rows: Sequence[Sequence[Any]]) -> list[Any]:
    """The parameters of `rows_of`."""
    by_column = zip(statement.columns, zip(*rows, strict=True), strict=True)
    return [_array(types[name], values) for name, values in by_column]


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
