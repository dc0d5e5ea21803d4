"""Subscribers whose rows are gone: the keyed hashes of their uuids, which links have, and addresses."""

from collections.abc import Mapping
from typing import NamedTuple

from storage.database import execute_many
from storage.links.models import FormerLinkModel
from storage.records import Records
from storage.sql import insert_into, update_of


class FormerLink(NamedTuple):
    """`subscriber_id` is of whoever was given that address last, since the row went; None: nobody."""

    address_hash: str
    subscriber_id: int | None


FORMER = Records(FormerLinkModel, FormerLink)
get, has = FORMER.get, FORMER.has
ADD = insert_into(
    "former_links",
    ("site_id", "uuid_hash", "address_hash", "at"),
    "ON CONFLICT (site_id, uuid_hash) DO UPDATE SET address_hash = excluded.address_hash, "
    "subscriber_id = NULL, at = excluded.at",
)
PUT_HOLDER = update_of("former_links", ("subscriber_id",), ("site_id", "address_hash"))


def add(site_id: int, hashes: Mapping[str, str], at: int) -> None:
    """Keeps the hashes of addresses, by that of the uuid; `at` in milliseconds. A uuid that a restore has
    brought back, and that goes again, is written anew.
    """
    execute_many(ADD, [(site_id, uuid_hash, address_hash, at) for uuid_hash, address_hash in hashes.items()])


def put_holders(site_id: int, holders: Mapping[str, int]) -> None:
    """Notes who has been given addresses, by hash."""
    execute_many(
        PUT_HOLDER,
        [(subscriber_id, site_id, address_hash) for address_hash, subscriber_id in holders.items()],
    )
