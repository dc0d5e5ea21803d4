"""The key of each site. It makes the hashes of the site's addresses and the secrets of its webhooks, and
signs its links.

The key is derived from the pepper, the site's uuid and a nonce, and not from the site's id in this database.
Hashes and secrets from before sites had keys are of the first scheme: they were made of the pepper and the
id. They are still recognised.
"""

import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from audience import addresses
from audience.privacy import pepper, redaction
from storage import database
from storage.access import sites as stored
from storage.erasures import suppressions

NONCE_BYTES = 16
SECOND = "v2:"  # begins what a site's key has made


class SiteKey(NamedTuple):
    """The key with which a site's addresses are hashed: `digest` hashes one. If `is_first`, the site may also
    have hashes of the first scheme, which used the site's local id in place of a key.
    """

    key: bytes
    is_first: bool
    uuid: str
    digest: Callable[[str], str]


_keys: dict[int, SiteKey] = {}  # by the site's id


def forget() -> None:
    """Empties the cache of site keys, before another instance is opened."""
    _keys.clear()


def get(site_id: int) -> SiteKey:
    """The key of a site, cached after the first call."""
    if site_id not in _keys:
        with database.session():
            uuid, nonce = stored.key_parts(site_id)
        key = bytes.fromhex(pepper.digest("site", f"{uuid} {nonce}"))
        _keys[site_id] = SiteKey(key, not nonce, uuid, pepper.digester("address", key, SECOND))
    return _keys[site_id]


def address_hash(site_id: int, email_key: str) -> str:
    """The hash under which an address is stored now."""
    return get(site_id).digest(email_key)


def address_hashes(site_id: int, email_key: str) -> list[str]:
    """All hashes under which an address may be stored, the current one first."""
    first = [pepper.address_hash(site_id, email_key)] if get(site_id).is_first else []
    return [address_hash(site_id, email_key), *first]


def new_nonce() -> str:
    """A random nonce for the key of a new site."""
    return secrets.token_hex(NONCE_BYTES)


def new_webhook_nonce() -> str:
    return f"{SECOND}{secrets.token_hex(2 * NONCE_BYTES)}"


def webhook_secret(site_id: int, webhook_id: int, nonce: str) -> bytes:
    """The 32 bytes of a webhook's secret, made from its stored nonce. Secrets of the first scheme stay the
    same.
    """
    if nonce.startswith(SECOND):
        return bytes.fromhex(pepper.digest("webhook", nonce, get(site_id).key))
    return bytes.fromhex(pepper.digest("webhook", f"{site_id} {webhook_id} {nonce}"))


def link_key(site_id: int, purpose: str, generation: int, nonce: str) -> bytes:
    """The 32 bytes that sign a site's links for a purpose, different for each generation."""
    return bytes.fromhex(pepper.digest(f"link {purpose}", f"{generation} {nonce}", get(site_id).key))


def renew_hashes(site_id: int, email_keys: Iterable[str]) -> dict[str, str]:
    """The current hashes of addresses, by key of the address.

    Suppressions under a hash of the first scheme get the current one, in the caller's transaction.
    """
    hashes = {key: address_hash(site_id, key) for key in email_keys}
    if get(site_id).is_first and suppressions.any_of_first_scheme(site_id, SECOND):
        first = {pepper.address_hash(site_id, key): hash_ for key, hash_ in hashes.items()}
        suppressions.rename(site_id, first)
    return hashes


def decode_malformed(address: str) -> str:
    """The address, decoded if only that makes it valid, such as `ann%40example.com`."""
    plain = (redaction.address_in(address) or address).strip("'")
    for form in (address, plain):
        with suppress(addresses.MalformedAddress):
            addresses.identity(form)
            return form
    return address


def sent_address_hash(site_id: int, address: str) -> str:
    """The keyed hash of an address as it was sent, perhaps malformed."""
    return address_hash(site_id, _sent_key(address))


def sent_address_hashes(site_id: int, address: str) -> list[str]:
    """All hashes under which an address as sent, perhaps malformed, may be stored; the current one first."""
    return address_hashes(site_id, _sent_key(address))


def _sent_key(address: str) -> str:
    try:
        return addresses.identity(address)
    except addresses.MalformedAddress:
        return address.strip().lower()
