"""Whether the database answers, and what waits in it."""

from typing import NamedTuple

from storage.database import row
from storage.imports import WAITING


class Waiting(NamedTuple):
    """Imports that are not finished, their rows to write, and when the oldest that nobody has begun came."""

    imports: int
    rows: int
    oldest_at: int | None


def answers() -> bool:
    return bool(row("SELECT 1") == (1,))


def waiting() -> Waiting:
    return Waiting(
        *row(
            "SELECT COUNT(*), COALESCE(SUM(rows - applied), 0), "
            "MIN(CASE status WHEN 'queued' THEN created_at END) "
            f"FROM imports WHERE {WAITING}"
        )
    )
