"""Sites and the keys that reach them."""

from typing import Any, NamedTuple

from storage.database import execute, row, rows
from storage.models import Key, KeySite, Site


class SiteRow(NamedTuple):
    """`time_zone` is an IANA name."""

    id: int
    uuid: str
    name: str
    time_zone: str


class KeyRow(NamedTuple):
    id: int
    publishable_key: str
    secret_hash: str
    scope: str
    created_at: int
    revoked_at: int | None


def add_site(uuid: str, name: str, time_zone: str, at: int) -> SiteRow:
    site_id = Site.insert(uuid=uuid, name=name, time_zone=time_zone, created_at=at).execute()
    return SiteRow(site_id, uuid, name, time_zone)


def set_time_zone(site_id: int, time_zone: str) -> None:
    execute("UPDATE sites SET time_zone = ? WHERE id = ?", (time_zone, site_id))


def by_uuid(uuid: str) -> SiteRow | None:
    found = row("SELECT id, uuid, name, time_zone FROM sites WHERE uuid = ?", (uuid,))
    return found and SiteRow(*found)


def all_sites() -> list[SiteRow]:
    return [SiteRow(*found) for found in rows("SELECT id, uuid, name, time_zone FROM sites ORDER BY id")]


def add_key(publishable_key: str, secret_hash: str, scope: str, site_ids: list[int], at: int) -> int:
    key_id: int = Key.insert(
        publishable_key=publishable_key, secret_hash=secret_hash, scope=scope, created_at=at
    ).execute()
    KeySite.insert_many([{"key": key_id, "site": site_id} for site_id in site_ids]).execute()
    return key_id


def key(publishable_key: str) -> KeyRow | None:
    found = row(
        "SELECT id, publishable_key, secret_hash, scope, created_at, revoked_at FROM keys "
        "WHERE publishable_key = ?",
        (publishable_key,),
    )
    return found and KeyRow(*found)


def keys(site_id: int | None) -> list[KeyRow]:
    """Every key, or those that reach a site; oldest first."""
    chosen: Any = Key.select(
        Key.id, Key.publishable_key, Key.secret_hash, Key.scope, Key.created_at, Key.revoked_at
    ).order_by(Key.id)
    if site_id is not None:
        chosen = chosen.join(KeySite).where(KeySite.site == site_id)
    return [KeyRow(*found) for found in chosen.tuples()]


def reached(key_id: int) -> list[SiteRow]:
    """The sites that a key reaches."""
    return [
        SiteRow(*found)
        for found in rows(
            "SELECT s.id, s.uuid, s.name, s.time_zone FROM key_sites k JOIN sites s ON s.id = k.site_id "
            "WHERE k.key_id = ? ORDER BY s.id",
            (key_id,),
        )
    ]


def revoke(publishable_key: str, at: int) -> bool:
    """False when there is no such key, or it is revoked already."""
    return bool(
        execute(
            "UPDATE keys SET revoked_at = ? WHERE publishable_key = ? AND revoked_at IS NULL",
            (at, publishable_key),
        )
    )


def count(site_id: int, users: int, unsubscribers: int) -> None:
    """Moves the counters of a site, in the transaction of the change that they count."""
    if users or unsubscribers:
        execute(
            "UPDATE sites SET user_count = user_count + ?, unsubscriber_count = unsubscriber_count + ? "
            "WHERE id = ?",
            (users, unsubscribers, site_id),
        )


def counters(site_id: int) -> tuple[int, int]:
    """(users, unsubscribers) as kept."""
    found = row("SELECT user_count, unsubscriber_count FROM sites WHERE id = ?", (site_id,))
    return (found[0], found[1]) if found else (0, 0)


def recount(site_id: int) -> tuple[int, int]:
    """(users, unsubscribers) as counted from the people."""
    found = row("SELECT count(*), count(unsubscribed_at) FROM subscribers WHERE site_id = ?", (site_id,))
    return (found[0], found[1]) if found else (0, 0)
