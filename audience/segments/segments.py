"""Segments: saved rules, and the subscribers that match them now."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from unicodedata import normalize
from zoneinfo import ZoneInfo

from audience import clock
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.errors import NotFound, Refused
from audience.segments import rules as segment_rules
from audience.segments import spellings
from audience.subscribers.stats import Counts
from schemas.codes import Code, Sentence
from schemas.values import FieldError, compact_json
from storage import database
from storage.access import sites as stored_sites
from storage.reports import reports as stored_reports
from storage.searches import lists as subscriber_lists
from storage.searches import searches, suggestions
from storage.searches.lists import AddressStart
from storage.searches.searches import Filters
from storage.segments import counts as stored_counts
from storage.segments import members as stored_members
from storage.segments import segments as stored
from storage.segments.members import Members
from storage.segments.nodes import Condition
from storage.segments.rules import Finder
from storage.segments.segments import Segment
from storage.sql import Sql
from storage.subscribers import custom_fields as stored_fields
from storage.subscribers import field_values as stored_values
from storage.subscribers.subscribers import Subscriber
from storage.webhooks import webhooks as stored_webhooks

__all__ = ["Segment"]

SAMPLE_SIZE = 10
EXPORTED = "segment exported"
MOST_SUGGESTED = 200
MAX_NAME = 255
LONG_NAME = Sentence(Code.TOO_LONG, f"Send a name of at most {MAX_NAME} characters.")
RULES = "segment.rules"
NOT_FOUND = Sentence(
    Code.SEGMENT_NOT_FOUND, "Segment not found: GET /v1/fetch/segments lists the segments of the site."
)
IN_USE = Sentence(
    Code.IN_USE, "Reports use this segment: first delete these reports, or give them another segment."
)
SENT_BY = Sentence(
    Code.IN_USE,
    "Webhooks use this segment: first delete these webhooks, or give them another segment or none.",
)


@database.session()
def list_all(site: Site, **rows: int) -> list[Segment]:
    """The segments of a site, newest first; with `limit`, at most that many, with ids below `before`."""
    return stored.list_all(site.id, **rows)


@database.session()
def get(site: Site, segment_id: str) -> Segment:
    """Gets a segment. Raises `NotFound`."""
    return require(site.id, segment_id)


@database.writes_site
def create(site: Site, item: Mapping[str, Any], actor: Actor | None = None) -> Segment:
    """Creates a segment. With an `actor`, the audit log records it. Raises `Refused`."""
    check_name("segment.name", item["name"])
    at = clock.now_ms()
    _check_rules(site.id, item["rules"])
    rules = compact_json(item["rules"])
    segment_id = stored.add(site.id, item["name"], item.get("description", ""), rules, at)
    _record(site, actor, "segment made", item["name"])
    return require(site.id, str(segment_id))


@database.writes_site
def replace(site: Site, segment_id: str, item: Mapping[str, Any], actor: Actor | None = None) -> Segment:
    """Replaces a segment's values, unless they are the same. With an `actor`, the audit log records it.

    Raises `NotFound`, `Refused`.
    """
    at = clock.now_ms()
    segment = require(site.id, segment_id)
    check_name("segment.name", item["name"], segment.name)
    _check_rules(site.id, item["rules"])
    rules = compact_json(item["rules"])
    new = segment._replace(name=item["name"], description=item.get("description", ""), rules=rules)
    if new == segment:
        return segment
    stored.change(site.id, segment.id, new.name, new.description, rules, at)
    _record(site, actor, "segment changed", new.name)
    return new._replace(updated_at=at)


@database.writes_site
def delete(site: Site, segment_id: str, actor: Actor | None = None) -> Segment:
    """Deletes a segment. Returns it. Raises `NotFound`, and `Refused` if a report or webhook uses it."""
    segment = require(site.id, segment_id)
    if stored_reports.has(site_id=site.id, segment_id=segment.id):
        raise Refused(IN_USE)
    if stored_webhooks.has(site_id=site.id, segment_id=segment.id):
        raise Refused(SENT_BY)
    stored.delete(site.id, segment.id)
    stored_counts.forget(site.id, segment.id)
    _record(site, actor, "segment deleted", segment.name)
    return segment


@database.writes_site
def begin_export(site: Site, segment_id: str, actor: Actor) -> Segment:
    """Records in the audit log that a segment is exported. Returns it. Raises `NotFound`."""
    segment = require(site.id, segment_id)
    size, _ = stored_members.count(site.id, members(site.id, segment_id))
    audit_log.record(actor, f"{EXPORTED}, started", site, segment.name, size)
    return segment


def check_name(field: str, name: str, before: str = "") -> None:
    """Raises `Refused` for a name that is too long, unless `before`, the stored name, is the same."""
    if len(name) > MAX_NAME and name != before:
        raise Refused(LONG_NAME, [FieldError(field, LONG_NAME)])


def _check_rules(site_id: int, rules: Any) -> None:
    """Raises `Refused` for rules that cannot be read, or, unless they are a segment's, name a condition as a
    custom field.
    """
    is_saved = stored.has(site_id=site_id, rules=compact_json(rules))
    segment_rules.read(
        rules,
        clock.now_ms(),
        RULES,
        has_field=lambda key: is_saved or bool(stored_fields.ids(site_id, [key])),
    )


def _record(site: Site, actor: Actor | None, action: str, name: str) -> None:
    if actor:
        audit_log.record(actor, action, site, name)


@database.snapshot()
def preview(site: Site, rules: Any) -> tuple[Counts, list[Subscriber]]:
    """The counts of the subscribers that match rules, and the newest ones. Raises `Refused`."""
    _check_rules(site.id, rules)
    chosen = members_by(site.id, rules)
    sample = searches.search(site.id, Filters(rules=[chosen.condition]), SAMPLE_SIZE, 0)
    return Counts(*stored_members.count(site.id, chosen)), sample


@database.on_replica
def counts(site: Site, segment_id: str) -> Counts:
    """The counts of a segment's subscribers. Raises `NotFound`."""
    return Counts(*stored_members.count(site.id, members(site.id, segment_id)))


@database.snapshot()
def count(site: Site, rules: Any) -> int:
    """The number of subscribers that match unsaved rules. Raises `Refused`."""
    return stored_members.count(site.id, members_by(site.id, rules))[0]


@database.session()
def event_types(site: Site) -> list[str]:
    """The types of events to suggest for a rule."""
    return suggestions.event_types(site.id, MOST_SUGGESTED)


@database.snapshot()
def common_domains(site: Site) -> list[str]:
    """The domains to suggest for a rule, the most common first."""
    common = stored_values.most_common(site.id, stored_values.DOMAIN, MOST_SUGGESTED)
    return [domain for domain, _ in common]


@database.snapshot()
def field_values(site: Site, key: str) -> list[str]:
    """The values of a custom field to suggest for a rule."""
    return suggestions.values(site.id, key, MOST_SUGGESTED)


def members(site_id: int, segment_id: str, among: Collection[int] | None = None) -> Members:
    """The members of a segment, in the caller's session; with `among`, only those with these ids.

    Raises `NotFound`.
    """
    [chosen] = members_by_each(site_id, [json.loads(require(site_id, segment_id).rules)], among)
    return chosen


def beginning(site_id: int, text: str) -> Sql:
    """The condition that a subscriber's address, domain or name begins with `text`. Queries the database."""
    return subscriber_lists.begins_with(site_id, *spellings.starts(text), spellings.names(text))


def beginning_rule(text: str) -> dict[str, Any]:
    """The segment rule with the same meaning as `beginning`."""
    whole, of_domains = spellings.starts(text)
    if any(not start.local + start.domain for start in (*whole, *of_domains)):
        return {"all": []}
    parts = [_address_rule(start) for start in whole] + [_domain_rule(start) for start in of_domains]
    names = dict.fromkeys(name.casefold() for name in spellings.names(text))
    return {"any": [*parts, *(rule for name in names for rule in _name_rules(name))]}


def _address_rule(start: AddressStart) -> dict[str, Any]:
    forms = dict.fromkeys(normalize(form, start.local or start.domain) for form in ("NFC", "NFD"))
    local = _any([{"email": {"starts_with": form}} for form in forms])
    return {"all": [local, _domain_rule(start)]} if start.local and start.domain else local


def _domain_rule(start: AddressStart) -> dict[str, Any]:
    forms = dict.fromkeys((start.shown or start.domain, start.domain))
    return _any([{"email_domain": {"starts_with": form}} for form in forms])


def _name_rules(name: str) -> Iterator[dict[str, Any]]:
    yield from ({"field": field, "starts_with": name} for field in ("first_name", "last_name"))
    for first, _, last in dict.fromkeys((name.partition(" "), name.rpartition(" "))):
        if last and first:
            yield {"all": [{"field": "first_name", "is": first}, {"field": "last_name", "starts_with": last}]}


def _any(rules: list[dict[str, Any]]) -> dict[str, Any]:
    return rules[0] if len(rules) == 1 else {"any": rules}


def tag_condition(site_id: int, key: str) -> Sql:
    """The condition that a subscriber has a tag with this name key: the named tag or one of its twins."""
    return Finder(site_id).members(Condition("tag", "is", key)).condition


def require(site_id: int, segment_id: str) -> Segment:
    """The segment with an id (digits), in the caller's session. Raises `NotFound` for any other text."""
    segment = stored.get(site_id, int(segment_id)) if is_id(segment_id) else None
    if segment is None:
        raise NotFound(NOT_FOUND)
    return segment


def is_id(text: str) -> bool:
    """Whether a text is at most 18 ASCII digits."""
    return text.isascii() and text.isdigit() and len(text) <= 18


def members_by(site_id: int, rules: Any, where: str = RULES) -> Members:
    """The members that match unsaved rules, in the caller's session. Raises `Refused`.

    `where` is the path of the rules in the request, for errors.
    """
    [chosen] = members_by_each(site_id, [rules], where=where)
    return chosen


def members_by_each(
    site_id: int, rules: Sequence[Any], among: Collection[int] | None = None, where: str = RULES
) -> list[Members]:
    """The members that match each of several rules, at one instant, in the caller's session.

    With `among`, only members with these ids. Raises `Refused`, with paths below `where`.
    """
    with database.snapshot():
        at, zone, finder = clock.now_ms(), ZoneInfo(stored_sites.time_zone(site_id)), Finder(site_id, among)
        return [finder.members(segment_rules.read(rule, at, where, zone)) for rule in rules]
