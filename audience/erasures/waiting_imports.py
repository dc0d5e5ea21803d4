"""Removing the rows of erased addresses from imports that are not applied yet."""

from collections.abc import Callable, Collection

from audience import jobs
from audience.access import site_keys
from audience.imports import payloads as import_payloads
from audience.jobs import DB, SETTLED, Job, Kind
from storage import database
from storage import jobs as stored_jobs
from storage.erasures import suppressions
from storage.erasures.suppressions import ERASED
from storage.imports import imports as stored

JOB = "waiting_rows"  # which does what a crash after an erasure left undone


def mark(site_id: int) -> None:
    """Queues the removal of erased rows from waiting imports, if any, in the transaction of an erasure."""
    if stored.has_batch(site_id=site_id):
        stored_jobs.add(site_id, JOB, 0)


def blank_erased_rows(site_id: int, is_erased: Callable[[str], bool]) -> None:
    """Replaces erased rows of waiting imports by `null`: the others keep their numbers.

    `is_erased` is called with keys of addresses.
    """
    with database.session():
        batch_ids = [
            batch_id
            for batch_id, payload in stored.waiting_batches(site_id)
            if import_payloads.without_erased_rows(payload, is_erased)
        ]
    for batch_id in batch_ids:
        _rewrite(site_id, batch_id, is_erased)


def _step(job: Job, _deadline: float) -> int:
    """Removes the rows whose address was erased after their import was accepted."""
    with database.session():
        erased = {
            batch_id: keys
            for batch_id, payload, number, _ in stored.accepted_batches(job.site_id)
            if (keys := _erased_keys(job.site_id, payload, number))
        }
    for batch_id, keys in erased.items():
        _rewrite(job.site_id, batch_id, keys.__contains__)
    with database.write(job.site_id):
        jobs.end(job)
    return SETTLED


KIND = Kind(JOB, DB, _step)


def _erased_keys(site_id: int, payload: str, number: int) -> Collection[str]:
    """The keys in a payload that were erased after its import, which has the acceptance number `number`."""
    keys = {change.key for change in import_payloads.read(payload) if change}
    by_hash = {hash_: key for key in keys for hash_ in site_keys.address_hashes(site_id, key)}
    return {
        by_hash[hash_]
        for hash_, suppression in suppressions.find_by_hash(site_id, by_hash).items()
        if suppression.reason == ERASED and suppression.number > number
    }


def _rewrite(site_id: int, batch_id: int, is_erased: Callable[[str], bool]) -> None:
    with database.write(site_id):
        payload = stored.payload(site_id, batch_id)
        if payload and (blanked := import_payloads.without_erased_rows(payload, is_erased)):
            stored.rewrite_batch(site_id, batch_id, blanked)
