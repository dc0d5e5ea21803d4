"""Tags of a site, whose names are compared by `name_key`.

Tags from before that comparison may have equal keys. The oldest of them has the name; the others are its
twins.
"""

import unicodedata
from collections.abc import Collection, Iterable, Mapping

from audience import clock
from audience.access.sites import Site
from audience.errors import NotFound
from schemas.codes import Code, Sentence
from schemas.values import MAX_SENT_NAME, UNSEEN
from storage import database
from storage.bulk import tag_renames
from storage.subscribers import tags as stored
from storage.subscribers.tags import Tag

__all__ = ["Tag"]

NOT_FOUND = Sentence(Code.TAG_NOT_FOUND, "Tag not found: GET /v1/fetch/tags lists the tags of the site.")
HIDDEN = {ord(character): None for character in UNSEEN if not character.isspace()}


def name_key(name: str) -> str:
    """The key of a tag's name: without case and invisible characters, and with single blanks.

    The key is "" if the name has no visible character.
    """
    if name.isascii() and name.isprintable() and "  " not in name:
        return name.strip().lower()
    visible = " ".join(name.translate(HIDDEN).split())
    return (visible if len(visible) > MAX_SENT_NAME else unicodedata.normalize("NFC", visible)).casefold()


@database.session()
def list_all(site: Site, **rows: int) -> list[Tag]:
    """The tags of a site, newest first; with `limit`, at most that many, with ids below `before`."""
    return stored.list_all(site.id, **rows)


@database.session()
def get(site: Site, tag_id: int) -> Tag:
    """Gets a tag. Raises `NotFound`."""
    tag = stored.get(site_id=site.id, id=tag_id)
    if tag is None:
        raise NotFound(NOT_FOUND)
    return tag


@database.session()
def sizes(site: Site, rows: Collection[Tag]) -> dict[int, int]:
    """The number of subscribers of each of these tags, by id."""
    return stored.bearers(site.id, [tag.id for tag in rows])


@database.session()
def get_by_name(site: Site, name: str) -> Tag:
    """Gets the tag with a name. Raises `NotFound`."""
    return get(site, ids(site.id, [name]).get(name_key(name), 0))


@database.writes_site
def create(site: Site, name: str) -> Tag:
    """The tag with a name, which is created if missing."""
    existing, _ = ensure(site.id, (name,), clock.now_ms())
    return get(site, existing[name_key(name)])


def ids(site_id: int, names: Iterable[str], number: int | None = None) -> dict[str, int]:
    """The ids of existing tags by name key, in the caller's session. A name means the tag that
    had it at the site's `number`, or now without a `number`.
    """
    keys = {name_key(name) for name in names}
    existing = stored.ids(site_id, keys) if keys else {}
    if keys and number is not None:
        existing |= tag_renames.former_ids(site_id, keys, number)
    return existing


def ensure(
    site_id: int, names: Iterable[str], at: int, number: int | None = None
) -> tuple[dict[str, int], list[int]]:
    """Creates the missing tags, in the caller's transaction. Returns the ids of all, by name key, and the new
    ids. `number` is as in `ids`: the site's number when the names were accepted.
    """
    by_key = {name_key(name): name for name in reversed(list(names))}
    existing = ids(site_id, by_key, number)
    missing = [(name, key) for key, name in reversed(by_key.items()) if key not in existing]
    if not missing:
        return existing, []
    stored.add(site_id, missing, at)
    existing |= ids(site_id, [name for name, _ in missing])
    return existing, [existing[key] for _, key in missing]


def ids_by_name(
    site_id: int, added: Collection[str], removed: Collection[str], at: int, number: int
) -> tuple[dict[str, int], list[int]]:
    """Creates the missing tags among `added` at an instant, in the caller's transaction. `number` is the
    site's number when the names were accepted.

    Returns the ids of existing tags among `added` and `removed`, by name as spelled there, and the created
    ids.
    """
    if not added and not removed:
        return {}, []
    existing, created = ensure(site_id, added, at, number)
    existing |= ids(site_id, [name for name in removed if name_key(name) not in existing], number)
    keys = {name: name_key(name) for name in (*added, *removed)}
    return {name: existing[key] for name, key in keys.items() if key in existing}, created


def current_names(site_id: int, names: Collection[str], number: int) -> list[str]:
    """Today's names of the tags that had `names` at the site's `number`, in the caller's session. A name that
    no tag had stays.
    """
    ids_by_key = ids(site_id, names, number)
    by_id = stored.names(site_id, ids_by_key.values())
    return [by_id.get(ids_by_key.get(name_key(name), 0), name) for name in names]


def twins(site_id: int) -> dict[int, list[int]]:
    """The ids of twins, by the id of the oldest tag with the same key, in the caller's session."""
    rows = stored.twins(site_id)
    older = stored.ids(site_id, [key for key, _ in rows]) if rows else {}
    by_id: dict[int, list[int]] = {}
    for key, tag_id in rows:
        by_id.setdefault(older[key], []).append(tag_id)
    return by_id


def merge_targets(site_id: int, names: Mapping[int, str]) -> dict[int, str]:
    """The name keys of those tags into which others are being merged, by id, in the caller's session.

    `names` has the tags' names by id.
    """
    into = {rename.into_id for rename in tag_renames.list_unrecorded(site_id) if rename.is_merge}
    return {tag_id: name_key(name) for tag_id, name in names.items() if tag_id in into}


@database.session()
def list_twins(site: Site) -> list[tuple[Tag, Tag]]:
    """The pairs (oldest tag, twin) of tags with the same key, without twins that are being merged."""
    groups = twins(site.id)
    by_id = {tag.id: tag for tag in stored.list_all(site.id)} if groups else {}
    merging = {rename.tag_id for rename in tag_renames.list_unrecorded(site.id)}
    return [
        (by_id[older], by_id[twin])
        for older, others in groups.items()
        for twin in others
        if twin not in merging
    ]
