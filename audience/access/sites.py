"""Sites: each with its own subscribers, fields, tags and keys."""

import uuid
import zoneinfo
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from audience import clock
from audience.access import audit_log, first_reports, site_keys
from audience.access.audit_log import COMMAND_LINE, Actor
from audience.errors import NotFound, Refused
from audience.privacy import secret_files
from audience.protocols import Progress
from storage import database
from storage.access import keys as stored_keys
from storage.access import sites as stored
from storage.access.sites import Site
from storage.errors import Unavailable
from storage.instance import erased_pages, site_tables

__all__ = ["Site"]

Answer = TypeVar("Answer")

TIME_ZONE = "The time zone must be a name from the IANA database, such as Europe/Berlin."
NO_NAME = "Give the site a name."
NO_SITE = "Site not found: `audience site list` lists all sites."
SEVERAL = (
    "There are several sites: choose one with --site and its name or uuid; `audience site list` lists them."
)
SAME_NAME = "Several sites have this name: choose one by its uuid; `audience site list` lists them."
CHUNK_ROWS = 2_000  # deleted per transaction


@database.write(database.SHARED)
def create(name: str, time_zone: str = "UTC", actor: Actor = COMMAND_LINE) -> Site:
    """Creates a site with its first reports. Raises `Refused` for a blank name or an unknown time zone."""
    require_name(name)
    at = clock.now_ms()
    site = stored.add(str(uuid.uuid4()), name, require_zone(time_zone), at, site_keys.new_nonce())
    first_reports.create(site.id, at)
    audit_log.record(actor, "site made", subject=name)
    return site


@database.writes_site
def set_time_zone(site: Site, time_zone: str, actor: Actor = COMMAND_LINE) -> None:
    """Sets the time zone of a site. Raises `Refused` for an unknown one."""
    zone = require_zone(time_zone)
    if zone != site.time_zone:
        stored.set_time_zone(site.id, zone)
        audit_log.record(actor, "time zone set", site, zone)


@database.session()
def list_all() -> list[Site]:
    return stored.list_all()


def each_answering(
    read: Callable[[int | None], Answer], *others: int
) -> tuple[list[Answer], Unavailable | None]:
    """What `read(None)` returns for all sites at once, and no error.

    If the tables of some sites do not answer: what `read` returns for each site that answers, and the error.
    `others` are numbers that are read like the id of a site, such as `SHARED`. Raises `Unavailable` if the
    sites cannot be listed.
    """
    try:
        return [read(None)], None
    except Unavailable as error:
        silent = error
    answers = []
    for site_id in [*others, *(site.id for site in list_all())]:
        with suppress(Unavailable):
            answers.append(read(site_id))
    return answers, silent


@database.session()
def get(site_id: int) -> Site:
    """Gets a site. Raises `NotFound`."""
    return _require(stored.get(id=site_id))


@database.session()
def get_by_uuid(site_uuid: str) -> Site:
    """Gets a site by its uuid. Raises `NotFound`."""
    return _require(stored.get(uuid=site_uuid))


def _require(site: Site | None) -> Site:
    if site is None:
        raise NotFound(NO_SITE)
    return site


@database.session()
def choose(name: str | None = None) -> Site:
    """The site with the uuid `name`, else the only site with that name; without `name`, the only site.

    Raises `NotFound`, also if several sites match.
    """
    every = stored.list_all()
    by_uuid = [site for site in every if site.uuid == name]
    matching = by_uuid or [site for site in every if name in (None, site.name)]
    if len(matching) != 1:
        raise NotFound((SAME_NAME if name else SEVERAL) if matching else NO_SITE)
    return matching[0]


@database.writes_site
def rename(site: Site, name: str, actor: Actor = COMMAND_LINE) -> None:
    """Renames a site. Raises `Refused` for a blank name."""
    require_name(name)
    if name != site.name:
        stored.rename(site.id, name)
        audit_log.record(actor, "site renamed", site, name)


@database.writes_site
def change(site: Site, name: str, time_zone: str, actor: Actor) -> None:
    """Sets a site's name and time zone, where they differ. Raises `Refused` for an unknown time zone."""
    rename(site, name, actor)
    set_time_zone(site, time_zone, actor)


@dataclass(frozen=True)
class DeletedSite:
    """The result of deleting a site: the number of deleted rows, and the revoked `keys`.

    Unless `clean`, deleted data remains on disk until a later sweep.
    """

    rows: int
    keys: list[str]
    clean: bool


def delete(site: Site, instance: Path, progress: Progress) -> DeletedSite:
    """Deletes a site, its keys first, then all its data in chunks. If interrupted, call it again."""
    keys = revoke_keys(site, instance)
    with database.session():
        total = site_tables.size(site.id)
    done = 0
    for deleted in delete_rows(site):
        done += deleted
        progress("Deleting", done, max(done, total))
    done += delete_last(site, instance, COMMAND_LINE)
    progress("Deleting", done, done)
    return DeletedSite(done, keys, erased_pages.run(instance))


@database.write(database.SHARED)
def revoke_keys(site: Site, instance: Path) -> list[str]:
    """Detaches a site from its keys. Returns those that it revoked, which reached no other site."""
    erased_pages.request(instance)
    keys = stored_keys.detach_keys(site.id, clock.now_ms())
    for publishable_key in keys:
        secret_files.forget_first_site(instance, publishable_key)
    return keys


def delete_rows(site: Site) -> Iterator[int]:
    """Deletes a site's rows, up to `CHUNK_ROWS` in each transaction. Yields after each how many."""
    for table in site_tables.tables_to_empty():
        while deleted := _delete_some(table, site.id):
            yield deleted


def _delete_some(table: str, site_id: int) -> int:
    with database.write(site_id):
        return site_tables.delete_some(table, site_id, CHUNK_ROWS)


@database.writes_site
def delete_last(site: Site, instance: Path, actor: Actor) -> int:
    """Deletes a site and its remaining rows. Returns how many those were."""
    erased_pages.request(instance)  # once more: the first request may have been served meanwhile
    audit_log.record(actor, "site deleted", subject=site.name)
    return site_tables.delete(site.id)


_zones = lru_cache(maxsize=1)(zoneinfo.available_timezones)  # looks into 600 files


def require_name(name: str) -> None:
    """Raises `Refused` for a blank name, which could not be typed to delete the site."""
    if not name.strip():
        raise Refused(NO_NAME)


def require_zone(time_zone: str) -> str:
    """The name of a time zone. Raises `Refused`."""
    if time_zone not in _zones():
        raise Refused(TIME_ZONE)
    return time_zone
