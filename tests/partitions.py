"""Runs of tests on PostgreSQL whose tables of sites are in four partitions, by the hash of the site.

If a statement's plan names several partitions of a table, Citus would send it to several nodes, or refuse it.
So each statement of the product is explained with its values before it runs. Rows that are copied or written
together must be of one site.
"""

import re
from collections import Counter, defaultdict
from typing import Any

import psycopg

from storage.engines.postgresql_bulk import by_site
from storage.engines.postgresql_pool import ServerPool
from tests import statements

PARTITIONS = 4
EXCUSED = tuple(statements.OVER_ALL_SITES)
EXPLAINED = 2  # how often the same text is
SPREAD = re.compile(r"(?P<table>\w+)_part(?P<number>\d)")
INDEXES = (
    "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = CAST(%s AS regclass) AND NOT EXISTS "
    "(SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)"
)
CONSTRAINTS = (
    "SELECT conname, pg_get_constraintdef(oid), contype = 'f' FROM pg_constraint "
    "WHERE conrelid = CAST(%s AS regclass) AND contype IN ('p', 'u', 'f')"
)
wrong: list[str] = []
LIKE = "INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING IDENTITY INCLUDING GENERATED INCLUDING STORAGE"


def partition(url: str) -> None:
    """Replaces each table of a site by a partitioned one, in an empty migrated database."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA partitions")
        made = [(table, *_definitions(connection, table)) for table in statements.TABLES]
        for table in statements.TABLES:
            connection.execute(f"ALTER TABLE {table} RENAME TO whole_{table}")
            connection.execute(
                f"CREATE TABLE {table} (LIKE whole_{table} {LIKE}) PARTITION BY HASH (site_id)"
            )
            for number in range(PARTITIONS):
                connection.execute(
                    f"CREATE TABLE partitions.{table}_part{number} PARTITION OF {table} "
                    f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
                )
        for table in statements.TABLES:
            connection.execute(f"DROP TABLE whole_{table} CASCADE")
        for of_others in (False, True):
            for table, constraints, indexes in made:
                for name, text, is_reference in constraints:
                    if is_reference is of_others:
                        connection.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {text}")
                for text in () if of_others else indexes:
                    connection.execute(text)


def _definitions(connection: psycopg.Connection[Any], table: str) -> tuple[list[Any], list[str]]:
    constraints = connection.execute(CONSTRAINTS, (table,)).fetchall()
    return constraints, [text for (text,) in connection.execute(INDEXES, (table,)).fetchall()]


def read_plans() -> None:
    """From now on, explains each statement before it runs. Adds those that name several partitions to
    `wrong`.
    """
    execute, execute_many, write = psycopg.Cursor.execute, psycopg.Cursor.executemany, ServerPool.execute_many
    explain = Explainer(execute).explain

    def run(cursor: Any, sql: Any, parameters: Any = None, **options: Any) -> Any:
        explain(cursor, sql, parameters)
        return execute(cursor, sql, parameters, **options)

    def run_many(cursor: Any, sql: Any, rows: Any, **options: Any) -> Any:
        rows = list(rows)
        for row in rows[:1]:
            explain(cursor, sql, row)
        return execute_many(cursor, sql, rows, **options)

    def run_rows(pool: Any, sql: Any, rows: Any, statement: Any = None) -> None:
        rows = list(rows)
        is_inserted = statement and statement.conflict is not None and statement.table in statements.TABLES
        if is_inserted and len(by_site(statement, rows)) > 1 and not _is_of_tests():
            wrong.append(f"rows of several sites: {statement.table}")
        write(pool, sql, rows, statement)

    for owner, name, reading in (
        (psycopg.Cursor, "execute", run),
        (psycopg.Cursor, "executemany", run_many),
        (ServerPool, "execute_many", run_rows),
    ):
        setattr(owner, name, reading)


class Explainer:
    """Explains the statements of the product, by the driver's own `execute`."""

    def __init__(self, execute: Any) -> None:
        self._execute, self._seen = execute, Counter[str]()

    def explain(self, cursor: Any, sql: Any, parameters: Any) -> None:
        if not isinstance(sql, str) or not _is_read(sql) or self._seen[sql] >= EXPLAINED or _is_of_tests():
            return
        self._seen[sql] += 1
        with cursor.connection.cursor() as beside:
            self._execute(beside, f"EXPLAIN (FORMAT JSON) {sql}", parameters)
            [plans] = beside.fetchone()
        spread = [table for table, numbers in numbers_by_table(plans).items() if len(numbers) > 1]
        if spread:
            wrong.append(f"{', '.join(spread)}: {sql}")


def _is_of_tests() -> bool:
    """Whether the caller's statement was sent by tests or other code outside the product."""
    return str(statements._sender((*statements.DOOR, __file__))).startswith(statements.OF_ALL)


def _is_read(sql: str) -> bool:
    is_statement = sql.lstrip("( ").startswith(("SELECT", "UPDATE", "DELETE", "INSERT", "WITH"))
    return is_statement and bool(statements.USES.search(sql)) and not sql.startswith(EXCUSED)


def numbers_by_table(node: Any) -> dict[str, set[str]]:
    """The numbers of the partitions that a plan names, by table."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    if isinstance(node, list):
        children = node
    else:
        children = [value for value in node.values() if isinstance(value, list | dict)]
        if match := SPREAD.fullmatch(node.get("Relation Name", "")):
            found[match["table"]].add(match["number"])
    for child in children:
        if isinstance(child, list | dict):
            for table, numbers in numbers_by_table(child).items():
                found[table] |= numbers
    return found
