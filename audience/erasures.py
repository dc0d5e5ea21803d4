"""Erasing people: every trace goes, and a keyed hash stays that keeps imports from bringing them back."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from audience import addresses, clock, pepper, traces
from audience.sites import Site
from storage import database, suppressions
from storage import files as stored_files
from storage import sites as stored_sites
from storage import subscribers as stored

LOG = "erasures.log"
LONGEST_LINE = 1024
CHUNK = 1_000


def erase(site: Site, instance: Path, email: str | None = None, uuid: str | None = None) -> None:
    """Erases the person of a uuid or, without one, of an address, whether or not there is one.

    A line of `erasures.log` is on disk before anything is deleted: `{"site_uuid", "address_hash", "at"}`,
    JSON, `at` in milliseconds.
    """
    key = _key(site, email, uuid)
    if key is None:
        return
    address_hash = pepper.address_hash(site.id, key)
    traces.mark(instance)
    with database.write():
        at = clock.now()
        _append(instance / LOG, {"site_uuid": site.uuid, "address_hash": address_hash, "at": at})
        _delete(site.id, key)
        stored_files.erase_refused(site.id, address_hash)
        suppressions.erase(site.id, address_hash, at)
    _blank_waiting(site.id, lambda each: each == key)
    traces.settle(instance)


def erase_again(site: Site, since: Mapping[str, int]) -> int:
    """Erases whoever has one of these address hashes, erased at those instants; how many people.

    For an instance that nobody else uses, one that is restored.
    """

    def is_gone(key: str) -> bool:
        return pepper.address_hash(site.id, key) in since

    last, erased = 0, 0
    with database.write():
        while people := stored.keys_after(site.id, last, CHUNK):
            last = people[-1][0]
            erased += _delete_all(site.id, [each for each, key in people if is_gone(key)])
        for address_hash, at in since.items():
            stored_files.erase_refused(site.id, address_hash)
            suppressions.erase(site.id, address_hash, at)
    _blank_waiting(site.id, is_gone)
    return erased


@database.session()
def _key(site: Site, email: str | None, uuid: str | None) -> str | None:
    if uuid is not None:
        person = stored.by_uuid(site.id, uuid)
        return person.email_key if person else None
    try:
        return addresses.identity(email or "")
    except addresses.MalformedAddress:
        return None


def _delete(site_id: int, key: str) -> None:
    person = stored.by_key(site_id, key)
    if person is not None:
        _delete_all(site_id, [person.id])


def _delete_all(site_id: int, ids: Sequence[int]) -> int:
    if not ids:
        return 0
    users, unsubscribers = stored.delete(site_id, ids)
    stored_sites.count(site_id, users=-users, unsubscribers=-unsubscribers)
    return users


def _blank_waiting(site_id: int, is_gone: Callable[[str], bool]) -> None:
    """Puts `null` for those who are gone into what waits to be applied: the rows around keep their places."""
    with database.session():
        found = [
            each for each, payload in stored_files.waiting_batches(site_id) if _blanked(payload, is_gone)
        ]
    for batch_id in found:
        with database.write():
            blanked = _blanked(stored_files.payload(site_id, batch_id), is_gone)
            if blanked is not None:
                stored_files.rewrite_batch(site_id, batch_id, blanked)


def _blanked(payload: str | None, is_gone: Callable[[str], bool]) -> str | None:
    """The batch without those who are gone; None where nothing changes."""
    items = json.loads(payload or "[]")
    kept = [None if item and is_gone(addresses.identity(item["email"])) else item for item in items]
    return json.dumps(kept) if kept != items else None


def _append(log: Path, line: dict[str, Any]) -> None:
    """In the caller's transaction, so that nobody else writes; a line that was cut off is cut away first."""
    descriptor = os.open(log, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - LONGEST_LINE))
        last = file.read()
        file.seek(end - len(last) + last.rfind(b"\n") + 1)
        file.truncate()
        file.write(f"{json.dumps(line)}\n".encode())
        file.flush()
        os.fsync(descriptor)
