"""The two databases of a move of a whole instance, of any engine. Both are outside this process's pool."""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import peewee

from storage.sql import insert_into
from storage.instance.backups import MIGRATION_HISTORY as HISTORY
from storage.engines import chosen
from storage.engines.protocol import Engine
from storage.erasures.log import ADD, ALL, LoggedErasureModel, LogLine
from storage.errors import StatementError, Unusable
from storage.opening.history import FIRST, LAST_BEFORE
from storage.instance.state import HERE, Phase
from storage.models import MODELS, InstanceStateModel

PAGE_ROWS = 2_000
LARGE_ROWS = 20  # of a table whose rows may have megabytes
LARGE = frozenset({"import_batches", "file_pieces"})
OF_PERSON = ("events", "consent_changes", "consent_proofs")
STATE = "instance_state"
MARK = "UPDATE instance_state SET move = ?, phase = ?, other = ?, at = ? WHERE move = ? AND phase = ?"
NUL = "\0"
WITH_NUL = (
    "the table {} has a text with the character NUL, which not every database stores: "
    "replace it, then move again"
)

Sums = dict[int, tuple[int, int]]


class MovedTable(NamedTuple):
    """A table that moves. `flags` are the indexes of the boolean columns, which SQLite reads as numbers.

    `of_sites` tells whether each row has a site, which is 0 for jobs of the instance.
    """

    name: str
    columns: list[str]
    flags: list[int]
    of_sites: bool

    def typed_row(self, row: Sequence[Any]) -> list[Any]:
        """A copy of `row` in which the values of `flags` are booleans."""
        typed = list(row)
        for index in self.flags:
            typed[index] = typed[index] if typed[index] is None else bool(typed[index])
        return typed


@lru_cache
def tables() -> list[MovedTable]:
    """The tables that move, referenced ones first: all but the instance's state and the log of erasures."""
    stay = (InstanceStateModel, LoggedErasureModel)
    return [_table(vars(model)["_meta"]) for model in MODELS if model not in stay]


def _table(meta: Any) -> MovedTable:
    fields = meta.sorted_fields
    flags = [index for index, field in enumerate(fields) if isinstance(field, peewee.BooleanField)]
    of_sites = any(field.column_name == "site_id" and not field.null for field in fields)
    return MovedTable(meta.table_name, [field.column_name for field in fields], flags, of_sites)


class MoveDatabase:
    """One of the two databases of a move, connected."""

    def __init__(self, engine: Engine, opened: Any) -> None:
        self._engine, self._opened = engine, opened

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Replaces exceptions of peewee and the driver by those of storage."""
        try:
            with vars(peewee)["__exception_wrapper__"]:
                yield
        except (peewee.DatabaseError, peewee.InterfaceError, self._engine.Error) as error:
            raise self._engine.meaning(error) from error

    def _rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        return list(self._opened.execute_sql(self._engine.rewrite(sql), parameters).fetchall())

    @contextlib.contextmanager
    def _exclusive_transaction(self) -> Iterator[None]:
        """A transaction during which no other process writes."""
        with self._translate_errors(), self._engine.migration_lock(self._opened), self._opened.atomic():
            yield

    def connect(self) -> None:
        with self._translate_errors():
            self._opened.connect()

    def is_migrated(self) -> bool:
        """Whether the database has the tables of an instance."""
        with self._translate_errors():
            return STATE in self._engine.tables(self._opened)

    def newest_migration(self) -> str:
        """The name of the newest applied migration; for `LAST_BEFORE`, that of `FIRST`."""
        with self._translate_errors():
            newest = str(self._rows(f"SELECT max(name) FROM {HISTORY}")[0][0])
        return FIRST if newest == LAST_BEFORE else newest

    def phase(self) -> Phase:
        """The stored phase of a move; `HERE` if the database has no tables."""
        if not self.is_migrated():
            return HERE
        with self._translate_errors():
            [record] = self._rows("SELECT move, phase, other, at FROM instance_state")
        return Phase(*record)

    def set_phase(self, was: Phase, phase: Phase) -> bool:
        """Replaces the stored phase `was` of a move. Returns False, unchanged, if another one is stored."""
        with self._exclusive_transaction():
            cursor = self._opened.execute_sql(self._engine.rewrite(MARK), (*phase, was.move, was.name))
            return bool(self._opened.rows_affected(cursor))

    def is_empty(self) -> bool:
        """Whether the database has no table, or only tables of our migrations, all without rows."""
        with self._translate_errors():
            names = set(self._engine.tables(self._opened))
            if not names:
                return True
            used = (self._rows(f'SELECT 1 FROM "{name}" LIMIT 1') for name in names - {HISTORY, STATE})
            return HISTORY in names and not any(used)

    def count(self, table: MovedTable) -> int:
        with self._translate_errors():
            return int(self._rows(f"SELECT count(*) FROM {table.name}")[0][0])

    def key(self, table: MovedTable) -> list[str]:
        """The columns of a table's primary key, in the order in which `pages` reads them."""
        with self._translate_errors():
            key = list(self._engine.primary_key(self._opened, table.name))
        return sorted(key, key="site_id".__ne__) if self._is_by_site(table) else key

    def _is_by_site(self, table: MovedTable) -> bool:
        """Whether each statement reads one site, as others would ask all nodes."""
        with self._translate_errors():
            return table.of_sites and self._engine.is_spread(self._opened)

    def last(self, table: MovedTable, key: Sequence[str]) -> Sequence[Any] | None:
        """The highest value of the columns `key` in a table; None if it is empty."""
        order = ", ".join(f"{column} DESC" for column in key)
        with self._translate_errors():
            records = self._rows(f"SELECT {', '.join(key)} FROM {table.name} ORDER BY {order} LIMIT 1")
        return records[0] if records else None

    def pages(
        self, table: MovedTable, after: Sequence[Any] | None = None
    ) -> Generator[list[Any]]:
        """Yields the rows of a table in pages, by `key`; with `after`, only those with a higher key.

        One statement reads all pages or, where sites are spread, all pages of a site. The caller closes the
        generator.
        """
        key = self.key(table)
        if not self._is_by_site(table):
            yield from self._pages(table, key, after)
            return
        with self._translate_errors():
            sites = [0, *(id_ for (id_,) in self._rows("SELECT id FROM sites ORDER BY id"))]
        for site_id in sites:
            if after is None or site_id > after[0]:
                yield from self._pages(table, key[1:], None, site_id)
            elif site_id == after[0] and key[1:]:
                yield from self._pages(table, key[1:], after[1:], site_id)

    def _pages(
        self, table: MovedTable, key: Sequence[str], after: Sequence[Any] | None, site_id: int | None = None
    ) -> Iterator[list[Any]]:
        """Yields the rows of a table, or those of a site in it, in pages by the columns `key`."""
        limit = LARGE_ROWS if table.name in LARGE else PAGE_ROWS
        columns, order = ", ".join(table.columns), ", ".join(key)
        where, values = ["TRUE"], list[Any]()
        if site_id is not None:
            where, values = ["site_id = ?"], [site_id]
        if after:
            where.append(f"({order}) > ({', '.join('?' * len(key))})")
            values += after
        query = f"SELECT {columns} FROM {table.name} WHERE {' AND '.join(where)}"
        query = self._engine.rewrite(f"{query} ORDER BY {order}" if key else query)
        with self._translate_errors(), self._engine.stream(self._opened, query, values, limit) as rows:
            while page := list(islice(rows, limit)):
                yield page

    def add(self, table: MovedTable, rows: Sequence[Sequence[Any]]) -> None:
        """Adds rows to a table. Raises `Unusable` if a text has a NUL that this engine cannot store."""
        insert = insert_into(table.name, table.columns)
        typed = [table.typed_row(row) for row in rows] if table.flags else rows
        try:
            with self._exclusive_transaction():
                self._opened.execute_many(insert.one, typed, insert)
        except StatementError as error:
            if any(isinstance(value, str) and NUL in value for row in rows for value in row):
                raise Unusable(WITH_NUL.format(table.name)) from error
            raise

    @property
    def keeps_erasure_log(self) -> bool:
        """Whether the log of erasures is in this database."""
        return self._engine.HAS_HOSTS

    def logged_erasures(self) -> list[LogLine]:
        with self._translate_errors():
            return [LogLine(*record) for record in self._rows(ALL)]

    def log_erasures(self, erasures: Sequence[LogLine]) -> None:
        with self._exclusive_transaction():
            self._opened.execute_many(ADD.one, erasures)

    def last_id(self, table: MovedTable) -> int:
        """The highest id that a table has used; 0 without ids or rows."""
        with self._translate_errors():
            last_given = self._engine.last_id(self._opened, table.name) if "id" in table.columns else 0
            highest = self._rows(f"SELECT max(id) FROM {table.name}")[0][0] if "id" in table.columns else 0
        return max(last_given, highest or 0)

    def raise_last_id(self, table: MovedTable, number: int) -> None:
        """Makes a table's next id higher than `number`."""
        with self._exclusive_transaction():
            self._engine.put_last_id(self._opened, table.name, number)

    def settle(self) -> None:
        """Computes the statistics of the query planner."""
        with self._translate_errors():
            self._opened.execute_sql("ANALYZE")

    def sums(self, table: MovedTable, advance: Callable[[int], None]) -> Sums:
        """The (number of rows, checksum) of a table by site id, 0 for none. Comparable in one process, across
        engines.

        Calls `advance` with the number of rows of each page.
        """
        site_column = table.columns.index("site_id") if "site_id" in table.columns else None
        sums: Sums = defaultdict(lambda: (0, 0))
        with contextlib.closing(self.pages(table)) as pages:
            for page in pages:
                for row in page:
                    site_id = 0 if site_column is None else row[site_column] or 0
                    count, checksum = sums[site_id]
                    sums[site_id] = count + 1, (checksum + hash(tuple(row))) % 2**64
                advance(len(page))
        return dict(sums)

    def first_subscriber_after(self, after: int) -> list[Any]:
        """The id and row of the first subscriber after an id, then the rows of `OF_PERSON`; [] without one.
        """
        by_name = {table.name: table for table in tables()}
        subscribers = by_name["subscribers"]
        with self._translate_errors():
            own_rows = self._rows(
                f"SELECT {', '.join(subscribers.columns)} FROM subscribers WHERE id > ? ORDER BY id LIMIT 1",
                [after],
            )
            if not own_rows:
                return []
            subscriber = dict(zip(subscribers.columns, own_rows[0], strict=True))
            return [subscriber["id"], own_rows[0], *self._of_person(by_name, subscriber["id"], subscriber["site_id"])]

    def _of_person(self, by_name: dict[str, MovedTable], id_: int, site_id: int) -> Iterator[tuple[Any, ...]]:
        """Yields the rows about a subscriber in the tables `OF_PERSON`."""
        for name in OF_PERSON:
            columns = ", ".join(by_name[name].columns)
            of_person = f"subscriber_id = ? AND {self._engine.OF_SITE}"
            query = f"SELECT {columns} FROM {name} WHERE {of_person} ORDER BY id"
            yield from map(tuple, self._rows(query, [id_, site_id]))


@contextlib.contextmanager
def connected(url: str, password: str | None, timeout: float, allow_faulty: bool) -> Iterator[MoveDatabase]:
    """Yields one of the two databases of a move, connected. `timeout` is in seconds.

    With `allow_faulty`, the engine may have a known bug. Raises `Unavailable`, `Unusable`.
    """
    engine = chosen.engine_of(url)
    opened = engine.open(url, timeout, 2, allow_faulty, password)
    try:
        opened_end = MoveDatabase(engine, opened)
        opened_end.connect()
        yield opened_end
    finally:
        opened.close_all()
