"""Sites and the keys that reach them."""

from typing import Any, NamedTuple

from storage.database import execute, row, rows
from storage.models import TABLES, Key, KeySite, Site, Table


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
    expires_at: int | None

    def good(self, at: int) -> bool:
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


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
        "SELECT id, publishable_key, secret_hash, scope, created_at, revoked_at, expires_at FROM keys "
        "WHERE publishable_key = ?",
        (publishable_key,),
    )
    return found and KeyRow(*found)


def keys(site_id: int | None) -> list[KeyRow]:
    """Every key, or those that reach a site; oldest first."""
    chosen: Any = Key.select(
        Key.id,
        Key.publishable_key,
        Key.secret_hash,
        Key.scope,
        Key.created_at,
        Key.revoked_at,
        Key.expires_at,
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


def expire(publishable_key: str, at: int) -> None:
    """Ends a key at an instant, unless it ends earlier."""
    execute(
        "UPDATE keys SET expires_at = ? WHERE publishable_key = ? AND (expires_at IS NULL OR expires_at > ?)",
        (at, publishable_key, at),
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


def put_counters(site_id: int, users: int, unsubscribers: int) -> None:
    execute(
        "UPDATE sites SET user_count = ?, unsubscriber_count = ? WHERE id = ?",
        (users, unsubscribers, site_id),
    )


def shut_out(site_id: int, at: int) -> list[str]:
    """Takes a site away from its keys and ends those that reach no other; their publishable keys."""
    ended = [
        found[0]
        for found in rows(
            "SELECT publishable_key FROM keys WHERE revoked_at IS NULL "
            "AND id IN (SELECT key_id FROM key_sites WHERE site_id = ?) "
            "AND id NOT IN (SELECT key_id FROM key_sites WHERE site_id <> ?) ORDER BY id",
            (site_id, site_id),
        )
    ]
    for publishable_key in ended:
        revoke(publishable_key, at)
    execute("DELETE FROM key_sites WHERE site_id = ?", (site_id,))
    return ended


def tables() -> list[str]:
    """The tables of what sites have, each before those that its rows refer to."""
    return [_meta(table).table_name for table in reversed(_of_sites())]


def size(site_id: int) -> int:
    """How many rows a site has in all tables."""
    return sum(row(f"SELECT count(*) FROM {table} WHERE site_id = ?", (site_id,))[0] for table in tables())


def delete_some(table: str, site_id: int, limit: int) -> int:
    """Deletes up to `limit` rows of a site; how many."""
    key = ", ".join(next(_key(each) for each in _of_sites() if _meta(each).table_name == table))
    return execute(
        f"DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE site_id = ? LIMIT ?)",
        (site_id, limit),
    )


def delete(site_id: int) -> None:
    """Deletes a site and what it still has."""
    for table in tables():
        execute(f"DELETE FROM {table} WHERE site_id = ?", (site_id,))
    execute("DELETE FROM sites WHERE id = ?", (site_id,))


def _of_sites() -> list[type[Table]]:
    return [table for table in TABLES if "site_id" in _meta(table).columns]


def _key(table: type[Table]) -> list[str]:
    return [field.column_name for field in _meta(table).get_primary_keys()]


def _meta(table: type[Table]) -> Any:
    return vars(table)["_meta"]
