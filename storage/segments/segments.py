"""Saved segments."""

from typing import NamedTuple

from storage import jobs
from storage.base_models import SiteOwnedModel
from storage.records import Records

JOB = "segment"  # the kind of the job that counts a segment


class Segment(NamedTuple):
    """A segment; `rules` is JSON, as received."""

    id: int
    name: str
    description: str
    rules: str
    created_at: int
    updated_at: int


class SegmentModel(SiteOwnedModel, table="segments", record=Segment):
    class Meta:
        indexes = ((("site", "id"), False),)


SEGMENTS = Records(SegmentModel, Segment)
has = SEGMENTS.has
list_all = SEGMENTS.newest


def get(site_id: int, segment_id: int) -> Segment | None:
    return SEGMENTS.get(site_id=site_id, id=segment_id)


def add(site_id: int, name: str, description: str, rules: str, at: int) -> int:
    """Adds a segment, and the job that counts it. Returns its id."""
    segment_id = SEGMENTS.add_new(Segment(0, name, description, rules, at, at), site_id=site_id)
    jobs.add(site_id, JOB, segment_id)
    return segment_id


def change(site_id: int, segment_id: int, name: str, description: str, rules: str, at: int) -> None:
    values = {"name": name, "description": description, "rules": rules, "updated_at": at}
    SEGMENTS.change(values, site_id=site_id, id=segment_id)


def delete(site_id: int, segment_id: int) -> None:
    """Deletes a segment, and the job that counts it. Raises `Conflict` if a report or a webhook uses it."""
    SEGMENTS.delete(site_id=site_id, id=segment_id)
    jobs.remove(site_id, JOB, segment_id)
