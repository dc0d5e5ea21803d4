"""Requests that were sent with an Idempotency-Key. Instants are in milliseconds."""

from typing import NamedTuple

from storage.database import column, execute, value
from storage.engines.chosen import engine
from storage.records import Records
from storage.repeats.models import IdempotencyKeyModel


class KeptRequest(NamedTuple):
    """The columns of `IdempotencyKeyModel`, without the site."""

    key_hash: str
    request_hash: str
    status: int
    ids: str
    claim: str
    lease: int
    created_at: int


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
