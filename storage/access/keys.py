"""API keys and their sites. Instants are in milliseconds."""

from collections.abc import Collection
from typing import NamedTuple

from storage.access.models import KeyModel, KeySiteModel
from storage.access.sites import Site
from storage.database import execute, marks, row, rows

COLUMNS = "id, publishable_key, secret_hash, scope, created_at, revoked_at, expires_at, name, last_used_at"


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


def add(publishable_key: str, secret_hash: str, scope: str, site_ids: list[int], at: int, name: str) -> int:
    key_id: int = KeyModel.insert(
        publishable_key=publishable_key, secret_hash=secret_hash, scope=scope, created_at=at, name=name
    ).execute()
    KeySiteModel.insert_many([{"key": key_id, "site": site_id} for site_id in site_ids]).execute()
    return key_id


def rename(publishable_key: str, name: str) -> bool:
    """False if there is no such key."""
    return execute("UPDATE keys SET name = ? WHERE publishable_key = ?", (name, publishable_key)) > 0


def note_use(key_id: int, at: int) -> None:
    """Keeps the latest use of a key."""
    execute(
        "UPDATE keys SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?", (at, key_id, at)
    )


def put_secret_hash(key_id: int, secret_hash: str) -> None:
    execute("UPDATE keys SET secret_hash = ? WHERE id = ?", (secret_hash, key_id))


def get_by_publishable_key(publishable_key: str) -> Key | None:
    record = row(f"SELECT {COLUMNS} FROM keys WHERE publishable_key = ?", (publishable_key,))
    return record and Key(*record)


def publishable(key_ids: Collection[int]) -> dict[int, str]:
    """The publishable keys by id."""
    chosen = list(key_ids)
    return dict(rows(f"SELECT id, publishable_key FROM keys WHERE id IN ({marks(chosen)})", chosen))


def list_all(site_id: int | None) -> list[Key]:
    """All keys, or those of a site; oldest first."""
    query, parameters = f"SELECT {COLUMNS} FROM keys", []
    if site_id is not None:
        query, parameters = f"{query} WHERE id IN (SELECT key_id FROM key_sites WHERE site_id = ?)", [site_id]
    return [Key(*record) for record in rows(f"{query} ORDER BY id", parameters)]


def sites_of(key_id: int) -> list[Site]:
    """The sites that a key gives access to."""
    records = rows(
        "SELECT s.id, s.uuid, s.name, s.time_zone, s.created_at FROM key_sites k "
        "JOIN sites s ON s.id = k.site_id WHERE k.key_id = ? ORDER BY s.id",
        (key_id,),
    )
    return [Site(*record) for record in records]


def revoke(publishable_key: str, at: int) -> bool:
    """False if there is no such key, or if it is revoked already."""
    return bool(
        execute(
            "UPDATE keys SET revoked_at = ? WHERE publishable_key = ? AND revoked_at IS NULL",
            (at, publishable_key),
        )
    )


def expire(publishable_key: str, at: int) -> None:
    """Lets a key expire at an instant, unless it expires earlier."""
    execute(
        "UPDATE keys SET expires_at = ? WHERE publishable_key = ? AND (expires_at IS NULL OR expires_at > ?)",
        (at, publishable_key, at),
    )


def detach_keys(site_id: int, at: int) -> list[str]:
    """Detaches a site from its keys; revokes those without another site, returning their publishable keys."""
    orphaned = rows(
        "SELECT publishable_key FROM keys WHERE revoked_at IS NULL "
        "AND id IN (SELECT key_id FROM key_sites WHERE site_id = ?) "
        "AND id NOT IN (SELECT key_id FROM key_sites WHERE site_id <> ?) ORDER BY id",
        (site_id, site_id),
    )
    publishable_keys = [publishable_key for (publishable_key,) in orphaned]
    for publishable_key in publishable_keys:
        revoke(publishable_key, at)
    execute("DELETE FROM key_sites WHERE site_id = ?", (site_id,))
    return publishable_keys
