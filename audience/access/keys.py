"""API keys: the sites that each grants access to, and its scope."""

import contextlib
import hmac
import secrets
import string
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from audience import clock
from audience.access import audit_log, site_keys
from audience.access.audit_log import COMMAND_LINE, Actor
from audience.access.sites import Site
from audience.errors import NotFound, Refused, Unauthorized
from audience.privacy import pepper, secret_files
from storage import database
from storage.access import keys as stored
from storage.access.keys import Key
from storage.errors import DiskFault, Unavailable
from storage.instance import pepper as stored_pepper

__all__ = ["Key"]

UNAUTHORIZED = "Unauthorized: check the publishable key, the secret key and the site_uuid."
NO_KEY = "The key was not found, or is no longer active: `audience key list` lists all keys."
SCOPES = {
    "full": frozenset({"full", "mailer", "read", "signup", "stats", "utility"}),
    "mailer": frozenset({"mailer", "read", "stats"}),
    "read": frozenset({"read", "stats"}),
    "signup": frozenset({"signup", "utility"}),
    "stats": frozenset({"stats"}),
    "utility": frozenset({"utility"}),
}
PURPOSES = {  # what a key is for, by the least scope that does; `stats` and `utility` are parts of others
    "full": "an existing SDK or plugin: it may do everything",
    "signup": "a website's form: it may ask for sign-ups, and check what is typed",
    "read": "a report: it may read everything, and change nothing",
    "mailer": "a mailer: it may read, with the links by which subscribers unsubscribe",
}
NO_ONES_KEY = Key(
    0, "", "0" * 64, "stats", 0, None, None, "", None
)  # stands for an unknown key, so that the comparison takes as long
KNOWN_MS = 500  # for which a process caches a key and its sites
ALPHABET = string.ascii_letters + string.digits
KEY_LENGTH = 33  # 196 bits
USE_MS = 300_000  # between two notes of a key's use

_noted: dict[str, int] = {}  # by publishable key, the uptime at which this process last noted its use
_known: "dict[str, CachedKey]" = {}  # by publishable key


@dataclass(frozen=True)
class AuthenticatedKey:
    """A key that a client authenticated with. `renewed_hash` replaces the stored hash of the secret, unless
    empty.
    """

    id: int
    publishable_key: str
    scope: str
    sites: tuple[Site, ...]
    name: str = ""
    renewed_hash: str = ""  # empty unless the stored hash is of the first scheme

    def may(self, scope: str) -> bool:
        return scope in SCOPES[self.scope]


@dataclass(frozen=True)
class CachedKey:
    """A cached API key with the `digest` of its secret. It is valid `until` a time of `clock.uptime_ms`."""

    key: Key
    authenticated: AuthenticatedKey
    digest: bytes
    until: int

    def is_good(self, digest: bytes) -> bool:
        """Whether the cached key can be used: it is recent and active, and the secret is right."""
        return (
            clock.uptime_ms() < self.until
            and hmac.compare_digest(digest, self.digest)
            and self.key.is_active(clock.now_ms())
        )


@dataclass(frozen=True)
class NewKey:
    """A new key with its secret, which is not stored."""

    publishable_key: str
    secret_key: str
    scope: str
    name: str = ""


@database.write(database.SHARED)
def create(sites: list[Site], scope: str = "full", name: str = "", actor: Actor = COMMAND_LINE) -> NewKey:
    """Creates an API key for `sites`. The first key also stores the check value of the pepper.

    Raises `Refused` for an unknown scope.
    """
    if scope not in SCOPES:
        raise Refused(f"The scope must be one of {', '.join(SCOPES)}.")
    key = NewKey(f"pk_{_random()}", f"sk_{_random()}", scope, name)
    if stored_pepper.check_value() is None:
        stored_pepper.add_check_value(pepper.check_value())
    site_ids = [site.id for site in sites]
    stored.add(key.publishable_key, secret_hashes(key.secret_key)[0], scope, site_ids, clock.now_ms(), name)
    _record(actor, "key made", key.publishable_key)
    return key


@database.session()
def list_all(site: Site | None = None) -> list[Key]:
    """All keys, oldest first; with a site, only those that give access to it."""
    return stored.list_all(site.id if site else None)


@database.session()
def sites_of(key: Key) -> list[Site]:
    """The sites that a key gives access to."""
    return stored.sites_of(key.id)


@database.write(database.SHARED)
def rename(publishable_key: str, name: str, actor: Actor = COMMAND_LINE) -> None:
    """Renames a key. Raises `NotFound`."""
    if not stored.rename(publishable_key, name):
        raise NotFound(NO_KEY)
    _record(actor, "key renamed", publishable_key)


@database.write(database.SHARED)
def revoke(publishable_key: str, instance: Path, actor: Actor = COMMAND_LINE) -> None:
    """Revokes a key. Deletes its secret from the instance's folder. Raises `NotFound`."""
    _known.pop(publishable_key, None)
    if not stored.revoke(publishable_key, clock.now_ms()):
        raise NotFound(NO_KEY)
    _record(actor, "key revoked", publishable_key)
    secret_files.forget_first_site(instance, publishable_key)


@database.write(database.SHARED)
def rotate(publishable_key: str, instance: Path, overlap_ms: int = 0, actor: Actor = COMMAND_LINE) -> NewKey:
    """Creates a key with the same sites and scope; the old one expires after `overlap_ms`.

    The old secret is deleted from the instance's folder at once. Raises `NotFound`.
    """
    _known.pop(publishable_key, None)
    at = clock.now_ms()
    old = stored.get(publishable_key=publishable_key)
    if old is None or not old.is_active(at):
        raise NotFound(NO_KEY)
    new = create(stored.sites_of(old.id), old.scope, old.name, actor)
    if overlap_ms:
        stored.expire(publishable_key, at + overlap_ms)
    else:
        stored.revoke(publishable_key, at)
    _record(actor, "key rotated", publishable_key)
    secret_files.forget_first_site(instance, publishable_key)
    return new


def authenticate(publishable_key: str, secret_key: str) -> AuthenticatedKey | None:
    """The key, if the secret is right and the key active; else None. An unknown key takes as long.

    A valid key is cached for `KNOWN_MS` milliseconds; then it is read again, as another process may have
    revoked it.
    """
    credential = _known.get(publishable_key)
    if credential and credential.is_good(pepper.passing_digest(secret_key)):
        return credential.authenticated
    return _look_up(publishable_key, secret_key)


@database.session()
def _look_up(publishable_key: str, secret_key: str) -> AuthenticatedKey | None:
    until, hashes = clock.uptime_ms() + KNOWN_MS, secret_hashes(secret_key)
    key = stored.get(publishable_key=publishable_key) or NO_ONES_KEY
    matches = sum(hmac.compare_digest(digest, key.secret_hash) for digest in hashes) > 0  # always both
    if not (matches and key.id and key.is_active(clock.now_ms())):
        _known.pop(publishable_key, None)
        return None
    sites = tuple(stored.sites_of(key.id))
    renewed = "" if key.secret_hash == hashes[0] else hashes[0]
    authenticated = AuthenticatedKey(key.id, publishable_key, key.scope, sites, key.name, renewed)
    _known[publishable_key] = CachedKey(key, authenticated, pepper.passing_digest(secret_key), until)
    return authenticated


def is_noted(key: AuthenticatedKey) -> bool:
    """Whether the use of a key was noted in the last 5 minutes."""
    at = clock.uptime_ms()
    return at - _noted.get(key.publishable_key, at - USE_MS) < USE_MS


def note_use(key: AuthenticatedKey) -> None:
    """Stores that a key was used, at most every 5 minutes, and renews the hash of a secret from the first
    scheme.

    Does nothing while the database is read-only.
    """
    if is_noted(key):
        return
    _noted[key.publishable_key] = clock.uptime_ms()
    with contextlib.suppress(Unavailable, DiskFault), database.write(database.SHARED):
        stored.note_use(key.id, clock.now_ms())
        if key.renewed_hash:
            stored.put_secret_hash(key.id, key.renewed_hash)


def forget_inactive_secret(instance: Path) -> None:
    """Deletes the first site's keys from the instance's folder if they are not active."""
    secret_files.forget_first_site_unless(instance, lambda *pair: authenticate(*pair) is not None)


def require_site(key: AuthenticatedKey, site_uuid: str | None) -> Site:
    """The site with a uuid or, without one, the key's only site. Raises `Unauthorized`."""
    sites = [site for site in key.sites if site_uuid is None or site.uuid == site_uuid]
    if len(sites) != 1:
        raise Unauthorized(UNAUTHORIZED)
    return sites[0]


def secret_hashes(secret_key: str) -> tuple[str, str]:
    """The (current hash, older hash with the pepper) of a secret key.

    A secret has 196 random bits, so plain SHA-256 reveals nothing.
    """
    digest = sha256(secret_key.encode(errors="surrogatepass")).hexdigest()
    return f"{site_keys.SECOND}{digest}", pepper.digest("secret", secret_key)


def _record(actor: Actor, action: str, publishable_key: str) -> None:
    """Records an action on a key in the audit log of each of its sites."""
    key = stored.get(publishable_key=publishable_key) or NO_ONES_KEY
    for site in stored.sites_of(key.id):
        audit_log.record(actor, action, site, key.name or publishable_key)


def _random() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(KEY_LENGTH))
