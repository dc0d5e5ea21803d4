"""Deleted subscribers, by the keyed hash of the uuid, which their links have. Links still work after a
deletion.
"""

from collections.abc import Mapping
from typing import NamedTuple

from peewee import BigIntegerField, CompositeKey, IntegerField, TextField

from storage.base_models import BaseModel
from storage.database import execute_many
from storage.records import Records
from storage.sql import insert_into, update_of


class FormerLink(NamedTuple):
    """What is kept of a deleted subscriber, so that their links still work.

    `subscriber_id` is the latest subscriber who was created with the same address since, or moved to it; None
    if nobody was.
    """

    address_hash: str
    subscriber_id: int | None


class FormerLinkModel(BaseModel, table="former_links", record=FormerLink):
    """`uuid_hash` is the keyed hash of the uuid, which links have. No foreign keys."""

    site_id = IntegerField()
    uuid_hash = TextField()
    at = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("site_id", "uuid_hash")
        without_rowid = True
        indexes = ((("site_id", "address_hash"), False),)


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
    """Stores deleted subscribers: address hashes by uuid hash. `at` is in milliseconds.

    A uuid that is stored already, because a restore brought it back, is overwritten.
    """
    execute_many(ADD, [(site_id, uuid_hash, address_hash, at) for uuid_hash, address_hash in hashes.items()])


def put_holders(site_id: int, holders: Mapping[str, int]) -> None:
    """Stores the ids of the subscribers who now have the addresses of deleted ones, by address hash."""
    execute_many(
        PUT_HOLDER,
        [(subscriber_id, site_id, address_hash) for address_hash, subscriber_id in holders.items()],
    )
