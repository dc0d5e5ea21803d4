"""Webhooks. Instants are in milliseconds; those of leases and retries go by the clock of leases."""

from typing import NamedTuple

from storage.database import execute, marks, row, rows
from storage.instance_state import HERE

SAVED = (
    "url, kinds, segment_id, paused, nonce, place, created_at, updated_at, old_nonce, old_nonce_until, run, "
    "range_end, resets, failures, retry_at, lease_until"
)
COLUMNS = f"id, {SAVED}"
OPERATOR, GONE, FAILING, RESTORED = "operator", "gone", "failing", "restored"  # why one is paused
LEASE_MS = 30_000
MAX_LEASE_MS = 2 * LEASE_MS  # ends later: of an earlier start. Some read the clock before it is given
MAX_WAIT_MS = 3_600_000  # of a retry
AS_CLAIMED = "run = ? AND lease_until = ?"
IS_DUE = (
    "w.paused = '' AND (w.resets = 1 OR w.place <> c.changes) "
    f"AND w.lease_until NOT BETWEEN ? + 1 AND ? + {MAX_LEASE_MS} "
    f"AND w.retry_at NOT BETWEEN ? + 1 AND ? + {MAX_WAIT_MS}"
)


class Webhook(NamedTuple):
    """Changes up to `place` are delivered; `range_end` is that of the delivery under way, 0 without one.

    If it `resets`, that delivery says that the changes after its place are no longer kept. `kinds` is JSON,
    `paused` says why, or is empty.
    """

    id: int
    url: str
    kinds: str
    segment_id: int | None
    paused: str
    nonce: str
    place: int
    created_at: int
    updated_at: int
    old_nonce: str = ""
    old_nonce_until: int = 0
    run: int = 1
    range_end: int = 0
    resets: int = 0
    failures: int = 0
    retry_at: int = 0
    lease_until: int = 0


def list_all(site_id: int) -> list[Webhook]:
    """Oldest first."""
    records = rows(f"SELECT {COLUMNS} FROM webhooks WHERE site_id = ? ORDER BY id", (site_id,))
    return [Webhook(*record) for record in records]


def get(site_id: int, webhook_id: int) -> Webhook | None:
    record = row(f"SELECT {COLUMNS} FROM webhooks WHERE site_id = ? AND id = ?", (site_id, webhook_id))
    return record and Webhook(*record)


def add(site_id: int, webhook: Webhook) -> int:
    values = (site_id, *webhook[1:])
    sql = f"INSERT INTO webhooks (site_id, {SAVED}) VALUES ({marks(values)}) RETURNING id"
    return int(row(sql, values)[0])


def change(site_id: int, webhook: Webhook) -> None:
    """Overwrites what is asked for, and lets the next try be made at once."""
    execute(
        "UPDATE webhooks SET url = ?, kinds = ?, segment_id = ?, paused = ?, failures = 0, retry_at = 0, "
        "updated_at = ? WHERE site_id = ? AND id = ?",
        (webhook.url, webhook.kinds, webhook.segment_id, webhook.paused, webhook.updated_at,
         site_id, webhook.id),
    )  # fmt: skip


def put_nonce(site_id: int, webhook: Webhook, nonce: str, old_until: int) -> None:
    """Puts a new nonce; the present one is good until an instant."""
    execute(
        "UPDATE webhooks SET nonce = ?, old_nonce = nonce, old_nonce_until = ? WHERE site_id = ? AND id = ?",
        (nonce, old_until, site_id, webhook.id),
    )


def begin_run(site_id: int, webhook_id: int, place: int) -> None:
    """Lets a webhook go on after another place, under a new name; a try under way moves it no more."""
    execute(
        "UPDATE webhooks SET place = ?, run = run + 1, range_end = 0, resets = 0, failures = 0, retry_at = 0 "
        "WHERE site_id = ? AND id = ?",
        (place, site_id, webhook_id),
    )


def delete(site_id: int, webhook_id: int) -> None:
    execute("DELETE FROM webhooks WHERE site_id = ? AND id = ?", (site_id, webhook_id))


def uses_segment(site_id: int, segment_id: int) -> bool:
    sql = "SELECT 1 FROM webhooks WHERE site_id = ? AND segment_id = ? LIMIT 1"
    return row(sql, (site_id, segment_id)) is not None


def has_active(site_id: int) -> bool:
    """Whether a webhook of a site is not paused."""
    return row("SELECT 1 FROM webhooks WHERE site_id = ? AND paused = '' LIMIT 1", (site_id,)) is not None


def pause_all(site_id: int, why: str) -> int:
    """Pauses those of a site that are not; returns how many."""
    return execute("UPDATE webhooks SET paused = ? WHERE site_id = ? AND paused = ''", (why, site_id))


def paused_by_themselves() -> list[tuple[str, int]]:
    """(why, how many) of those that no operator paused, of all sites."""
    return rows(
        f"SELECT paused, count(*) FROM webhooks WHERE paused NOT IN ('', '{OPERATOR}') "
        "GROUP BY paused ORDER BY paused"
    )


def most_behind() -> int:
    """The most changes that one which is not paused has yet to deliver, of all sites; for all that are no
    longer kept, one reset."""
    found = row(
        "SELECT max(CASE WHEN w.place BETWEEN c.oldest_change - 1 AND c.changes "
        "THEN c.changes - w.place + w.resets ELSE 1 END) "
        "FROM webhooks w JOIN site_counters c ON c.site_id = w.site_id WHERE w.paused = ''"
    )
    return found[0] or 0


def due(now: int, limit: int) -> list[tuple[int, int, int]]:
    """(site id, id, lease) of those with changes to deliver, the longest unserved first; none during a move.

    `now` is the instant that leases go by.
    """
    return rows(
        "SELECT w.site_id, w.id, w.lease_until FROM webhooks w "
        f"JOIN site_counters c ON c.site_id = w.site_id WHERE {IS_DUE} "
        f"AND EXISTS (SELECT 1 FROM instance_state WHERE phase = '{HERE.name}') "
        "ORDER BY w.lease_until, w.id LIMIT ?",
        (now, now, now, now, limit),
    )


def claim(site_id: int, webhook_id: int, lease: int, until: int) -> Webhook | None:
    """A webhook under a new lease; None if somebody else has it, or it is paused or gone."""
    claimed = execute(
        "UPDATE webhooks SET lease_until = ? "
        "WHERE site_id = ? AND id = ? AND lease_until = ? AND paused = ''",
        (until, site_id, webhook_id, lease),
    )
    return get(site_id, webhook_id) if claimed else None


def fix_range(site_id: int, webhook: Webhook) -> bool:
    """Keeps the range of the next delivery until it succeeds; False if a new run has begun."""
    return _settle(site_id, webhook, "place = ?, range_end = ?, resets = ?",
                   webhook.place, webhook.range_end, webhook.resets)  # fmt: skip


def succeed(site_id: int, webhook: Webhook) -> bool:
    """Moves the place behind the range; False if a new run has begun."""
    return _settle(site_id, webhook, "place = ?, range_end = 0, resets = 0, failures = 0, retry_at = 0",
                   webhook.range_end)  # fmt: skip


def fail(site_id: int, webhook: Webhook, failures: int, retry_at: int, paused: str) -> bool:
    """Notes a failed try; False if a new run has begun, or the webhook was changed meanwhile."""
    changed = execute(
        "UPDATE webhooks SET failures = ?, retry_at = ?, "
        "paused = CASE WHEN paused = '' THEN ? ELSE paused END "
        f"WHERE site_id = ? AND id = ? AND {AS_CLAIMED} AND updated_at = ?",
        (failures, retry_at, paused, site_id, webhook.id, webhook.run, webhook.lease_until,
         webhook.updated_at),
    )  # fmt: skip
    return bool(changed)


def _settle(site_id: int, webhook: Webhook, assigned: str, *values: int | str) -> bool:
    """Writes what its claim has found, if it still holds."""
    return bool(
        execute(
            f"UPDATE webhooks SET {assigned} WHERE site_id = ? AND id = ? AND {AS_CLAIMED}",
            (*values, site_id, webhook.id, webhook.run, webhook.lease_until),
        )
    )


def release(site_id: int, webhook: Webhook, now: int) -> None:
    """Ends a lease; others wait before it."""
    execute(
        "UPDATE webhooks SET lease_until = ? WHERE site_id = ? AND id = ? AND lease_until = ?",
        (now, site_id, webhook.id, webhook.lease_until),
    )
