"""Erased and unsubscribed addresses without a subscriber, by keyed hash. Instants are in milliseconds."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from peewee import TextField

from storage.base_models import SiteOwnedModel
from storage.changes.consents import ConsentKind
from storage.database import execute_many, row
from storage.engines.chosen import engine
from storage.records import Records
from storage.sql import delete_from, insert_into, replacing

ERASED = "erased"
UNSUBSCRIBED = "unsubscribed"


def any_of_first_scheme(site_id: int, second: str) -> bool:
    """Whether a site still has hashes of the first scheme, which are hexadecimal.

    Those of the second scheme begin with `second`, which sorts after them.
    """
    query = "SELECT 1 FROM suppressions WHERE site_id = ? AND address_hash < ? LIMIT 1"
    return row(query, (site_id, second)) is not None


class Suppression(NamedTuple):
    """Why an address is suppressed: its subscriber was `erased`, or got another address while `unsubscribed`.
    `since` is the instant of the event, `number` that of its transaction.
    """

    reason: str
    since: int
    number: int
    kind: int = ConsentKind.UNSUBSCRIBE


class SuppressionModel(SiteOwnedModel, table="suppressions", record=Suppression):
    address_hash = TextField()

    class Meta:
        indexes = ((("site", "address_hash"), True),)


SUPPRESSIONS = Records(SuppressionModel, Suppression)
has = SUPPRESSIONS.has


def find_by_hash(site_id: int, hashes: Collection[str]) -> dict[str, Suppression]:
    """The suppressions of these hashes, by address hash."""
    return _by_hash(site_id=site_id, address_hash=engine.among(hashes))


def erasures_from(site_id: int, number: int) -> dict[str, int]:
    """The numbers of the erasures from a number on, by address hash."""
    erased = SUPPRESSIONS.select(
        "address_hash, number", "AND number >= ?", number, site_id=site_id, reason=ERASED
    )
    return dict(erased)


def all_of_site(site_id: int) -> dict[str, Suppression]:
    """The suppressions of a site, by address hash."""
    return _by_hash("ORDER BY id", site_id=site_id)


def _by_hash(tail: str = "", **equal: Any) -> dict[str, Suppression]:
    records = SUPPRESSIONS.select(f"address_hash, {SUPPRESSIONS.columns}", tail, **equal)
    return {address_hash: Suppression(*record) for address_hash, *record in records}


def add(site_id: int, suppressed: Mapping[str, Suppression]) -> None:
    """Suppresses addresses, by hash. Replaces an earlier suppression, but `erased` only by `erased`."""
    keys = "site_id", "address_hash"
    unless_erased = f"WHERE excluded.reason = '{ERASED}' OR suppressions.reason <> '{ERASED}'"
    overwritten = f"{replacing(keys, Suppression._fields)} {unless_erased}"
    execute_many(
        insert_into("suppressions", (*keys, *Suppression._fields), overwritten),
        [(site_id, address_hash, *suppression) for address_hash, suppression in suppressed.items()],
    )


def rename(site_id: int, hashes: Mapping[str, str]) -> None:
    """Moves suppressions from each hash to the one that `hashes` has for it.

    If both are suppressed, the later event counts, but `erased` stays.
    """
    moved = find_by_hash(site_id, hashes)
    at_target = find_by_hash(site_id, [hashes[address_hash] for address_hash in moved])
    suppressed = {}
    for address_hash, suppression in moved.items():
        candidates = (suppression, at_target.get(hashes[address_hash], suppression))
        is_erased = any(candidate.reason == ERASED for candidate in candidates)
        later = max(candidates, key=lambda candidate: (candidate.since, candidate.number))
        suppressed[hashes[address_hash]] = later._replace(reason=ERASED) if is_erased else later
    add(site_id, suppressed)
    lift(site_id, moved)


def lift(site_id: int, hashes: Collection[str]) -> None:
    """Deletes the suppressions of these hashes."""
    execute_many(
        delete_from("suppressions", ("site_id", "address_hash")),
        ((site_id, address_hash) for address_hash in hashes),
    )
