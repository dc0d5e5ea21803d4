"""Imports of files while they are received, and the rows of them that were refused."""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from storage import imports
from storage.database import execute, execute_many, row, rows
from storage.models import Import

PAGE = 1_000
RECEIVED = "WHERE site_id = ? AND id = ? AND status = 'receiving'"


class RefusedRow(NamedTuple):
    """`cells` in the order of the file's columns; whatever looks like an address is hashed."""

    row_number: int
    address_hash: str
    code: str
    message: str
    cells: list[str]


def begin(site_id: int, source: str | None, at: int, lease_until: int) -> int:
    """An import whose file is not whole yet; its id."""
    import_id: int = Import.insert(
        site=site_id, status="receiving", rows=0, created_at=at, lease_until=lease_until, source=source
    ).execute()
    return import_id


def unfinished(site_id: int, source: str) -> int | None:
    """The newest import from that source that is not done."""
    found = row(
        "SELECT id FROM imports WHERE site_id = ? AND source = ? "
        "AND status IN ('receiving', 'queued', 'running') ORDER BY id DESC LIMIT 1",
        (site_id, source),
    )
    return found[0] if found else None


def receive(site_id: int, import_id: int, rows: int, refused: int, lease_until: int) -> bool:
    """Counts rows that have come, and holds on to the import; False when it has been given up."""
    return bool(
        execute(
            f"UPDATE imports SET rows = rows + ?, refused = refused + ?, lease_until = ? {RECEIVED}",
            (rows, refused, lease_until, site_id, import_id),
        )
    )


def accept(site_id: int, import_id: int, columns: list[str], at: int) -> bool:
    """Queues an import whose file is whole, last in turn; False when it has been given up."""
    return bool(
        execute(
            "UPDATE imports SET status = 'queued', columns = ?, accepted_at = ?, turn = ?, lease_until = 0 "
            f"{RECEIVED}",
            (json.dumps(columns), at, imports.next_turn(site_id), site_id, import_id),
        )
    )


def discard(site_id: int, import_id: int) -> bool:
    """Deletes a part of an import whose file did not come whole; False once nothing of it is left."""
    for table, most in (("import_batches", PAGE // 50), ("refused_rows", PAGE)):
        chosen = f"SELECT id FROM {table} WHERE import_id = (SELECT id FROM imports {RECEIVED}) LIMIT ?"
        if execute(f"DELETE FROM {table} WHERE id IN ({chosen})", (site_id, import_id, most)):
            return True
    execute(f"DELETE FROM imports {RECEIVED}", (site_id, import_id))
    return False


def abandoned(at: int) -> list[tuple[int, int]]:
    """(site id, id) of imports that nobody receives any more."""
    return [
        (found[0], found[1])
        for found in rows(
            "SELECT site_id, id FROM imports WHERE status = 'receiving' AND lease_until < ?", (at,)
        )
    ]


def refuse(site_id: int, import_id: int, refused: Iterable[RefusedRow], at: int) -> None:
    execute_many(
        "INSERT INTO refused_rows (site_id, import_id, row_number, address_hash, code, message, cells, "
        "refused_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (site_id, import_id, each.row_number, each.address_hash, each.code, each.message,
             json.dumps(each.cells, ensure_ascii=False), at)
            for each in refused
        ),
    )  # fmt: skip


def columns(site_id: int, import_id: int) -> list[str] | None:
    """The columns of a file; None when there is no such import."""
    found = row("SELECT columns FROM imports WHERE site_id = ? AND id = ?", (site_id, import_id))
    return list(json.loads(found[0] or "[]")) if found else None


def refused_page(site_id: int, import_id: int, after: int) -> list[tuple[int, RefusedRow]]:
    """(id, row) of the next refused rows after an id."""
    return [
        (found[0], RefusedRow(found[1], found[2], found[3], found[4], json.loads(found[5])))
        for found in rows(
            "SELECT id, row_number, address_hash, code, message, cells FROM refused_rows "
            "WHERE import_id = ? AND id > ? AND site_id = ? ORDER BY id LIMIT ?",
            (import_id, after, site_id, PAGE),
        )
    ]


def forget_refused(before: int) -> int:
    """Deletes a page of rows that were refused before an instant; how many."""
    return execute(
        "DELETE FROM refused_rows WHERE id IN "
        "(SELECT id FROM refused_rows WHERE refused_at < ? ORDER BY refused_at LIMIT ?)",
        (before, PAGE),
    )


def refused_before(instant: int) -> bool:
    return row("SELECT 1 FROM refused_rows WHERE refused_at < ? LIMIT 1", (instant,)) is not None


def erase_refused(site_id: int, address_hash: str) -> None:
    execute("DELETE FROM refused_rows WHERE site_id = ? AND address_hash = ?", (site_id, address_hash))


def waiting_batches(site_id: int) -> Iterator[tuple[int, str]]:
    """(id, payload) of every batch of a site that is not written yet, one at a time."""
    after = 0
    while found := row(
        "SELECT id, payload FROM import_batches WHERE site_id = ? AND id > ? ORDER BY id LIMIT 1",
        (site_id, after),
    ):
        yield found[0], found[1]
        after = found[0]


def payload(site_id: int, batch_id: int) -> str | None:
    """What is in a batch; None once it is written."""
    found = row("SELECT payload FROM import_batches WHERE site_id = ? AND id = ?", (site_id, batch_id))
    return found[0] if found else None


def rewrite_batch(site_id: int, batch_id: int, payload: str) -> None:
    execute(
        "UPDATE import_batches SET payload = ? WHERE site_id = ? AND id = ?", (payload, site_id, batch_id)
    )
