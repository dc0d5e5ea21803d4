"""Addresses that subscribers left or came to while imports of the site waited, by keyed hash."""

from collections.abc import Collection
from typing import NamedTuple

from peewee import BigIntegerField

from storage.base_models import SiteOwnedModel
from storage.database import row
from storage.records import Records


class MovedAddress(NamedTuple):
    """One half of a change of address: the subscriber came to the address (`came` is 1) or left it (0)."""

    address_hash: str
    subscriber_id: int
    came: int


class MovedAddressModel(SiteOwnedModel, table="moved_addresses", record=MovedAddress):
    """Kept while imports wait that were accepted before the transaction `number`."""

    number = BigIntegerField()

    class Meta:
        indexes = ((("site", "number"), False),)


MOVED = Records(MovedAddressModel, MovedAddress)


def note(site_id: int, old_hash: str, new_hash: str, subscriber_id: int, number: int) -> None:
    """Stores a change of address in the transaction `number`, if any row of an import still waits."""
    if _any_row_waits(site_id):
        moves = MovedAddress(old_hash, subscriber_id, 0), MovedAddress(new_hash, subscriber_id, 1)
        MOVED.add_many(moves, site_id=site_id, number=number)


def _any_row_waits(site_id: int) -> bool:
    return row("SELECT 1 FROM import_batches WHERE site_id = ? LIMIT 1", (site_id,)) is not None


def any_after(site_id: int, number: int) -> bool:
    """Whether an address was changed after the transaction `number`."""
    query = "SELECT 1 FROM moved_addresses WHERE site_id = ? AND number > ? LIMIT 1"
    return row(query, (site_id, number)) is not None


def after(site_id: int, number: int, hashes: Collection[str]) -> list[MovedAddress]:
    """For each of these hashes, the first change of its address after the transaction `number`, if any."""
    first: dict[str, MovedAddress] = {}
    for move in MOVED.find("AND number > ? ORDER BY id", number, site_id=site_id):
        if move.address_hash in hashes:
            first.setdefault(move.address_hash, move)
    return list(first.values())


def forget(site_id: int) -> None:
    """Deletes all stored changes of address of a site, unless rows of imports still wait."""
    if not _any_row_waits(site_id):
        MOVED.delete(site_id=site_id)
