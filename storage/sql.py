"""SQL text with its bound values."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any


@dataclass(frozen=True, slots=True)
class Sql:
    """A part of a statement. `parameters` are in the order of the marks in `text`, which never contains
    input.

    A condition is `rare` if few subscribers match it and an index finds them. A search is then faster if it
    finds them first and sorts them afterwards.
    """

    text: str
    parameters: tuple[Any, ...] = ()
    rare: bool = False


def rows_of(site_id: int | None, table: str = "") -> Sql:
    """The condition of the rows of a site, or of all. `table` is a prefix such as `j.`."""
    return Sql("TRUE") if site_id is None else Sql(f"{table}site_id = ?", (site_id,))


@dataclass(frozen=True, slots=True)
class RowStatement:
    """A statement for many rows of values of `columns`. `one` runs for each row; `at_once` runs once,
    with all rows as a table `v` in place of `{rows}`. `{site}` is the site: of each row, or of all.

    `conflict` of an INSERT is its `ON CONFLICT` clause, "" if no row may exist already. It is None for an
    UPDATE or DELETE.
    """

    table: str
    columns: tuple[str, ...]
    one: str
    at_once: str
    conflict: str | None = None


AND = " AND "
PASSED_OVER = "ON CONFLICT DO NOTHING"
MAX_PARAMETERS = 10_000


def insert_into(table: str, columns: Sequence[str], conflict: str = "") -> RowStatement:
    """An INSERT of `columns`. `conflict` is its `ON CONFLICT` clause; without it, no row may exist."""
    into = f"INSERT INTO {table} ({', '.join(columns)})"
    one = f"{into} VALUES ({', '.join('?' * len(columns))}) {conflict}".strip()
    chosen = ", ".join(f"v.{name}" for name in columns)
    return RowStatement(
        table, tuple(columns), one, f"{into} SELECT {chosen} FROM {{rows}} {conflict}", conflict
    )


def replacing(keys: Sequence[str], columns: Iterable[str]) -> str:
    """The `ON CONFLICT` clause that overwrites `columns` of the row with the same `keys`."""
    return f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET " + ", ".join(
        f"{name} = excluded.{name}" for name in columns
    )


def update_of(table: str, columns: Sequence[str], keys: Sequence[str], *, adds: bool = False) -> RowStatement:
    """An UPDATE of `columns` in the row with these `keys`. A row of parameters has `columns`, then `keys`.

    With `adds`, it adds the parameters to the columns.
    """
    before = {name: f"{table}.{name} + " if adds else "" for name in columns}
    settings = ", ".join(f"{name} = {before[name]}?" for name in columns)
    shown = ", ".join(f"{name} = {before[name]}v.{name}" for name in columns)
    one = f"UPDATE {table} SET {settings} WHERE {_equal(keys)}"
    at_once = f"UPDATE {table} SET {shown} FROM {{rows}} WHERE {_same(table, keys)}"
    return RowStatement(table, (*columns, *keys), one, at_once)


def delete_from(table: str, keys: Sequence[str]) -> RowStatement:
    at_once = f"DELETE FROM {table} USING {{rows}} WHERE {_same(table, keys)}"
    return RowStatement(table, tuple(keys), f"DELETE FROM {table} WHERE {_equal(keys)}", at_once)


def _equal(keys: Sequence[str]) -> str:
    return AND.join(f"{name} = ?" for name in keys)


def _same(table: str, keys: Sequence[str]) -> str:
    return AND.join(f"{table}.{name} = {'{site}' if name == 'site_id' else f'v.{name}'}" for name in keys)


def join(separator: str, parts: list[Sql]) -> Sql:
    """The parts with the separator between them. Parts joined by `AND` are rare if one of them is."""
    return Sql(
        separator.join(part.text for part in parts),
        tuple(chain.from_iterable(part.parameters for part in parts)),
        rare=separator == AND and any(part.rare for part in parts),
    )


def slices(values: Iterable[Any]) -> Iterator[list[Any]]:
    """Yields the values in lists of at most `MAX_PARAMETERS`, the most that a statement takes."""
    remaining = iter(values)
    while chunk := list(islice(remaining, MAX_PARAMETERS)):
        yield chunk
