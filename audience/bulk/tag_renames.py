"""Renames a tag, or merges it into another; segments and forms that name it then have the new name.

Both take effect at once. A job then writes each subscriber with the tag, so that the record of changes tells
it. Until then, a merged tag is a twin: a second tag with the other's name.
"""

import json
import time

from audience import clock, jobs
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.changes import log as change_log
from audience.errors import NotFound, Refused
from audience.forms import forms
from audience.jobs import DB, Job, Kind
from audience.segments import names as segment_names
from audience.sources import OPERATOR, Source
from audience.subscribers import tags
from audience.subscribers.tags import Tag
from schemas.codes import Code, Sentence
from schemas.values import FieldError
from storage import database
from storage import jobs as stored_jobs
from storage.access import site_counters
from storage.bulk import tag_renames as stored
from storage.bulk.tag_renames import TagRename
from storage.subscribers import tags as stored_tags

CHUNK_ROWS = 500  # subscribers, written in one transaction
TAKEN = Sentence(
    Code.TAG_EXISTS, "Another tag of the site has this name: merge the tag into it, or choose another name."
)
BUSY = Sentence(Code.TAG_BUSY, "The tag is being renamed or merged: try again in a moment.")
OTHER = Sentence(Code.REFUSED_VALUE, "Send the id of the tag to merge into: another tag of the site.")


@database.writes_site
def rename(site: Site, tag_id: int, name: str, source: Source = OPERATOR, actor: Actor | None = None) -> Tag:
    """Renames a tag. With an `actor`, the audit log records it. Raises `NotFound`, and `Refused` if another
    tag has the name, or an earlier rename has not ended.
    """
    tag, key = tags.get(site, tag_id), tags.name_key(name)
    if name == tag.name:
        return tag
    refuse_while_renaming(site.id, tag_id)
    if tags.ids(site.id, [name]).get(key, tag_id) != tag_id:
        raise Refused(TAKEN, [FieldError("tag.name", TAKEN)])
    stored_tags.rename(site.id, tag_id, name, key)
    _begin(site, tag, tag_id, source)
    _rename_in_segments_and_forms(site, tag, name)
    if actor:
        audit_log.record(actor, f"tag renamed{audit_log.NAMED}{name}", site, tag.name)
    return tags.get(site, tag_id)


@database.writes_site
def merge(
    site: Site, tag_id: int, into_id: int, source: Source = OPERATOR, actor: Actor | None = None
) -> Tag:
    """Merges a tag into another, which its subscribers get in its place. Returns the other tag. With an
    `actor`, the audit log records it. Raises `NotFound`, and `Refused` if the other does not exist, or an
    earlier rename of one of them has not ended.
    """
    tag, into = tags.get(site, tag_id), stored_tags.get(site_id=site.id, id=into_id)
    if into is None or into == tag:
        raise Refused(OTHER, [FieldError("tag.into", OTHER)])
    if stored.is_merging(site.id, tag_id, into_id):
        return into
    refuse_while_renaming(site.id, tag_id, into_id)
    stored.redirect(site.id, tag_id, into_id)
    stored_tags.make_twin(site.id, tag_id, into, tags.name_key(into.name))
    size = _begin(site, tag, into_id, source)
    _rename_in_segments_and_forms(site, tag, into.name)
    if actor:
        audit_log.record(actor, f"tag merged{audit_log.NAMED}{into.name}", site, tag.name, size)
    return tags.get(site, into_id)


def refuse_while_renaming(site_id: int, *tag_ids: int) -> None:
    """Raises `Refused` while one of the tags is being renamed or merged, in the caller's session."""
    renames = stored.list_unrecorded(site_id)
    if not {*tag_ids}.isdisjoint(tag_id for rename in renames for tag_id in (rename.tag_id, rename.into_id)):
        raise Refused(BUSY)


@database.session()
def under_way(site: Site) -> dict[int, str]:
    """The state of tags that are being changed, such as "being merged", by their ids."""
    states = dict[int, str]()
    for pending in stored.list_unrecorded(site.id):
        states[pending.into_id] = "getting others" if pending.is_merge else "being renamed"
        if pending.is_merge:
            states[pending.tag_id] = "being merged"
    return states


def _begin(site: Site, tag: Tag, into_id: int, source: Source) -> int:
    """Stores the former name of a tag, and adds the job that writes its subscribers. Returns their number.

    The former name of a twin gets the number 0, since it also names the older tag. Without subscribers, the
    rename ends at once.
    """
    key = tags.name_key(tag.name)
    number = site_counters.take_acceptance_number(site.id, clock.now_ms())[0] if tag.name_key == key else 0
    rename = TagRename(0, tag.id, into_id, tag.name, key, number, *source)
    rename = rename._replace(id=stored.add(rename, site=site.id))
    size = stored_tags.bearers(site.id, [tag.id])[tag.id]
    if size:
        stored_jobs.add(site.id, stored.JOB, rename.id)
    else:
        _end(site.id, rename)
    return size


def _end(site_id: int, rename: TagRename) -> None:
    stored.end(site_id, rename.id)
    if rename.is_merge:
        stored_tags.forget(site_id, rename.tag_id)


def _rename_in_segments_and_forms(site: Site, tag: Tag, name: str) -> None:
    """Gives segments and forms that name a tag its new name. They never name a twin."""
    key = tags.name_key(tag.name)
    if tag.name_key == key:
        segment_names.rename_tag(site.id, key, name, clock.now_ms())
        forms.rename_tag(site.id, key, name, clock.now_ms())


def _step(job: Job, deadline: float) -> int:
    """Writes subscribers until the deadline. Returns `SETTLED` at the end, otherwise 0."""
    while not _write_some(job):
        if time.monotonic() >= deadline or database.log_is_full():
            return 0
    return jobs.SETTLED


KIND = Kind(stored.JOB, DB, _step)


def _write_some(job: Job) -> bool:
    """Writes the next subscribers with a tag that was renamed or merged. Returns whether that was all."""
    site_id = job.site_id
    with database.write(site_id):
        jobs.hold(job, DB)
        rename = stored.get(site_id=site_id, id=job.subject)
        if rename is None:
            raise NotFound(tags.NOT_FOUND)
        tagged = stored_tags.subscribers_with_tag(site_id, rename.tag_id, CHUNK_ROWS, rename.position)
        if tagged:
            _write(site_id, rename, {id_: json.loads(tag_ids) for id_, tag_ids in tagged})
            stored.advance(site_id, rename.id, tagged[-1][0])
            return False
        _end(site_id, rename)
        jobs.end(job)
        return True


def _write(site_id: int, rename: TagRename, tag_ids: dict[int, list[int]]) -> None:
    """Writes subscribers, given with their tag ids. The record tells that they lost the former name, unless
    they have another tag of that name.
    """
    at, into, former = clock.now_ms(), rename.into_id, rename.former_id
    names = stored_tags.names(site_id, [into]) | {former: rename.name}
    same = stored_tags.ids_of_name(site_id, rename.name, rename.name_key)
    now = {
        id_: list(dict.fromkeys(into if tag_id == rename.tag_id else tag_id for tag_id in before))
        for id_, before in tag_ids.items()
    }
    changed = {
        id_: (
            () if rename.is_merge and into in tag_ids[id_] else (into,),
            () if same & {*now_ids} else (former,),
        )
        for id_, now_ids in now.items()
    }
    stored_tags.recache(site_id, ((id_, json.dumps(now_ids)) for id_, now_ids in now.items()), at)
    if rename.is_merge:
        gained = [id_ for id_, (added, _) in changed.items() if added]
        stored_tags.link((site_id, into, id_) for id_ in gained)
        stored_tags.unlink((site_id, rename.tag_id, id_) for id_ in now)
        stored_tags.add_to_counters(site_id, {into: len(gained), rename.tag_id: -len(now)})
    change_log.record_tags(site_id, Source(rename.source, rename.source_id), changed, names, at)
