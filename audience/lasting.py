"""What outlasts the restoring of an older backup: erasures, and the end of keys."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from audience import pepper, sites
from audience.config import Settings
from audience.erasures import LOG, erase_again
from audience.errors import Refused
from audience.sites import Site
from storage import backups as stored
from storage import database, suppressions
from storage import sites as stored_sites
from storage.errors import Mistaken, Unavailable, Unusable

SLACK = 600_000  # milliseconds between an erasure and its place in a backup, generously

TELLS_NOBODY = (
    "Erasures of this instance cannot be matched with the people in the backup: the pepper or the site ids "
    "differ. Put the instance's own pepper back, or give --ignore-erasures to bring erased people back."
)


@dataclass(frozen=True)
class Erasure:
    """An address that must stay away, by its keyed hash, since an instant in milliseconds."""

    site_uuid: str
    address_hash: str
    since: int
    reason: str = suppressions.ERASED


@dataclass
class Lasting:
    """What the present instance remembers; `damaged` when its database cannot be read.

    Without a pepper, it is a new folder into which the log of another was put: its hashes are the backup's.
    """

    erasures: list[Erasure] = field(default_factory=list)
    ended_keys: list[tuple[str, int | None, int | None]] = field(default_factory=list)
    site_ids: dict[str, int] = field(default_factory=dict)
    pepper: bytes | None = None
    damaged: bool = False


def read(settings: Settings, since: int) -> Lasting:
    """What an instance, perhaps an empty or a damaged one, remembers; its log's erasures from `since` on."""
    lasting = Lasting(erasures=list(_logged(settings.instance / LOG, since - SLACK)))
    secret = settings.instance / pepper.FILE
    lasting.pepper = secret.read_bytes() if secret.exists() else None
    if not database.file(settings.database).exists():
        return lasting
    database.open(settings.database, allow_faulty=settings.allow_faulty_sqlite)
    try:
        with database.session():
            _read_database(lasting)
    except (Mistaken, Unavailable, Unusable):
        lasting.damaged = True
    finally:
        database.close()
    return lasting


def _read_database(lasting: Lasting) -> None:
    if stored.is_empty():
        return
    lasting.site_ids = {site.uuid: site.id for site in stored_sites.all_sites()}
    lasting.ended_keys = stored.ended_keys()
    lasting.erasures += [
        Erasure(each.site_uuid, each.address_hash, each.since, each.reason) for each in suppressions.every()
    ]


def _logged(log: Path, since: int) -> Iterator[Erasure]:
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            erasure = Erasure(entry["site_uuid"], entry["address_hash"], int(entry["at"]))
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):  # cut off while it was written: the erasure was not finished
                return
            raise Refused(f"{log} cannot be read at line {number}: mend it first.") from error
        if erasure.since >= since:
            yield erasure


def apply(lasting: Lasting, secret: bytes, ignore_erasures: bool) -> tuple[int, int]:
    """Brings it into the open instance, which has that pepper: how many people it erased and keys it ended.

    Raises `Refused` when there are erasures that cannot be matched, unless they are to be ignored.
    """
    erased = sum(_erase(site, erasures) for site, erasures in _matched(lasting, secret, ignore_erasures))
    with database.write():
        ended = [_end(*each) for each in lasting.ended_keys]
    return erased, sum(ended)


def _matched(lasting: Lasting, secret: bytes, ignore_erasures: bool) -> Iterator[tuple[Site, list[Erasure]]]:
    by_site: dict[str, list[Erasure]] = defaultdict(list)
    for erasure in lasting.erasures:
        by_site[erasure.site_uuid].append(erasure)
    for site in sites.every():
        if site.uuid not in by_site:
            continue
        if lasting.pepper in (None, secret) and lasting.site_ids.get(site.uuid, site.id) == site.id:
            yield site, by_site[site.uuid]
        elif not ignore_erasures:
            raise Refused(TELLS_NOBODY)


def _erase(site: Site, erasures: list[Erasure]) -> int:
    since = {each.address_hash: each.since for each in erasures if each.reason == suppressions.ERASED}
    with database.write():
        for each in erasures:
            suppressions.add(site.id, each.address_hash, each.reason, each.since)
    return erase_again(site, since) if since else 0


def _end(publishable_key: str, revoked_at: int | None, expires_at: int | None) -> bool:
    if expires_at is not None:
        stored_sites.expire(publishable_key, expires_at)
    return revoked_at is not None and stored_sites.revoke(publishable_key, revoked_at)
