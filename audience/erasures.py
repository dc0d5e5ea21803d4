"""Erasing a person: every trace goes, and a keyed hash stays that keeps imports from bringing it back.

What was deleted is overwritten in the database file (`secure_delete`), and the write-ahead log, which still
has it, is truncated; a marker in the instance folder asks for that until it has been done, by whomever.
"""

import json
import os
import secrets
from pathlib import Path
from typing import Any

from audience import addresses, clock, pepper
from audience.sites import Site
from storage import database, suppressions
from storage import files as stored_files
from storage import sites as stored_sites
from storage import subscribers as stored

LOG = "erasures.log"
LONGEST_LINE = 1024
MARK = "erased-*.mark"


def erase(site: Site, instance: Path, email: str | None = None, uuid: str | None = None) -> None:
    """Erases the person of a uuid or, without one, of an address, whether or not there is one.

    A line of `erasures.log` is on disk before anything is deleted: `{"site_uuid", "address_hash", "at"}`,
    JSON, `at` in milliseconds.
    """
    key = _key(site, email, uuid)
    if key is None:
        return
    address_hash = pepper.address_hash(site.id, key)
    mark = instance / MARK.replace("*", secrets.token_hex(8))
    mark.touch(mode=0o600)
    with database.write():
        at = clock.now()
        _append(instance / LOG, {"site_uuid": site.uuid, "address_hash": address_hash, "at": at})
        _delete(site.id, key)
        stored_files.erase_refused(site.id, address_hash)
        suppressions.erase(site.id, address_hash, at)
    _blank_waiting(site.id, key)
    settle(instance)


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
        users, unsubscribers = stored.delete(site_id, [person.id])
        stored_sites.count(site_id, users=-users, unsubscribers=-unsubscribers)


def _blank_waiting(site_id: int, key: str) -> None:
    """Puts `null` for the person into what waits to be applied: the rows around keep their places."""
    with database.session():
        found = [each for each, payload in stored_files.waiting_batches(site_id) if _blanked(payload, key)]
    for batch_id in found:
        with database.write():
            blanked = _blanked(stored_files.payload(site_id, batch_id), key)
            if blanked is not None:
                stored_files.rewrite_batch(site_id, batch_id, blanked)


def _blanked(payload: str | None, key: str) -> str | None:
    """The batch without the person; None where nothing changes."""
    items = json.loads(payload or "[]")
    kept = [None if item and addresses.identity(item["email"]) == key else item for item in items]
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


def settle(instance: Path) -> bool:
    """Truncates the write-ahead log where an erasure asks for it; False when it has to be tried again."""
    marks = list(instance.glob(MARK))
    if not marks:
        return True
    with database.session():
        done = database.truncate_log()
    for mark in marks if done else ():
        mark.unlink(missing_ok=True)
    return done
