"""Addresses that subscribers have left or come to while imports of their site waited, by keyed hash."""

from collections.abc import Collection
from typing import NamedTuple

from storage.database import execute, row, rows


class MovedAddress(NamedTuple):
    """`came` if the subscriber came to the address, else they left it, in the transaction `number`."""

    address_hash: str
    subscriber_id: int
    came: bool


def note(site_id: int, old_hash: str, new_hash: str, subscriber_id: int, number: int) -> None:
    """Notes a move in the transaction `number`, if rows wait that may be about its addresses."""
    if _any_row_waits(site_id):
        for address_hash, came in ((old_hash, 0), (new_hash, 1)):
            execute(
                "INSERT INTO moved_addresses (site_id, address_hash, subscriber_id, number, came) "
                "VALUES (?, ?, ?, ?, ?)",
                (site_id, address_hash, subscriber_id, number, came),
            )


def _any_row_waits(site_id: int) -> bool:
    return row("SELECT 1 FROM import_batches WHERE site_id = ? LIMIT 1", (site_id,)) is not None


def any_after(site_id: int, number: int) -> bool:
    query = "SELECT 1 FROM moved_addresses WHERE site_id = ? AND number > ? LIMIT 1"
    return row(query, (site_id, number)) is not None


def after(site_id: int, number: int, hashes: Collection[str]) -> list[MovedAddress]:
    """Of some addresses the first move after `number`."""
    query = (
        "SELECT address_hash, subscriber_id, came FROM moved_addresses WHERE site_id = ? AND number > ? "
        "ORDER BY id"
    )
    first: dict[str, MovedAddress] = {}
    for address_hash, subscriber_id, came in rows(query, (site_id, number)):
        if address_hash in hashes:
            first.setdefault(address_hash, MovedAddress(address_hash, subscriber_id, bool(came)))
    return list(first.values())


def forget(site_id: int) -> None:
    """Forgets them all, once no row waits."""
    if not _any_row_waits(site_id):
        execute("DELETE FROM moved_addresses WHERE site_id = ?", (site_id,))
