"""Webhooks. Instants are in milliseconds."""

from typing import NamedTuple

from storage.database import execute, marks, row, rows

JOB = "webhook"  # of one that is not paused
SAVED = (
    "url, kinds, segment_id, paused, nonce, place, created_at, updated_at, old_nonce, old_nonce_until, run, "
    "range_end, resets, failures"
)
COLUMNS = f"id, {SAVED}"
OPERATOR, GONE, FAILING, RESTORED = "operator", "gone", "failing", "restored"  # why one is paused


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
    """Overwrites what is asked for."""
    execute(
        "UPDATE webhooks SET url = ?, kinds = ?, segment_id = ?, paused = ?, failures = 0, updated_at = ? "
        "WHERE site_id = ? AND id = ?",
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
        "UPDATE webhooks SET place = ?, run = run + 1, range_end = 0, resets = 0, failures = 0 "
        "WHERE site_id = ? AND id = ?",
        (place, site_id, webhook_id),
    )


def delete(site_id: int, webhook_id: int) -> None:
    execute("DELETE FROM webhooks WHERE site_id = ? AND id = ?", (site_id, webhook_id))


def uses_segment(site_id: int, segment_id: int) -> bool:
    sql = "SELECT 1 FROM webhooks WHERE site_id = ? AND segment_id = ? LIMIT 1"
    return row(sql, (site_id, segment_id)) is not None


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


def fix_range(site_id: int, webhook: Webhook) -> bool:
    """Keeps the range of the next delivery until it succeeds; False if a new run has begun."""
    return _settle(site_id, webhook, "place = ?, range_end = ?, resets = ?",
                   webhook.place, webhook.range_end, webhook.resets)  # fmt: skip


def succeed(site_id: int, webhook: Webhook) -> bool:
    """Moves the place behind the range; False if a new run has begun."""
    return _settle(site_id, webhook, "place = ?, range_end = 0, resets = 0, failures = 0", webhook.range_end)


def fail(site_id: int, webhook: Webhook, failures: int, paused: str) -> bool:
    """Notes a failed try; False if a new run has begun, or the webhook was changed meanwhile."""
    changed = execute(
        "UPDATE webhooks SET failures = ?, paused = CASE WHEN paused = '' THEN ? ELSE paused END "
        "WHERE site_id = ? AND id = ? AND run = ? AND updated_at = ?",
        (failures, paused, site_id, webhook.id, webhook.run, webhook.updated_at),
    )
    return bool(changed)


def _settle(site_id: int, webhook: Webhook, assigned: str, *values: int | str) -> bool:
    return bool(
        execute(
            f"UPDATE webhooks SET {assigned} WHERE site_id = ? AND id = ? AND run = ?",
            (*values, site_id, webhook.id, webhook.run),
        )
    )
