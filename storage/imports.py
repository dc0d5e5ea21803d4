"""The inbox: accepted imports, their batches and claims. Instants are in milliseconds, those of leases,
`now`, since the machine started, which nobody sets."""

from collections.abc import Iterator
from typing import NamedTuple

from storage.database import execute, row, rows
from storage.models import ImportModel

COLUMNS = (
    "id, status, rows, applied, refused, created, updated, unchanged, suppressed, "
    "created_at, started_at, finished_at"
)
WAITING = "status IN ('queued', 'running')"  # the condition of the partial index
MAX_LEASE_MS = 60_000  # one that ends later was given before the machine started
HELD = f"lease_until BETWEEN ? AND ? + {MAX_LEASE_MS}"


class Import(NamedTuple):
    """`applied` of the accepted `rows` are written; `refused` rows are not among them."""

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
    failures: int
    accepted_at: int
    number: int


class Failed(NamedTuple):
    """A failed import; the batches that it did not apply are kept."""

    id: int
    site_uuid: str
    rows: int
    applied: int
    finished_at: int


class Waiting(NamedTuple):
    """Unfinished imports, their rows to write, the creation of the oldest queued one in milliseconds."""

    imports: int
    rows: int
    oldest_at: int | None


class ImportBatch(NamedTuple):
    """Rows of an import, from `first_row` on; `payload` is a JSON array."""

    id: int
    first_row: int
    payload: str


def failed() -> list[Failed]:
    """The failed imports of all sites, oldest first."""
    records = rows(
        "SELECT i.id, s.uuid, i.rows, i.applied, i.finished_at FROM imports i "
        "JOIN sites s ON s.id = i.site_id WHERE i.status = 'failed' ORDER BY i.id"
    )
    return [Failed(*record) for record in records]


def waiting() -> Waiting:
    """The unfinished imports of all sites."""
    return Waiting(
        *row(
            "SELECT COUNT(*), CAST(COALESCE(SUM(rows - applied), 0) AS bigint), "
            f"MIN(CASE status WHEN 'queued' THEN created_at END) FROM imports WHERE {WAITING}"
        )
    )


def abandoned(now: int) -> int:
    """The number of running imports whose lease has expired."""
    query = f"SELECT count(*) FROM imports WHERE {WAITING} AND status = 'running' AND NOT {HELD}"
    return int(row(query, (now, now))[0])


def retry(import_id: int) -> bool:
    """Queues a failed import again; False if there is none with this id."""
    changed = execute(
        "UPDATE imports SET status = 'queued', attempts = 0, lease_until = 0, finished_at = NULL "
        "WHERE id = ? AND status = 'failed'",
        (import_id,),
    )
    return bool(changed)


def add(site_id: int, accepted: int, refused: int, at: int, number: int) -> int:
    """Queues an import with its number of acceptance, the newest of its site; returns its id."""
    import_id: int = ImportModel.insert(
        site=site_id,
        status="queued",
        rows=accepted,
        refused=refused,
        created_at=at,
        accepted_at=at,
        turn=number,
    ).execute()
    return import_id


def add_batch(site_id: int, import_id: int, first_row: int, payload: str) -> None:
    execute(
        "INSERT INTO import_batches (site_id, import_id, first_row, payload) VALUES (?, ?, ?, ?)",
        (site_id, import_id, first_row, payload),
    )


def batch(site_id: int, import_id: int, row_number: int) -> ImportBatch:
    """The batch with that row of an import."""
    record = row(
        "SELECT id, first_row, payload FROM import_batches "
        "WHERE site_id = ? AND import_id = ? AND first_row <= ? ORDER BY first_row DESC LIMIT 1",
        (site_id, import_id, row_number),
    )
    return ImportBatch(*record)


def waiting_batches(site_id: int) -> Iterator[tuple[int, str]]:
    """(id, payload) of the batches of a site that are not applied yet, one at a time."""
    after = 0
    while record := row(
        "SELECT id, payload FROM import_batches WHERE site_id = ? AND id > ? ORDER BY id LIMIT 1",
        (site_id, after),
    ):
        yield record[0], record[1]
        after = record[0]


def payload(site_id: int, batch_id: int) -> str | None:
    """The rows of a batch; None once it is applied."""
    record = row("SELECT payload FROM import_batches WHERE site_id = ? AND id = ?", (site_id, batch_id))
    return record[0] if record else None


def rewrite_batch(site_id: int, batch_id: int, payload: str) -> None:
    execute(
        "UPDATE import_batches SET payload = ? WHERE site_id = ? AND id = ?", (payload, site_id, batch_id)
    )


def drop_batch(site_id: int, batch_id: int) -> None:
    execute("DELETE FROM import_batches WHERE site_id = ? AND id = ?", (site_id, batch_id))


def get(site_id: int, import_id: int) -> Import | None:
    record = row(f"SELECT {COLUMNS} FROM imports WHERE site_id = ? AND id = ?", (site_id, import_id))
    return record and Import(*record)


def newest(site_id: int, limit: int, before: int = 2**62) -> list[Import]:
    """The newest whose id is below `before`."""
    query = f"SELECT {COLUMNS} FROM imports WHERE site_id = ? AND id < ? ORDER BY id DESC LIMIT ?"
    return [Import(*record) for record in rows(query, (site_id, before, limit))]


def oldest_waiting(site_id: int) -> int | None:
    """The id of the import whose turn it is."""
    record = row(f"SELECT id FROM imports WHERE site_id = ? AND {WAITING} ORDER BY turn LIMIT 1", (site_id,))
    return record[0] if record else None


def takeable_sites(now: int) -> list[int]:
    """The ids of sites with a waiting import that no lease holds."""
    records = rows(f"SELECT DISTINCT site_id FROM imports WHERE {WAITING} AND NOT {HELD}", (now, now))
    return [site_id for (site_id,) in records]


def claim(site_id: int, import_id: int, token: str, at: int, now: int, lease_ms: int) -> Claimed | None:
    """Takes an import that no lease holds; None if another worker holds it, or if it is finished.

    `at` is the instant by the clock, at most `MAX_LEASE_MS` the lease.
    """
    taken = rows(
        "UPDATE imports SET status = 'running', claim = ?, lease_until = ?, "
        "started_at = COALESCE(started_at, ?) "
        f"WHERE site_id = ? AND id = ? AND {WAITING} AND NOT {HELD} "
        "RETURNING id, rows, applied, attempts, accepted_at, turn",
        (token, now + lease_ms, at, site_id, import_id, now, now),
    )
    return Claimed(*taken[0]) if taken else None


def advance(
    site_id: int,
    import_id: int,
    token: str,
    applied: int,
    counts: tuple[int, int, int, int, int],
    lease_until: int,
) -> bool:
    """Adds (rows, created, updated, unchanged, suppressed) to an import that is at `applied`.

    False if the claim is lost, or another worker has moved the import: the caller must roll back.
    """
    changed = execute(
        "UPDATE imports SET applied = applied + ?, created = created + ?, updated = updated + ?, "
        "unchanged = unchanged + ?, suppressed = suppressed + ?, lease_until = ?, attempts = 0 "
        "WHERE site_id = ? AND id = ? AND claim = ? AND applied = ? AND status = 'running'",
        (*counts, lease_until, site_id, import_id, token, applied),
    )
    return bool(changed)


def finish(site_id: int, import_id: int, at: int) -> Import:
    """Marks an import as finished; the caller has applied all rows."""
    return _end(site_id, import_id, "finished", at)


def fail(site_id: int, import_id: int, at: int) -> Import:
    """Marks an import as failed; its remaining batches are kept."""
    return _end(site_id, import_id, "failed", at)


def _end(site_id: int, import_id: int, status: str, at: int) -> Import:
    [ended] = rows(
        "UPDATE imports SET status = ?, claim = NULL, finished_at = ? "
        f"WHERE site_id = ? AND id = ? RETURNING {COLUMNS}",
        (status, at, site_id, import_id),
    )
    return Import(*ended)


def release(site_id: int, import_id: int, token: str, not_before: int, failed: bool) -> bool:
    """Releases a claim; the import can be claimed after `not_before`. Counts an attempt that failed.
    False if the claim is lost."""
    released = execute(
        "UPDATE imports SET status = 'queued', claim = NULL, lease_until = ?, attempts = attempts + ? "
        "WHERE site_id = ? AND id = ? AND claim = ?",
        (not_before, int(failed), site_id, import_id, token),
    )
    return bool(released)
