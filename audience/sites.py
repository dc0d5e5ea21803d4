"""Sites, the keys that reach them, and what a key may do (contract section 1)."""

import hmac
import secrets
import string
import time
import uuid
import zoneinfo
from dataclasses import dataclass
from pathlib import Path

from audience import clock, first_reports, pepper, traces
from audience.errors import NotFound, Refused, Unauthorized
from audience.ports import Progress
from storage import database
from storage import sites as stored
from storage.sites import KeyRow
from storage.sites import SiteRow as Site

__all__ = ["SCOPES", "Key", "KeyRow", "NewKey", "Site"]

UNAUTHORIZED = "Unauthorized: check the publishable key, the secret key and the site_uuid."
NO_KEY = "Key not found, or ended already: `audience key list` shows them all."
SCOPES = {
    "full": frozenset({"full", "read", "stats", "utility"}),
    "read": frozenset({"read", "stats"}),
    "stats": frozenset({"stats"}),
    "utility": frozenset({"utility"}),
}
TIME_ZONE = "The time zone must be a name of the IANA database, such as Europe/Berlin."
ALPHABET = string.ascii_letters + string.digits
KEY_CHARACTERS = 33  # 196 bits
CHUNK = 2_000  # rows deleted in one transaction
PAUSE = 0.002  # seconds between two: SQLite's lock is not fair


@dataclass(frozen=True)
class Key:
    """A key that has shown its secret."""

    id: int
    scope: str
    sites: tuple[Site, ...]

    def may(self, scope: str) -> bool:
        return scope in SCOPES[self.scope]


@dataclass(frozen=True)
class NewKey:
    """A key as it is shown, once."""

    publishable_key: str
    secret_key: str
    scope: str


@database.write()
def create(name: str, time_zone: str = "UTC") -> Site:
    """A site with its first reports. Raises `Refused` on a time zone that does not exist."""
    at = clock.now()
    site = stored.add_site(str(uuid.uuid4()), name, _zone(time_zone), at)
    first_reports.create(site.id, at)
    return site


@database.write()
def set_time_zone(site: Site, time_zone: str) -> None:
    """Raises `Refused` on a time zone that does not exist."""
    stored.set_time_zone(site.id, _zone(time_zone))


@database.session()
def every() -> list[Site]:
    return stored.all_sites()


@database.session()
def named(site_uuid: str) -> Site:
    """Raises `NotFound`."""
    site = stored.by_uuid(site_uuid)
    if site is None:
        raise NotFound("Site not found: `audience site list` shows them all.")
    return site


@dataclass(frozen=True)
class Deleted:
    """`keys` were revoked with the site; not `clean` while readers keep the write-ahead log from emptying."""

    rows: int
    keys: list[str]
    clean: bool


def delete(site: Site, instance: Path, progress: Progress) -> Deleted:
    """Removes every trace of a site, chunk by chunk, its keys first. Interrupted, it can be called again."""
    traces.mark(instance)
    with database.write():
        keys = stored.shut_out(site.id, clock.now())
    with database.session():
        total = stored.size(site.id)
    done = 0
    for table in stored.tables():
        while deleted := _delete_some(table, site.id):
            done += deleted
            progress("Deleting", done, max(done, total))
            time.sleep(PAUSE)
    with database.write():
        stored.delete(site.id)
    return Deleted(done, keys, traces.settle(instance))


@database.write()
def _delete_some(table: str, site_id: int) -> int:
    return stored.delete_some(table, site_id, CHUNK)


@database.write()
def create_key(sites: list[Site], scope: str = "full") -> NewKey:
    """Raises `Refused` on a scope that does not exist."""
    if scope not in SCOPES:
        raise Refused(f"The scope must be one of {', '.join(SCOPES)}.")
    key = NewKey(f"pk_{_random()}", f"sk_{_random()}", scope)
    stored.add_key(
        key.publishable_key, _secret_hash(key.secret_key), scope, [site.id for site in sites], clock.now()
    )
    return key


@database.session()
def keys(site: Site | None = None) -> list[KeyRow]:
    return stored.keys(site.id if site else None)


@database.write()
def revoke_key(publishable_key: str) -> None:
    """Raises `NotFound`."""
    if not stored.revoke(publishable_key, clock.now()):
        raise NotFound(NO_KEY)


@database.write()
def rotate_key(publishable_key: str, overlap: int = 0) -> NewKey:
    """A new key for the same sites and scope; the old one ends in `overlap` milliseconds, 0: at once.

    Raises `NotFound`.
    """
    at = clock.now()
    old = stored.key(publishable_key)
    if old is None or not old.good(at):
        raise NotFound(NO_KEY)
    new = create_key(stored.reached(old.id), old.scope)
    if overlap:
        stored.expire(publishable_key, at + overlap)
    else:
        stored.revoke(publishable_key, at)
    return new


@database.session()
def authenticate(publishable_key: str, secret_key: str) -> Key | None:
    """The key, when the secret is its own. The same work is done whatever is wrong."""
    row = stored.key(publishable_key)
    right = hmac.compare_digest(_secret_hash(secret_key), row.secret_hash if row else "")
    if row is None or not right or not row.good(clock.now()):
        return None
    return Key(row.id, row.scope, tuple(stored.reached(row.id)))


def reached(key: Key, site_uuid: str | None) -> Site:
    """The site of a request; without a uuid, the only one that the key reaches. Raises `Unauthorized`."""
    wanted = [site for site in key.sites if site_uuid is None or site.uuid == site_uuid]
    if len(wanted) != 1:
        raise Unauthorized(UNAUTHORIZED)
    return wanted[0]


def _zone(time_zone: str) -> str:
    if time_zone not in zoneinfo.available_timezones():
        raise Refused(TIME_ZONE)
    return time_zone


def _secret_hash(secret_key: str) -> str:
    return pepper.digest("secret", secret_key)


def _random() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(KEY_CHARACTERS))
