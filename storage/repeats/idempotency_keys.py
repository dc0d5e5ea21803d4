"""Requests that were sent with an Idempotency-Key. Instants are in milliseconds."""

from typing import NamedTuple

from peewee import BigIntegerField, CompositeKey, ForeignKeyField

from storage.base_models import BaseModel, SiteModel
from storage.database import column, execute, value
from storage.engines.chosen import engine
from storage.records import Records


class KeptRequest(NamedTuple):
    """A request that was sent with an Idempotency-Key. `key_hash` is a keyed hash of the key, the API key and
    the path; `request_hash` is one of the rest of the request.

    `ids` is JSON: the ids and counts from which the answer is made anew. An upload that is under way has a
    `claim`, until `lease`, on the clock of leases.
    """

    key_hash: str
    request_hash: str
    status: int
    ids: str
    claim: str
    lease: int
    created_at: int


class IdempotencyKeyModel(BaseModel, table="idempotency_keys", record=KeptRequest):
    site = ForeignKeyField(SiteModel, on_delete="CASCADE", index=False)
    created_at = BigIntegerField(index=True)

    class Meta:
        primary_key = CompositeKey("site", "key_hash")
        without_rowid = True


KEPT_REQUESTS = Records(IdempotencyKeyModel, KeptRequest)
change, delete, get = KEPT_REQUESTS.change, KEPT_REQUESTS.delete, KEPT_REQUESTS.get


def put(site_id: int, request: KeptRequest) -> None:
    """Stores a request, in place of an older one with the same key."""
    delete(site_id=site_id, key_hash=request.key_hash)
    KEPT_REQUESTS.add_many([request], site_id=site_id)


def site_with_older(before: int) -> int | None:
    """The id of a site with a request from before an instant; None without one."""
    query = "SELECT site_id FROM idempotency_keys WHERE created_at <= ? ORDER BY created_at LIMIT 1"
    return value(query, (before,), None)


def delete_older(site_id: int, before: int, limit: int) -> int:
    """Deletes up to `limit` requests of a site from before an instant. Returns how many."""
    query = "SELECT key_hash FROM idempotency_keys WHERE site_id = ? AND created_at <= ? LIMIT ?"
    among = engine.among(column(query, (site_id, before, limit)))
    return execute(
        f"DELETE FROM idempotency_keys WHERE site_id = ? AND key_hash {among.text}",
        [site_id, *among.parameters],
    )
