"""Tags of a site; compared without regard to case (contract sections 2 and 3)."""

import json
from collections.abc import Iterable

from audience import clock
from audience.errors import NotFound
from audience.sites import Site
from storage import database
from storage import tags as stored
from storage.tags import TagRow as Tag

__all__ = ["Tag"]


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


@database.write()
def delete(site: Site, tag_id: int) -> Tag:
    """Takes a tag off everyone and ends it; the tag as it was. Raises `NotFound`."""
    tag = _found(stored.by_id(site.id, tag_id))
    stored.recache(
        site.id,
        (
            (subscriber_id, json.dumps([each for each in json.loads(cached) if each != tag_id]))
            for subscriber_id, cached in stored.bearers(site.id, tag_id)
        ),
        clock.now(),
    )
    stored.delete(site.id, tag_id)
    return tag


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
