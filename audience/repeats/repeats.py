"""Requests with an Idempotency-Key: each is carried out once, and answered again from what it made.

The row of a request is written in the transaction of what it writes. It has keyed hashes, ids and counts, and
nothing about a person.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from audience import clock
from audience.access import site_keys
from audience.access.sites import Site
from audience.clock import DAY_MS, MINUTE_MS
from audience.errors import Refused, ServiceUnavailable, UnderWay
from audience.privacy import pepper
from schemas.codes import Code, Sentence
from schemas.values import compact_json
from storage import database, leases
from storage.errors import DiskFault, Unavailable
from storage.repeats import idempotency_keys as stored
from storage.repeats.idempotency_keys import KeptRequest

T = TypeVar("T")
Ids = Mapping[str, Any]  # ids, counts, and what was refused, from which an answer is made anew
KEPT_MS = DAY_MS
LEASE_MS = 2 * MINUTE_MS  # of an upload, from one of its transactions to the next
SWEPT_ROWS = 1_000
CLAIM_BYTES = 16
OTHER = Sentence(
    Code.IDEMPOTENCY_KEY_REUSED,
    "Idempotency-Key: you sent this key with a different request to this path; send a new key with a new "
    "request.",
)
UNDER_WAY = Sentence(
    Code.UPLOAD_UNDER_WAY,
    "Idempotency-Key: the upload with this key is under way; wait the seconds in Retry-After.",
)
LOST = Sentence(
    Code.UPLOAD_ABANDONED,
    "Idempotency-Key: the upload took too long, and another upload with this key has begun; send the request "
    "again.",
)


@dataclass(frozen=True)
class SentRequest:
    """A request of a site that was sent with an Idempotency-Key, by keyed hashes."""

    site: Site
    key_hash: str
    request_hash: str


class EarlierRequest(NamedTuple):
    """A request that was carried out before: the status of its answer, and the ids of what it made."""

    status: int
    ids: dict[str, Any]


def sent_request(site: Site, key_id: int, path: str, idempotency_key: str, content: Any) -> SentRequest:
    """Makes the hashes of an API key's request to a path. `content` is all else that decides what is written,
    of types that JSON has.
    """
    secret = site_keys.get(site.id).key
    text = json.dumps(content, sort_keys=True)
    return SentRequest(
        site,
        pepper.digest("idempotency key", f"{key_id} {path} {idempotency_key}", secret),
        pepper.digest("idempotent request", text, secret),
    )


@database.session()
def find(sent: SentRequest) -> EarlierRequest | None:
    """The earlier request with the same key, or None.

    Raises `Refused` if that request had other content, and `UnderWay` while an upload is under way. The
    client then waits as long as the upload has taken so far, at most until its lease ends.
    """
    row = stored.get(site_id=sent.site.id, key_hash=sent.key_hash)
    if row is None or row.created_at <= clock.now_ms() - KEPT_MS:
        return None
    if row.request_hash != sent.request_hash:
        raise Refused(OTHER)
    if not row.claim:
        return EarlierRequest(row.status, json.loads(row.ids))
    lease = row.lease - _now()
    if lease > 0:
        age = clock.now_ms() - row.created_at
        raise UnderWay(UNDER_WAY, max(1, -(-min(lease, age) // 1000)))
    return None


def once(
    site: Site, sent: SentRequest | None, write: Callable[[], T], result_of: Callable[[T], tuple[int, Ids]]
) -> T | EarlierRequest:
    """Calls `write` in a transaction of the site and returns its result. If the request was carried out
    before, returns that earlier request instead.

    `result_of` takes the status and the ids to keep from the result, in the same transaction. If `write`
    fails, nothing is kept. Raises as `find` does.
    """
    with database.write(site.id):
        if sent is not None and (done := find(sent)):
            return done
        result = write()
        if sent is not None:
            status, ids = result_of(result)
            stored.put(site.id, _row(sent, status, ids))
        return result


class Claim:
    """The claim of an upload on its key, while it is under way. `status` is the status of its answer."""

    def __init__(self, sent: SentRequest, status: int) -> None:
        self._sent, self._status, self._token = sent, status, secrets.token_hex(CLAIM_BYTES)

    def begin(self) -> EarlierRequest | None:
        """Claims the key. Returns the earlier request if the upload is already done. Raises like `find`."""
        with database.write(self._sent.site.id):
            done = find(self._sent)
            if done is None:
                row = _row(self._sent, 0, {})._replace(claim=self._token, lease=_now() + LEASE_MS)
                stored.put(self._sent.site.id, row)
            return done

    def hold(self) -> None:
        """Renews the lease, in the caller's transaction. Raises `ServiceUnavailable` for a lost claim."""
        self._change({"lease": _now() + LEASE_MS})

    def keep(self, ids: Ids) -> None:
        """Stores the ids of what was made and ends the claim, in the caller's transaction.

        Raises as `hold` does.
        """
        self._change({"claim": "", "lease": 0, "status": self._status, "ids": compact_json(dict(ids))})

    def _change(self, values: dict[str, Any]) -> None:
        mine = {"site_id": self._sent.site.id, "key_hash": self._sent.key_hash, "claim": self._token}
        if not stored.change(values, **mine):
            raise ServiceUnavailable(LOST)

    def release(self) -> None:
        """Gives up the claim, because nothing was made. If the database is read-only, the lease must
        expire.
        """
        with suppress(Unavailable, DiskFault), database.write(self._sent.site.id):
            stored.delete(site_id=self._sent.site.id, key_hash=self._sent.key_hash, claim=self._token)


def sweep(only_site: int | None = None) -> bool:
    """Deletes some expired requests: of `only_site`, or of any one site. Returns False if there are none."""
    before = clock.now_ms() - KEPT_MS
    if only_site is None:
        with database.session():
            only_site = stored.site_with_older(before)
    if only_site is None:
        return False
    with database.write(only_site):
        return stored.delete_older(only_site, before, SWEPT_ROWS) > 0


def _row(sent: SentRequest, status: int, ids: Ids) -> KeptRequest:
    text = compact_json(dict(ids))
    return KeptRequest(sent.key_hash, sent.request_hash, status, text, "", 0, clock.now_ms())


def _now() -> int:
    return leases.now(clock.now_ms())
