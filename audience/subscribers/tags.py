"""Tags of a site, whose names are compared by `name_key`.

Tags from before that comparison may have equal keys. The oldest of them has the name; the others are its
twins.
"""

import json
import math
import time
import unicodedata
from collections.abc import Collection, Iterable
from contextlib import suppress

from audience import clock
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.changes import log as change_log
from audience.errors import NotFound, Refused
from audience.sources import OPERATOR, Source
from schemas.codes import Code, Sentence
from schemas.values import MAX_SENT_NAME, UNSEEN, FieldError
from storage import database
from storage.errors import Unavailable
from storage.renames import tag_renames
from storage.subscribers import tags as stored
from storage.subscribers.tags import DiscardedTag, Tag

__all__ = ["Tag"]

NOT_FOUND = Sentence(Code.TAG_NOT_FOUND, "Tag not found: GET /v1/fetch/tags lists the tags of the site.")
ANOTHER = Sentence(
    Code.TAG_MISMATCH,
    "The tag with this id has another name: correct the id or the name, or leave the name out.",
)
BUSY = Sentence(Code.TAG_BUSY, "The tag is being renamed or merged: try again in a moment.")
CHUNK_ROWS = 500
HIDDEN = {ord(character): None for character in UNSEEN if not character.isspace()}
SWEEP_SECONDS = 1.0


def name_key(name: str) -> str:
    """The key of a tag's name: without case and invisible characters, and with single blanks.

    It is "" if nothing visible is left.
    """
    if name.isascii() and name.isprintable() and "  " not in name:
        return name.strip().lower()
    visible = " ".join(name.translate(HIDDEN).split())
    return (visible if len(visible) > MAX_SENT_NAME else unicodedata.normalize("NFC", visible)).casefold()


@database.session()
def list_all(site: Site, **rows: int) -> list[Tag]:
    """The tags of a site, newest first; with `limit`, so many with ids below `before`."""
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


def delete(
    site: Site,
    tag_id: int,
    source: Source = OPERATOR,
    actor: Actor | None = None,
    names: Collection[str] = (),
) -> Tag:
    """Deletes a tag, and removes it from its subscribers. Returns the deleted tag. With an `actor`, the audit
    log records it.

    `names` are those that the caller sent with the id. Raises `NotFound`, and `Refused` if one of them is not
    the tag's name, or while the tag is renamed or merged. If interrupted, the next sweep resumes the removal.
    """
    tag = discard(site, tag_id, source, actor, names)
    remove(site, tag, source)
    return tag


@database.writes_site
def discard(
    site: Site,
    tag_id: int,
    source: Source = OPERATOR,
    actor: Actor | None = None,
    names: Collection[str] = (),
) -> Tag:
    """Deletes a tag as `delete` does, in one transaction; its subscribers keep it until `remove`."""
    tag = get(site, tag_id)
    require_told(site.id, tag_id)
    if {name_key(name) for name in names} - {name_key(tag.name)}:
        raise Refused(ANOTHER, [FieldError("tag.name", ANOTHER)])
    stored.discard(site.id, tag.id, tag.name, source)
    tag_renames.forget(site.id, tag.id)
    if actor:
        audit_log.record(actor, "tag deleted", site, tag.name)
    return tag


def require_told(site_id: int, *tag_ids: int) -> None:
    """Raises `Refused` while one of the tags is being renamed or merged, in the caller's session."""
    renames = tag_renames.untold(site_id)
    if not {*tag_ids}.isdisjoint(tag_id for rename in renames for tag_id in (rename.tag_id, rename.into_id)):
        raise Refused(BUSY)


def remove(site: Site, tag: Tag, source: Source = OPERATOR) -> None:
    """Removes a discarded tag from its subscribers."""
    with suppress(Unavailable):
        _strip(DiscardedTag(site.id, tag.id, tag.name, *source))


def sweep(only_site: int | None = None) -> None:
    """Removes deleted tags from subscribers that still have them, for about a second."""
    deadline = time.monotonic() + SWEEP_SECONDS
    with database.session():
        discarded = stored.discarded(only_site)
    for tag in discarded:
        _strip(tag, deadline)


def _strip(tag: DiscardedTag, deadline: float = math.inf) -> None:
    """Removes a deleted tag from its subscribers, in several transactions, so that others can write in
    between.
    """
    while time.monotonic() < deadline and _strip_some(tag.site_id, tag):
        pass


@database.writes_site
def _strip_some(site_id: int, tag: DiscardedTag) -> bool:
    """Removes a deleted tag from up to `CHUNK_ROWS` subscribers, and forgets it once nobody has it.

    Returns True if more subscribers may have it.
    """
    at = clock.now_ms()
    tagged_rows = stored.subscribers_with_tag(site_id, tag.tag_id, CHUNK_ROWS)
    without = [
        (subscriber_id, json.dumps([other for other in json.loads(cached) if other != tag.tag_id]))
        for subscriber_id, cached in tagged_rows
    ]
    same = stored.ids_of_name(site_id, tag.name, name_key(tag.name))
    changed = {
        subscriber_id: ((), () if {*json.loads(others)} & same else (tag.tag_id,))
        for subscriber_id, others in without
    }
    stored.recache(site_id, without, at)
    stored.unlink([(site_id, tag.tag_id, subscriber_id) for subscriber_id in changed])
    if changed:
        source = Source(tag.source, tag.source_id)
        change_log.record_tags(site_id, source, changed, {tag.tag_id: tag.name}, at)
    else:
        stored.forget(site_id, tag.tag_id)
    return bool(changed)


def ids(site_id: int, names: Iterable[str], number: int | None = None) -> dict[str, int]:
    """The ids of existing tags by name key, in the caller's session. With the `number` of an acceptance, a
    name that a tag lost since is that of this tag, whoever has it now.
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
    ids. `number` is that of the acceptance of the names, if others may have been accepted since.
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
    """Creates the missing tags among `added`, in the caller's transaction. The names were accepted with the
    number `number` of the site.

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
    """The names that were accepted with the number `number`, each as its tag is called now. In the caller's
    session.
    """
    ids_by_key = ids(site_id, names, number)
    by_id = stored.names(site_id, ids_by_key.values())
    return [by_id.get(ids_by_key.get(name_key(name), 0), name) for name in names]


def twins(site_id: int) -> dict[int, list[int]]:
    """The ids of twins, by the id of the older tag whose name equals theirs. In the caller's session."""
    rows = stored.twins(site_id)
    older = stored.ids(site_id, [key for key, _ in rows]) if rows else {}
    by_id: dict[int, list[int]] = {}
    for key, tag_id in rows:
        by_id.setdefault(older[key], []).append(tag_id)
    return by_id


@database.session()
def list_twins(site: Site) -> list[tuple[Tag, Tag]]:
    """The (older tag, twin) pairs of tags whose names are compared as equal, without those being
    merged.
    """
    groups = twins(site.id)
    by_id = {tag.id: tag for tag in stored.list_all(site.id)} if groups else {}
    merging = {rename.tag_id for rename in tag_renames.untold(site.id)}
    return [
        (by_id[older], by_id[twin])
        for older, others in groups.items()
        for twin in others
        if twin not in merging
    ]
