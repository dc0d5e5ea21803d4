"""Doing what undo decided on: people are removed, or get back what they had, in the caller's transaction."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from audience import clock
from audience.access import site_keys
from audience.changes import log as change_log
from audience.changes.batches import SubscriberBatch
from audience.changes.changes import Acceptance, Change
from audience.subscribers import custom_fields
from audience.subscribers import writes as subscriber_writes
from audience.undo.decisions import LEFT, REMOVED, Decision
from storage.erasures import suppressions
from storage.erasures.suppressions import Suppression
from storage.subscribers import subscribers as stored
from storage.subscribers import tags as stored_tags
from storage.subscribers.subscribers import Subscriber


class _Put(NamedTuple):
    person: Subscriber
    decision: Decision


def write(site_id: int, accepted: Acceptance, decisions: Sequence[Decision]) -> bool:
    """Does it; whether the record has something of those removed, to be blanked after the commit."""
    puts = [_Put(decision.person, decision) for decision in decisions if decision.person]
    removed = [put for put in puts if put.decision.outcome == REMOVED]
    changed = [put for put in puts if put.decision.back or put.decision.consent]
    if removed:
        _remove(site_id, accepted, removed)
    if changed:
        _put_back(site_id, accepted, changed)
    _keep_left(
        site_id,
        accepted.number,
        {key: left for decision in decisions for key, left in decision.left_at.items()},
    )
    return any(put.decision.has_traces for put in removed)


def _remove(site_id: int, accepted: Acceptance, removed: Sequence[_Put]) -> None:
    """Of those who stay known as left, and of those who were known as gone before, the keyed hash stays."""
    left = {
        person.email_key: decision.lifted or _suppression(person)
        for person, decision in removed
        if decision.lifted or decision.by == LEFT
    }
    _suppress(site_id, left, accepted.number)
    people = [put.person for put in removed]
    subscriber_writes.delete(site_id, people)
    traced = {put.person.id for put in removed if put.decision.has_traces}
    change_log.record_erased(site_id, accepted.source, people, traced)


def _suppression(person: Subscriber) -> Suppression:
    since = person.consent_at or person.unsubscribed_at or 0
    return Suppression(suppressions.UNSUBSCRIBED, since, person.consent_number, person.consent_kind)


def _keep_left(site_id: int, number: int, left_at: Mapping[str, Suppression]) -> None:
    """Of addresses without a subscriber."""
    there = stored.get_by_keys(site_id, left_at) if left_at else {}
    _suppress(site_id, {key: left for key, left in left_at.items() if key not in there}, number)


def _suppress(site_id: int, left: Mapping[str, Suppression], number: int) -> None:
    """By keys of addresses."""
    hashes = site_keys.renewed(site_id, left)
    suppressed = {hashes[key]: suppression for key, suppression in left.items()}
    change_log.suppress(site_id, suppressed, number)


def _put_back(site_id: int, accepted: Acceptance, changed: Sequence[_Put]) -> None:
    at, known = clock.now_ms(), _known_tags(site_id, changed)
    changes = [_change(put, known) for put in changed]
    batch = SubscriberBatch(site_id, changes, accepted, at)
    batch.tag_ids = {str(tag_id): tag_id for tag_id in known}
    fields = {key: None for change in changes for key in change.fields}
    removed = {key: None for change in changes for key in change.remove_fields}
    batch.field_ids, _ = custom_fields.ensure_ids(site_id, fields, removed, at)
    for change, (_, decision) in zip(changes, changed, strict=True):
        batch.apply(change)
        if decision.consent:
            batch.consents.put_back(batch.people[change.key], decision.consent)
    subscriber_writes.save(batch)


def _known_tags(site_id: int, changed: Sequence[_Put]) -> set[int]:
    """Of the tags to be put on or taken off, those that the site still has."""
    tag_ids = {key for put in changed for kind, key in put.decision.back if kind == "tag"}
    return set(stored_tags.names(site_id, tag_ids))


def _change(put: _Put, known_tags: set[int]) -> Change:
    values: dict[str, dict[Any, Any]] = {"name": {}, "field": {}, "tag": {}}
    for (kind, key), value in put.decision.back.items():
        values[kind][key] = value
    names, fields = values["name"], values["field"]
    tags = {str(tag_id): had for tag_id, had in values["tag"].items() if tag_id in known_tags}
    blank = [name for name, value in names.items() if not value]
    return Change(
        put.person.email_key,
        put.person.email,
        **names,
        fields={key: value for key, value in fields.items() if value is not None},
        tags=[tag_id for tag_id, had in tags.items() if had],
        remove_tags=[tag_id for tag_id, had in tags.items() if not had],
        remove_fields=[*blank, *(key for key, value in fields.items() if value is None)],
        creates=False,
    )
