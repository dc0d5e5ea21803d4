"""Deletes tags. A job in the background, the sweep, removes them from subscribers if an earlier removal was
interrupted.
"""

import json
import math
import time
from collections.abc import Collection
from contextlib import suppress

from audience import clock
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.bulk import tag_renames
from audience.changes import log as change_log
from audience.errors import Refused
from audience.sources import OPERATOR, Source
from audience.subscribers import tags
from schemas.codes import Code, Sentence
from schemas.values import FieldError
from storage import database
from storage.bulk import tag_renames as stored_renames
from storage.errors import Unavailable
from storage.subscribers import tags as stored_tags
from storage.subscribers.tags import DiscardedTag, Tag

ANOTHER = Sentence(
    Code.TAG_MISMATCH,
    "The tag with this id has a different name: correct the id or the name, or leave the name out.",
)
CHUNK_ROWS = 500
SWEEP_SECONDS = 1.0


def delete(site: Site, tag_id: int, source: Source = OPERATOR, actor: Actor | None = None) -> Tag:
    """Deletes a tag, and removes it from its subscribers. Returns the deleted tag. With an `actor`, the audit
    log records it.

    Raises `NotFound`, and `Refused` while the tag is being renamed or merged. If interrupted, the next sweep
    resumes the removal.
    """
    tag = discard(site, tag_id, source, actor)
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
    """Deletes a tag as `delete` does, in one transaction; its subscribers keep it until `remove`.

    `names` are those that the caller sent with the id. Raises `Refused` if one of them is not the tag's name.
    """
    tag = tags.get(site, tag_id)
    tag_renames.refuse_while_renaming(site.id, tag_id)
    if {tags.name_key(name) for name in names} - {tags.name_key(tag.name)}:
        raise Refused(ANOTHER, [FieldError("tag.name", ANOTHER)])
    stored_tags.discard(site.id, tag.id, tag.name, source)
    stored_renames.forget(site.id, tag.id)
    if actor:
        audit_log.record(actor, "tag deleted", site, tag.name)
    return tag


def remove(site: Site, tag: Tag, source: Source = OPERATOR) -> None:
    """Removes a discarded tag from its subscribers."""
    with suppress(Unavailable):
        _strip(DiscardedTag(site.id, tag.id, tag.name, *source))


def sweep(only_site: int | None = None) -> None:
    """Removes deleted tags from subscribers that still have them, for about a second."""
    deadline = time.monotonic() + SWEEP_SECONDS
    with database.session():
        discarded = stored_tags.discarded(only_site)
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
    """Removes a deleted tag from up to `CHUNK_ROWS` subscribers. Forgets the tag once no subscriber has it.

    Returns True if more subscribers may have the tag.
    """
    at = clock.now_ms()
    tagged_rows = stored_tags.subscribers_with_tag(site_id, tag.tag_id, CHUNK_ROWS)
    without = [
        (subscriber_id, json.dumps([other for other in json.loads(cached) if other != tag.tag_id]))
        for subscriber_id, cached in tagged_rows
    ]
    same = stored_tags.ids_of_name(site_id, tag.name, tags.name_key(tag.name))
    changed = {
        subscriber_id: ((), () if {*json.loads(others)} & same else (tag.tag_id,))
        for subscriber_id, others in without
    }
    stored_tags.recache(site_id, without, at)
    stored_tags.unlink([(site_id, tag.tag_id, subscriber_id) for subscriber_id in changed])
    if changed:
        source = Source(tag.source, tag.source_id)
        change_log.record_tags(site_id, source, changed, {tag.tag_id: tag.name}, at)
    else:
        stored_tags.forget(site_id, tag.tag_id)
    return bool(changed)
