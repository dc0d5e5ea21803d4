"""Tags of a site; compared without regard to case (contract sections 2 and 3)."""

import json
import math
import time
from collections.abc import Iterable
from contextlib import suppress

from audience import clock
from audience.errors import NotFound
from audience.sites import Site
from storage import database
from storage import tags as stored
from storage.errors import Unavailable
from storage.tags import TagRow as Tag

__all__ = ["Tag"]

CHUNK = 500
PAUSE = 0.002  # seconds between chunks: SQLite's lock is not fair
SWEEP = 1.0  # seconds


def name_key(name: str) -> str:
    return name.casefold()


@database.session()
def every(site: Site) -> list[Tag]:
    """Newest first."""
    return stored.all_tags(site.id)


@database.write()
def create(site: Site, name: str) -> Tag:
    """The tag of that name, created when there is none."""
    tag_id = ensure(site.id, (name,), clock.now())[name_key(name)]
    return _found(stored.by_id(site.id, tag_id))


def delete(site: Site, tag_id: int) -> Tag:
    """Ends a tag and takes it off everyone; the tag as it was. Raises `NotFound`.

    Whatever happens once it has ended, the next sweep takes it off whoever still has it.
    """
    with database.write():
        tag = _found(stored.by_id(site.id, tag_id))
        stored.discard(site.id, tag_id)
    with suppress(Unavailable):
        _strip(site.id, tag_id)
    return tag


def sweep() -> None:
    """Takes tags that have ended off whoever still has them, for about a second."""
    until = time.monotonic() + SWEEP
    with database.session():
        discarded = stored.discarded()
    for site_id, tag_id in discarded:
        _strip(site_id, tag_id, until)


def _strip(site_id: int, tag_id: int, until: float = math.inf) -> None:
    """In chunks, so that others can write in between."""
    while time.monotonic() < until and _strip_some(site_id, tag_id):
        time.sleep(PAUSE)


@database.write()
def _strip_some(site_id: int, tag_id: int) -> bool:
    bearers = stored.bearers(site_id, tag_id, CHUNK)
    without = [
        (subscriber_id, json.dumps([each for each in json.loads(cached) if each != tag_id]))
        for subscriber_id, cached in bearers
    ]
    stored.recache(site_id, without, clock.now())
    stored.unlink(site_id, [(tag_id, subscriber_id) for subscriber_id, _ in bearers])
    if not bearers:
        stored.forget(site_id, tag_id)
    return bool(bearers)


def ids(site_id: int, names: Iterable[str]) -> dict[str, int]:
    """Ids by name key of the tags that exist; within the caller's session."""
    wanted = {name_key(name) for name in names}
    return stored.ids(site_id, wanted) if wanted else {}


def ensure(site_id: int, names: Iterable[str], at: int) -> dict[str, int]:
    """Ids by name key, creating the tags that the site does not have; within the caller's transaction."""
    by_key = {name_key(name): name for name in reversed(list(names))}
    known = ids(site_id, by_key)
    missing = [(name, key) for key, name in reversed(by_key.items()) if key not in known]
    if not missing:
        return known
    stored.add(site_id, missing, at)
    return ids(site_id, by_key)


def _found(tag: Tag | None) -> Tag:
    if tag is None:
        raise NotFound("Tag not found: GET /v1/fetch/tags lists the tags of the site.")
    return tag
