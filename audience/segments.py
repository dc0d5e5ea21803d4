"""Segments: saved rules, and the people whom they match now (contract section 3)."""

import json
from collections.abc import Mapping
from typing import Any

from audience import clock, rules
from audience.errors import NotFound, Refused
from audience.sites import Site
from audience.stats import Counts
from storage import database
from storage import reports as stored_reports
from storage import rules as stored_rules
from storage import segments as stored
from storage import subscribers as stored_subscribers
from storage.segments import SegmentRow as Segment
from storage.sql import Sql
from storage.subscribers import Filters, Person

__all__ = ["Segment"]

SAMPLE = 10
RULES = "segment.rules"
IN_USE = "Reports use this segment: delete them first, or give them another one."


@database.session()
def every(site: Site) -> list[Segment]:
    """Newest first."""
    return stored.all_segments(site.id)


@database.session()
def one(site: Site, segment_id: str) -> Segment:
    """Raises `NotFound`."""
    return found(site.id, segment_id)


@database.write()
def create(site: Site, item: Mapping[str, Any]) -> Segment:
    """Raises `Refused` on bad rules."""
    at = clock.now()
    rules.read(item["rules"], at, RULES)
    segment_id = stored.add(site.id, item["name"], item.get("description", ""), _json(item["rules"]), at)
    return found(site.id, str(segment_id))


@database.write()
def replace(site: Site, segment_id: str, item: Mapping[str, Any]) -> Segment:
    """Raises `NotFound`, and `Refused` on bad rules."""
    at = clock.now()
    segment = found(site.id, segment_id)
    rules.read(item["rules"], at, RULES)
    stored.change(site.id, segment.id, item["name"], item.get("description", ""), _json(item["rules"]), at)
    return found(site.id, segment_id)


@database.write()
def delete(site: Site, segment_id: str) -> Segment:
    """The segment as it was. Raises `NotFound`, and `Refused` when a report uses it."""
    segment = found(site.id, segment_id)
    if stored_reports.use_segment(site.id, segment.id):
        raise Refused(IN_USE)
    stored.delete(site.id, segment.id)
    return segment


@database.snapshot()
def preview(site: Site, given: Any) -> tuple[Counts, list[Person]]:
    """How many people rules match, and the newest 10 of them. Raises `Refused` on bad rules."""
    condition = _compile(site.id, given)
    sample = stored_subscribers.search(site.id, Filters(rule=condition), SAMPLE, 0)
    return Counts(*stored.count(site.id, condition)), sample


@database.session()
def counts(site: Site, segment_id: str) -> Counts:
    """Raises `NotFound`."""
    return Counts(*stored.count(site.id, matching(site.id, segment_id)))


def matching(site_id: int, segment_id: str) -> Sql:
    """The people of a segment, as a condition for `storage`, in the caller's session. Raises `NotFound`."""
    return _compile(site_id, json.loads(found(site_id, segment_id).rules))


def found(site_id: int, segment_id: str) -> Segment:
    """A segment by its id of the wire, in the caller's session. Raises `NotFound`."""
    segment = stored.by_id(site_id, int(segment_id)) if is_id(segment_id) else None
    if segment is None:
        raise NotFound("Segment not found: GET /v1/fetch/segments lists the segments of the site.")
    return segment


def is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18


def _compile(site_id: int, given: Any) -> Sql:
    return stored_rules.compile(rules.read(given, clock.now(), RULES), site_id)


def _json(given: Any) -> str:
    return json.dumps(given, ensure_ascii=False, separators=(",", ":"))
