"""Erasures and ended keys of the present instance, carried over to a restored backup."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from audience import pepper, sites
from audience.config import Settings
from audience.erasures import LOG, erase_again
from audience.errors import Refused
from audience.operations.openers import Openers
from audience.sites import Site
from storage import backups as stored
from storage import database, keys, suppressions
from storage import sites as stored_sites
from storage.errors import StatementError, Unavailable, Unusable

CLOCK_SKEW_MS = 600_000  # by how much the log of erasures and a backup may differ

CANNOT_MATCH = (
    "Erasures of this instance cannot be matched with the subscribers of the backup: the pepper or the site "
    "ids differ. Restore this instance's pepper, or use --ignore-erasures to restore them."
)


@dataclass(frozen=True)
class Erasure:
    """An address, by its keyed hash, that must stay suppressed; `since` in milliseconds."""

    site_uuid: str
    address_hash: str
    since: int
    reason: str = suppressions.ERASED


@dataclass
class Carryover:
    """State of the present instance; `damaged` if its database cannot be read.

    `pepper` is None in a new folder with only a copied log of erasures, hashed with the pepper of the backup.
    """

    erasures: list[Erasure] = field(default_factory=list)
    ended_keys: list[tuple[str, int | None, int | None]] = field(default_factory=list)
    site_ids: dict[str, int] = field(default_factory=dict)
    pepper: bytes | None = None
    damaged: bool = False


def read(settings: Settings, since: int, openers: Openers) -> Carryover:
    """Reads an instance, perhaps empty or damaged; of its log, erasures from `since` on, in milliseconds."""
    carryover = Carryover(erasures=list(_logged(settings.instance / LOG, since - CLOCK_SKEW_MS)))
    secret = settings.instance / pepper.FILE
    carryover.pepper = secret.read_bytes() if secret.exists() else None
    if not database.file(settings.database).exists():
        return carryover
    openers.database(settings)
    try:
        with database.session():
            _read_database(carryover)
    except (StatementError, Unavailable, Unusable):
        carryover.damaged = True
    finally:
        database.close()
    return carryover


def _read_database(carryover: Carryover) -> None:
    if stored.is_empty():
        return
    carryover.site_ids = {site.uuid: site.id for site in stored_sites.list_all()}
    carryover.ended_keys = stored.ended_keys()
    carryover.erasures += [
        Erasure(row.site_uuid, row.address_hash, row.since, row.reason) for row in suppressions.list_all()
    ]


def _logged(log: Path, since: int) -> Iterator[Erasure]:
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            erasure = Erasure(entry["site_uuid"], entry["address_hash"], int(entry["at"]))
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):  # truncated: that erasure was not finished
                return
            raise Refused(f"{log} cannot be read at line {number}: repair it first.") from error
        if erasure.since >= since:
            yield erasure


def apply(carryover: Carryover, secret: bytes, ignore_erasures: bool) -> tuple[int, int]:
    """Applies it to the open instance, whose pepper is `secret`; (erased subscribers, ended keys).

    Raises `Refused` if erasures cannot be matched, unless they are to be ignored.
    """
    erased = sum(_erase(site, erasures) for site, erasures in _matched(carryover, secret, ignore_erasures))
    with database.write():
        ended = [_end(*key) for key in carryover.ended_keys]
    return erased, sum(ended)


def _matched(
    carryover: Carryover, secret: bytes, ignore_erasures: bool
) -> Iterator[tuple[Site, list[Erasure]]]:
    by_site: dict[str, list[Erasure]] = defaultdict(list)
    for erasure in carryover.erasures:
        by_site[erasure.site_uuid].append(erasure)
    for site in sites.list_all():
        if site.uuid not in by_site:
            continue
        if carryover.pepper in (None, secret) and carryover.site_ids.get(site.uuid, site.id) == site.id:
            yield site, by_site[site.uuid]
        elif not ignore_erasures:
            raise Refused(CANNOT_MATCH)


def _erase(site: Site, erasures: list[Erasure]) -> int:
    since = {row.address_hash: row.since for row in erasures if row.reason == suppressions.ERASED}
    with database.write():
        for row in erasures:
            suppressions.add(site.id, row.address_hash, row.reason, row.since)
    return erase_again(site, since) if since else 0


def _end(publishable_key: str, revoked_at: int | None, expires_at: int | None) -> bool:
    if expires_at is not None:
        keys.expire(publishable_key, expires_at)
    return revoked_at is not None and keys.revoke(publishable_key, revoked_at)
