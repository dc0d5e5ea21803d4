"""API keys and their sites. Instants are in milliseconds."""

from collections.abc import Collection
from typing import NamedTuple

from peewee import BigIntegerField, CompositeKey, ForeignKeyField, TextField

from storage.access.sites import SITES, Site
from storage.base_models import BaseModel, IdModel, SiteModel
from storage.database import column, execute
from storage.engines.chosen import engine
from storage.records import Records


class Key(NamedTuple):
    id: int
    publishable_key: str
    secret_hash: str
    scope: str
    created_at: int
    revoked_at: int | None
    expires_at: int | None
    name: str
    last_used_at: int | None

    def is_active(self, at: int) -> bool:
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


class KeyModel(IdModel, table="keys", record=Key):
    publishable_key = TextField(unique=True)
    revoked_at = BigIntegerField(null=True)


class KeySiteModel(BaseModel, table="key_sites"):
    key = ForeignKeyField(KeyModel, on_delete="CASCADE")
    site = ForeignKeyField(SiteModel, on_delete="CASCADE", index=False)

    class Meta:
        primary_key = CompositeKey("site", "key")


KEYS = Records(KeyModel, Key)
get = KEYS.get


def add(publishable_key: str, secret_hash: str, scope: str, site_ids: list[int], at: int, name: str) -> int:
    """Adds an API key for some sites. Returns its id."""
    key_id = KEYS.add(
        publishable_key=publishable_key, secret_hash=secret_hash, scope=scope, created_at=at, name=name
    )
    KeySiteModel.insert_many([{"key": key_id, "site": site_id} for site_id in site_ids]).execute()
    return key_id


def rename(publishable_key: str, name: str) -> bool:
    """Renames a key. Returns False if there is no such key."""
    return KEYS.change({"name": name}, publishable_key=publishable_key) > 0


def note_use(key_id: int, at: int) -> None:
    """Stores when a key was used, unless a later use is stored."""
    execute(
        "UPDATE keys SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?", (at, key_id, at)
    )


def put_secret_hash(key_id: int, secret_hash: str) -> None:
    KEYS.change({"secret_hash": secret_hash}, id=key_id)


def publishable(key_ids: Collection[int]) -> dict[int, str]:
    """The publishable keys, by key id."""
    return dict(KEYS.select("id, publishable_key", id=engine.among(key_ids)))


def list_all(site_id: int | None) -> list[Key]:
    """All keys, oldest first; with a site, only those that give access to it."""
    if site_id is None:
        return KEYS.find("ORDER BY id")
    return KEYS.find("WHERE id IN (SELECT key_id FROM key_sites WHERE site_id = ?) ORDER BY id", site_id)


def sites_of(key_id: int) -> list[Site]:
    """The sites that a key gives access to."""
    return SITES.find("WHERE id IN (SELECT site_id FROM key_sites WHERE key_id = ?) ORDER BY id", key_id)


def revoke(publishable_key: str, at: int) -> bool:
    """Revokes a key at an instant. Returns False if there is no such key, or it is revoked already."""
    active = KeyModel.publishable_key == publishable_key, KeyModel.revoked_at.is_null()
    return bool(KeyModel.update(revoked_at=at).where(*active).execute())


def expire(publishable_key: str, at: int) -> None:
    """Lets a key expire at an instant, unless it expires earlier."""
    execute(
        "UPDATE keys SET expires_at = ? WHERE publishable_key = ? AND (expires_at IS NULL OR expires_at > ?)",
        (at, publishable_key, at),
    )


def detach_keys(site_id: int, at: int) -> list[str]:
    """Detaches a site from all its keys. Revokes keys without another site. Returns those revoked."""
    publishable_keys: list[str] = column(
        "SELECT publishable_key FROM keys WHERE revoked_at IS NULL "
        "AND id IN (SELECT key_id FROM key_sites WHERE site_id = ?) "
        "AND id NOT IN (SELECT key_id FROM key_sites WHERE site_id <> ?) ORDER BY id",
        (site_id, site_id),
    )
    for publishable_key in publishable_keys:
        revoke(publishable_key, at)
    execute("DELETE FROM key_sites WHERE site_id = ?", (site_id,))
    return publishable_keys
