"""Imports of files: receiving the file, and the refused rows. An import whose file
stops arriving is abandoned.

Instants are in milliseconds. `now`, and the instant until which a file may arrive, are on the clock of
leases, which all hosts share.
"""

import json
from collections.abc import Iterable
from typing import NamedTuple

from peewee import BigIntegerField, ForeignKeyField, TextField

from storage import jobs
from storage.base_models import SiteOwnedModel
from storage.database import execute, execute_many, rows, value
from storage.engines.chosen import engine
from storage.imports.imports import IMPORTS, JOB, ImportModel
from storage.records import Records
from storage.sql import rows_of

PAGE_ROWS = 1_000
RECEIVED = "WHERE site_id = ? AND id = ? AND status = 'receiving'"
IN_TIME = "AND receiving_until >= ?"  # an import that is late is abandoned: its rows may be half deleted


class RefusedRow(NamedTuple):
    """A refused row of a file. `cells` are in the order of its columns, with addresses hashed."""

    row_number: int
    address_hash: str
    code: str
    message: str
    cells: list[str]


class RefusedRowModel(SiteOwnedModel, table="refused_rows", record=RefusedRow):
    """`cells` is JSON."""

    parent = ForeignKeyField(ImportModel, column_name="import_id", on_delete="CASCADE")
    cells = TextField()
    refused_at = BigIntegerField(index=True)

    class Meta:
        indexes = ((("site", "address_hash"), False),)  # erasing


REFUSED = Records(RefusedRowModel, RefusedRow)


def begin(site_id: int, source: str | None, at: int, until: int) -> int:
    """Creates an import whose file may arrive until the instant `until`. Returns its id."""
    return IMPORTS.add(
        site=site_id, status="receiving", rows=0, created_at=at, receiving_until=until, source=source
    )


def unfinished_id(site_id: int, source: str, now: int) -> int | None:
    """The id of the newest unfinished import from a source; None if there is none.

    An import whose file stopped arriving does not count.
    """
    return value(
        "SELECT id FROM imports WHERE site_id = ? AND source = ? AND (status IN ('queued', 'running') "
        "OR status = 'receiving' AND receiving_until >= ?) ORDER BY id DESC LIMIT 1",
        (site_id, source, now),
        None,
    )


def newest_ended_id(site_id: int, source: str) -> int | None:
    """The id of the newest finished or failed import from a source; None if there is none."""
    return value(
        "SELECT id FROM imports WHERE site_id = ? AND source = ? AND status IN ('finished', 'failed') "
        "ORDER BY id DESC LIMIT 1",
        (site_id, source),
        None,
    )


def receive(site_id: int, import_id: int, rows: int, refused: int, now: int, until: int) -> bool:
    """Counts received rows and waits for more until `until`. Returns False if the import was abandoned."""
    return bool(
        execute(
            f"UPDATE imports SET rows = rows + ?, refused = refused + ?, receiving_until = ? "
            f"{RECEIVED} {IN_TIME}",
            (rows, refused, until, site_id, import_id, now),
        )
    )


def accept(site_id: int, import_id: int, columns: list[str], at: int, now: int, number: int) -> bool:
    """Queues an import whose file has arrived. Returns False if it was abandoned or discarded."""
    queued = execute(
        f"UPDATE imports SET status = 'queued', columns = ?, accepted_at = ?, turn = ? {RECEIVED} {IN_TIME}",
        (json.dumps(columns), at, number, site_id, import_id, now),
    )
    if queued:
        jobs.add(site_id, JOB, import_id, number)
    return bool(queued)


def discard(site_id: int, import_id: int) -> bool:
    """Deletes some rows of an import whose file is incomplete or, if no row is left, the import.

    Returns True if rows were deleted: call it again.
    """
    for table, limit in (("import_batches", PAGE_ROWS // 50), ("refused_rows", PAGE_ROWS)):
        of_import = f"site_id = ? AND import_id = (SELECT id FROM imports {RECEIVED})"
        chosen = f"SELECT id FROM {table} WHERE {of_import} LIMIT ?"
        delete = f"DELETE FROM {table} WHERE site_id = ? AND id IN ({chosen})"
        if execute(delete, (site_id, site_id, site_id, import_id, limit)):
            return True
    execute(f"DELETE FROM imports {RECEIVED}", (site_id, import_id))
    return False


def list_abandoned(now: int, site_id: int | None = None) -> list[tuple[int, int]]:
    """The (site id, import id) of imports, of one site or of all, whose file stopped arriving."""
    of = rows_of(site_id)
    query = (
        f"SELECT site_id, id FROM imports WHERE {of.text} AND status = 'receiving' AND receiving_until < ?"
    )
    return rows(query, (*of.parameters, now))


def add_refused(site_id: int, import_id: int, refused: Iterable[RefusedRow], at: int) -> None:
    """Adds refused rows of a file to those that can be downloaded."""
    execute_many(
        f"INSERT INTO refused_rows (site_id, import_id, refused_at, {REFUSED.columns}) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (site_id, import_id, at, row.row_number, row.address_hash, row.code, row.message,
             json.dumps(row.cells, ensure_ascii=False))
            for row in refused
        ),
    )  # fmt: skip


def columns(site_id: int, import_id: int) -> list[str] | None:
    """The columns of an import's file, empty if it has no file; None without such an import."""
    query = "SELECT coalesce(columns, '[]') FROM imports WHERE site_id = ? AND id = ?"
    names: str | None = value(query, (site_id, import_id), None)
    return None if names is None else list(json.loads(names))


def refused_page(site_id: int, import_id: int, after: int) -> list[tuple[int, RefusedRow]]:
    """The (id, row) of the next `PAGE_ROWS` refused rows of an import, after the id `after`."""
    records = rows(
        f"SELECT id, {REFUSED.columns} FROM refused_rows "
        "WHERE import_id = ? AND id > ? AND site_id = ? ORDER BY id LIMIT ?",
        (import_id, after, site_id, PAGE_ROWS),
    )
    return [
        (row_id, RefusedRow(number, address_hash, code, message, json.loads(cells)))
        for row_id, number, address_hash, code, message, cells in records
    ]


def refused_by_code(site_id: int, import_id: int) -> list[tuple[str, int]]:
    """The (code, number of rows) of an import's refused rows, the most common first."""
    return rows(
        f"SELECT code, count(*) FROM refused_rows WHERE import_id = ? AND {engine.OF_SITE} "
        "GROUP BY code ORDER BY 2 DESC, 1",
        (import_id, site_id),
    )


def forget_refused(site_id: int, before: int) -> int:
    """Deletes up to `PAGE_ROWS` of a site's rows that were refused before an instant. Returns how many."""
    return execute(
        "DELETE FROM refused_rows WHERE site_id = ? AND id IN (SELECT id FROM refused_rows "
        f"WHERE {engine.OF_SITE} AND refused_at < ? ORDER BY refused_at LIMIT ?)",
        (site_id, site_id, before, PAGE_ROWS),
    )


def site_with_refused(instant: int) -> int | None:
    """The id of the site with the oldest refused row; None if no row was refused before `instant`."""
    query = "SELECT site_id FROM refused_rows WHERE refused_at < ? ORDER BY refused_at LIMIT 1"
    return value(query, (instant,), None)


def erase_refused(site_id: int, hashes: Iterable[str]) -> None:
    execute_many(
        "DELETE FROM refused_rows WHERE site_id = ? AND address_hash = ?",
        [(site_id, address_hash) for address_hash in hashes],
    )


def put_dates(site_id: int, import_id: int, begun: int, finished: int) -> None:
    """Moves a finished import in time, to other instants of its beginning and its end."""
    dates = {"created_at": begun, "accepted_at": begun, "started_at": begun, "finished_at": finished}
    IMPORTS.change(dates, site_id=site_id, id=import_id)
