"""Saved segments, and the number of subscribers that match a rule."""

from typing import NamedTuple

from storage import jobs
from storage.database import row
from storage.engines.chosen import engine
from storage.records import Records
from storage.segments.models import SegmentModel
from storage.segments.people import People, joining
from storage.segments.rules import UNSUBSCRIBED
from storage.sql import Sql

JOB = "segment"  # the kind of the job that counts one

# Reads the subscribers of a site in the order of `created_at`, nearly their order on disk. With the site
# alone, the query planner chooses the index of `updated_at`, whose random access is ten times as slow.
OF_SITE = "subscribers.site_id = ? AND subscribers.created_at > '-9223372036854775808'"


class Segment(NamedTuple):
    """A segment; `rules` is JSON."""

    id: int
    name: str
    description: str
    rules: str
    created_at: int
    updated_at: int


SEGMENTS = Records(SegmentModel, Segment)


def list_all(site_id: int) -> list[Segment]:
    """The segments of a site, newest first."""
    return SEGMENTS.find("ORDER BY id DESC", site_id=site_id)


def get(site_id: int, segment_id: int) -> Segment | None:
    return SEGMENTS.get(site_id=site_id, id=segment_id)


def add(site_id: int, name: str, description: str, rules: str, at: int) -> int:
    segment_id = SEGMENTS.add_new(Segment(0, name, description, rules, at, at), site_id=site_id)
    jobs.add(site_id, JOB, segment_id)
    return segment_id


def change(site_id: int, segment_id: int, name: str, description: str, rules: str, at: int) -> None:
    values = {"name": name, "description": description, "rules": rules, "updated_at": at}
    SEGMENTS.change(values, site_id=site_id, id=segment_id)


def delete(site_id: int, segment_id: int) -> None:
    """Deletes a segment. Raises `Conflict` if a report or a webhook uses it."""
    SEGMENTS.delete(site_id=site_id, id=segment_id)
    jobs.remove(site_id, JOB, segment_id)


def count(site_id: int, rule: Sql) -> tuple[int, int]:
    """The numbers of subscribers and of unsubscribed ones that match a rule."""
    with joining():
        return _count(site_id, rule)


def _count(site_id: int, rule: Sql) -> tuple[int, int]:
    if isinstance(rule, People) and not rule.excludes:
        return _count_members(site_id, rule)
    counts: tuple[int, int] = row(
        f"SELECT count(*), count(unsubscribed_at) FROM subscribers WHERE {OF_SITE} AND ({rule.text})",
        (site_id, *rule.parameters),
    )
    return counts


def _count_members(site_id: int, members: People) -> tuple[int, int]:
    once = "" if members.grouped.text else "GROUP BY subscriber_id"
    text = engine.COUNTED.format(ids=members.ids.text, left=UNSUBSCRIBED, once=once)
    counts: tuple[int, int] = row(text, (site_id, *members.ids.parameters))
    return counts
