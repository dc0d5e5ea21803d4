"""Sites and their counters."""

from typing import NamedTuple

from storage.access.site_counters import SiteCounterModel
from storage.base_models import SiteModel
from storage.database import execute, row, value
from storage.records import Records


class Site(NamedTuple):
    """A site; `time_zone` is an IANA name."""

    id: int
    uuid: str
    name: str
    time_zone: str
    created_at: int


SITES = Records(SiteModel, Site)
get = SITES.get


def add(uuid: str, name: str, time_zone: str, at: int, key_nonce: str) -> Site:
    site_id = SITES.add(uuid=uuid, name=name, time_zone=time_zone, created_at=at, key_nonce=key_nonce)
    SiteCounterModel.insert(site=site_id, accepted=0).execute()
    return Site(site_id, uuid, name, time_zone, at)


def set_time_zone(site_id: int, time_zone: str) -> None:
    SITES.change({"time_zone": time_zone}, id=site_id)


def rename(site_id: int, name: str) -> None:
    SITES.change({"name": name}, id=site_id)


def beginning_with(uuid: str) -> list[Site]:
    """The sites whose uuid begins with a text."""
    return SITES.find("WHERE uuid BETWEEN ? AND ?", uuid, f"{uuid}~")


def key_parts(site_id: int) -> tuple[str, str]:
    """The (uuid, nonce) from which the site's key is derived. Neither ever changes."""
    parts: tuple[str, str] = row("SELECT uuid, key_nonce FROM sites WHERE id = ?", (site_id,))
    return parts


def time_zone(site_id: int) -> str:
    return value("SELECT time_zone FROM sites WHERE id = ?", (site_id,), "UTC", keeps_plan=True)


def list_all() -> list[Site]:
    return SITES.find("ORDER BY id")


def add_to_counters(site_id: int, users: int, unsubscribers: int) -> None:
    """Adds to the site's counters; negative numbers subtract. Call it in the transaction of the change."""
    if users or unsubscribers:
        execute(
            "INSERT INTO site_counters (site_id, accepted, users, unsubscribers) VALUES (?, 0, ?, ?) "
            "ON CONFLICT (site_id) DO UPDATE SET users = site_counters.users + excluded.users, "
            "unsubscribers = site_counters.unsubscribers + excluded.unsubscribers",
            (site_id, users, unsubscribers),
        )


def counters(site_id: int) -> tuple[int, int]:
    """The (users, unsubscribers) of a site, from its counters."""
    query = "SELECT users, unsubscribers FROM site_counters WHERE site_id = ?"
    return row(query, (site_id,), keeps_plan=True) or (0, 0)


def recount(site_id: int) -> tuple[int, int]:
    """The (users, unsubscribers) of a site, counted from its subscribers, which takes longer."""
    query = "SELECT count(*), count(unsubscribed_at) FROM subscribers WHERE site_id = ?"
    return row(query, (site_id,)) or (0, 0)


def put_counters(site_id: int, users: int, unsubscribers: int) -> None:
    """Replaces a site's counters of (users, unsubscribers)."""
    SiteCounterModel.update(users=users, unsubscribers=unsubscribers).where(
        SiteCounterModel.site == site_id
    ).execute()
