"""What waits for its turn on a site: imports and undos, in one order of acceptance, and who has claimed it.

Instants are in milliseconds, those of leases, `now`, since the machine started, which nobody sets.
"""

from typing import NamedTuple

from storage.database import execute, row, rows

IMPORTS, UNDOS = TABLES = ("imports", "undos")
WAITING = "status IN ('queued', 'running')"  # the condition of the partial indexes
MAX_LEASE_MS = 60_000  # one that ends later was given before the machine started
LEASE_MS = 10_000
HELD = f"lease_until BETWEEN ? AND ? + {MAX_LEASE_MS}"


class ClaimLost(Exception):
    """Another worker has claimed it, or it was stopped: the transaction must be rolled back."""


class Claimed(NamedTuple):
    """`applied` of the `rows` of an import, or of the entries of what an undo takes back, are done."""

    table: str
    id: int
    rows: int
    applied: int
    failures: int
    accepted_at: int
    number: int


def oldest(site_id: int) -> tuple[str, int] | None:
    """(table, id) of what has its turn."""
    waiting = []
    for table in TABLES:
        query = f"SELECT turn, id FROM {table} WHERE site_id = ? AND {WAITING} ORDER BY turn LIMIT 1"
        waiting += [(turn, table, each) for turn, each in rows(query, (site_id,))]
    return min(waiting)[1:] if waiting else None


def takeable_sites(now: int) -> list[int]:
    """The ids of sites where something waits that no lease holds."""
    found: set[int] = set()
    for table in TABLES:
        query = f"SELECT DISTINCT site_id FROM {table} WHERE {WAITING} AND NOT {HELD}"
        found.update(site_id for (site_id,) in rows(query, (now, now)))
    return sorted(found)


def abandoned(now: int) -> int:
    """The number of those running whose lease has expired."""
    queries = (
        f"SELECT count(*) FROM {table} WHERE {WAITING} AND status = 'running' AND NOT {HELD}"
        for table in TABLES
    )
    return sum(int(row(query, (now, now))[0]) for query in queries)


def claim(
    site_id: int, waiting: tuple[str, int], token: str, at: int, now: int, lease_ms: int
) -> Claimed | None:
    """Takes what no lease holds, as (table, id); None if another worker holds it, or if it is finished.

    `at` is the instant by the clock, at most `MAX_LEASE_MS` the lease.
    """
    table, each = waiting
    taken = rows(
        f"UPDATE {table} SET status = 'running', claim = ?, lease_until = ?, "
        "started_at = COALESCE(started_at, ?) "
        f"WHERE site_id = ? AND id = ? AND {WAITING} AND NOT {HELD} "
        "RETURNING id, rows, applied, attempts, accepted_at, turn",
        (token, now + lease_ms, at, site_id, each, now, now),
    )
    return Claimed(table, *taken[0]) if taken else None


def release(site_id: int, claimed: Claimed, token: str, not_before: int, failed: bool) -> bool:
    """Releases a claim; it can be claimed again after `not_before`. Counts an attempt that failed.
    False if the claim is lost."""
    released = execute(
        f"UPDATE {claimed.table} SET status = 'queued', claim = NULL, lease_until = ?, "
        "attempts = attempts + ? WHERE site_id = ? AND id = ? AND claim = ?",
        (not_before, int(failed), site_id, claimed.id, token),
    )
    return bool(released)
