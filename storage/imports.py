"""The inbox: accepted imports, and who is applying them."""

from typing import NamedTuple

from storage.database import execute, row, rows
from storage.models import Import

COLUMNS = (
    "id, status, rows, applied, refused, created, updated, unchanged, suppressed, "
    "created_at, started_at, finished_at"
)
WAITING = "status IN ('queued', 'running')"  # as the partial index has it


class ImportRow(NamedTuple):
    """`rows` were accepted, `applied` of them are written; `refused` never were accepted."""

    id: int
    status: str
    rows: int
    applied: int
    refused: int
    created: int
    updated: int
    unchanged: int
    suppressed: int
    created_at: int
    started_at: int | None
    finished_at: int | None


class Claimed(NamedTuple):
    id: int
    rows: int
    applied: int
    attempts: int
    accepted_at: int


class Failed(NamedTuple):
    """An import that was given up; its payload is still there."""

    id: int
    site_uuid: str
    rows: int
    applied: int
    finished_at: int


class Batch(NamedTuple):
    """Rows of an import (a JSON array), from `first_row` on."""

    id: int
    first_row: int
    payload: str


def failed() -> list[Failed]:
    """Those of all sites, oldest first."""
    return [
        Failed(*found)
        for found in rows(
            "SELECT i.id, s.uuid, i.rows, i.applied, i.finished_at FROM imports i "
            "JOIN sites s ON s.id = i.site_id WHERE i.status = 'failed' ORDER BY i.id"
        )
    ]


def abandoned(at: int) -> int:
    """How many are running under a lease that has run out."""
    return int(row("SELECT count(*) FROM imports WHERE status = 'running' AND lease_until < ?", (at,))[0])


def retry(import_id: int) -> bool:
    """Puts a failed import back into the queue; False when there is no such."""
    return bool(
        execute(
            "UPDATE imports SET status = 'queued', attempts = 0, lease_until = 0, finished_at = NULL "
            "WHERE id = ? AND status = 'failed'",
            (import_id,),
        )
    )


def add(site_id: int, accepted: int, refused: int, at: int) -> int:
    """A queued import, last in turn; its id."""
    import_id: int = Import.insert(
        site=site_id,
        status="queued",
        rows=accepted,
        refused=refused,
        created_at=at,
        accepted_at=at,
        turn=next_turn(site_id),
    ).execute()
    return import_id


def next_turn(site_id: int) -> int:
    """The place behind all that wait."""
    [last] = row(f"SELECT COALESCE(MAX(turn), 0) FROM imports WHERE site_id = ? AND {WAITING}", (site_id,))
    return int(last) + 1


def add_batch(site_id: int, import_id: int, first_row: int, payload: str) -> None:
    execute(
        "INSERT INTO import_batches (site_id, import_id, first_row, payload) VALUES (?, ?, ?, ?)",
        (site_id, import_id, first_row, payload),
    )


def batch(site_id: int, import_id: int, number: int) -> Batch:
    """The batch that has that row of an import."""
    return Batch(
        *row(
            "SELECT id, first_row, payload FROM import_batches "
            "WHERE site_id = ? AND import_id = ? AND first_row <= ? ORDER BY first_row DESC LIMIT 1",
            (site_id, import_id, number),
        )
    )


def drop_batch(site_id: int, batch_id: int) -> None:
    execute("DELETE FROM import_batches WHERE site_id = ? AND id = ?", (site_id, batch_id))


def by_id(site_id: int, import_id: int) -> ImportRow | None:
    found = row(f"SELECT {COLUMNS} FROM imports WHERE site_id = ? AND id = ?", (site_id, import_id))
    return found and ImportRow(*found)


def newest(site_id: int, limit: int) -> list[ImportRow]:
    return [
        ImportRow(*found)
        for found in rows(
            f"SELECT {COLUMNS} FROM imports WHERE site_id = ? ORDER BY id DESC LIMIT ?",
            (site_id, limit),
        )
    ]


def oldest_waiting(site_id: int) -> int | None:
    """The import whose turn it is."""
    found = row(f"SELECT id FROM imports WHERE site_id = ? AND {WAITING} ORDER BY turn LIMIT 1", (site_id,))
    return found[0] if found else None


def takeable_sites(at: int) -> list[int]:
    """Sites with a waiting import that nobody holds a lease on."""
    return [
        found[0]
        for found in rows(
            f"SELECT DISTINCT site_id FROM imports WHERE {WAITING} AND lease_until < ?",
            (at,),
        )
    ]


def claim(site_id: int, import_id: int, token: str, at: int, lease_until: int) -> Claimed | None:
    """Takes an import whose lease has run out; None when it is somebody else's or finished."""
    taken = execute(
        "UPDATE imports SET status = 'running', claim = ?, lease_until = ?, attempts = attempts + 1, "
        "started_at = COALESCE(started_at, ?) "
        f"WHERE site_id = ? AND id = ? AND {WAITING} AND lease_until < ?",
        (token, lease_until, at, site_id, import_id, at),
    )
    if not taken:
        return None
    found = row(
        "SELECT id, rows, applied, attempts, accepted_at FROM imports WHERE site_id = ? AND id = ?",
        (site_id, import_id),
    )
    return found and Claimed(*found)


def advance(
    site_id: int,
    import_id: int,
    token: str,
    applied: int,
    counts: tuple[int, int, int, int, int],
    lease_until: int,
) -> bool:
    """Moves an import from `applied`, by (rows, created, updated, unchanged, suppressed).

    False when the claim is no longer held or somebody else has moved it: the caller must roll back.
    """
    return bool(
        execute(
            "UPDATE imports SET applied = applied + ?, created = created + ?, updated = updated + ?, "
            "unchanged = unchanged + ?, suppressed = suppressed + ?, lease_until = ?, attempts = 1 "
            "WHERE site_id = ? AND id = ? AND claim = ? AND applied = ? AND status = 'running'",
            (*counts, lease_until, site_id, import_id, token, applied),
        )
    )


def finish(site_id: int, import_id: int, at: int) -> None:
    """Ends an import whose rows are all applied."""
    execute(
        "UPDATE imports SET status = 'finished', claim = NULL, finished_at = ?, "
        "started_at = COALESCE(started_at, ?) WHERE site_id = ? AND id = ?",
        (at, at, site_id, import_id),
    )


def fail(site_id: int, import_id: int, token: str, at: int) -> None:
    """Gives an import up; what is left of it stays."""
    execute(
        "UPDATE imports SET status = 'failed', claim = NULL, finished_at = ? "
        "WHERE site_id = ? AND id = ? AND claim = ?",
        (at, site_id, import_id, token),
    )


def release(site_id: int, import_id: int, token: str, not_before: int, forgive: bool) -> None:
    """Hands an import back, to be taken again after `not_before`; forgiven, the attempt does not count."""
    execute(
        "UPDATE imports SET status = 'queued', claim = NULL, lease_until = ?, attempts = attempts - ? "
        "WHERE site_id = ? AND id = ? AND claim = ?",
        (not_before, int(forgive), site_id, import_id, token),
    )
