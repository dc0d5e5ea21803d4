"""Addresses that subscribers have changed while imports of their site waited, by keyed hash."""

from collections.abc import Iterable

from storage.database import execute, row, rows


def note(site_id: int, address_hash: str, subscriber_id: int, number: int) -> None:
    """Notes who had an address until the transaction `number`, if rows wait that may be about them."""
    if _any_row_waits(site_id):
        execute(
            "INSERT INTO moved_addresses (site_id, address_hash, subscriber_id, number) VALUES (?, ?, ?, ?)",
            (site_id, address_hash, subscriber_id, number),
        )


def _any_row_waits(site_id: int) -> bool:
    return row("SELECT 1 FROM import_batches WHERE site_id = ? LIMIT 1", (site_id,)) is not None


def any_after(site_id: int, number: int) -> bool:
    query = "SELECT 1 FROM moved_addresses WHERE site_id = ? AND number > ? LIMIT 1"
    return row(query, (site_id, number)) is not None


def after(site_id: int, number: int, hashes: Iterable[str]) -> list[tuple[str, int]]:
    """(address hash, subscriber id) of those of some addresses that were changed after `number`."""
    wanted = set(hashes)
    query = (
        "SELECT address_hash, subscriber_id FROM moved_addresses WHERE site_id = ? AND number > ? ORDER BY id"
    )
    return [found for found in rows(query, (site_id, number)) if found[0] in wanted]


def forget(site_id: int) -> None:
    """Forgets them all, once no row waits."""
    if not _any_row_waits(site_id):
        execute("DELETE FROM moved_addresses WHERE site_id = ?", (site_id,))
