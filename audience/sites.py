"""Sites, the keys that reach them, and what a key may do (contract section 1)."""

import hmac
import secrets
import string
import uuid
import zoneinfo
from dataclasses import dataclass

from audience import clock, first_reports, pepper
from audience.errors import NotFound, Refused, Unauthorized
from storage import database
from storage import sites as stored
from storage.sites import KeyRow
from storage.sites import SiteRow as Site

__all__ = ["SCOPES", "Key", "KeyRow", "NewKey", "Site"]

UNAUTHORIZED = "Unauthorized: check the publishable key, the secret key and the site_uuid."
SCOPES = {
    "full": frozenset({"full", "read", "stats", "utility"}),
    "read": frozenset({"read", "stats"}),
    "stats": frozenset({"stats"}),
    "utility": frozenset({"utility"}),
}
TIME_ZONE = "The time zone must be a name of the IANA database, such as Europe/Berlin."
ALPHABET = string.ascii_letters + string.digits
KEY_CHARACTERS = 33  # 196 bits


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
        raise NotFound("Key not found, or revoked already: `audience key list` shows them all.")


@database.session()
def authenticate(publishable_key: str, secret_key: str) -> Key | None:
    """The key, when the secret is its own. The same work is done whatever is wrong."""
    row = stored.key(publishable_key)
    right = hmac.compare_digest(_secret_hash(secret_key), row.secret_hash if row else "")
    if row is None or not right or row.revoked_at is not None:
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
