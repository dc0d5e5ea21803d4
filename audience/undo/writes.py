"""Carries out the decisions of an undo, in the caller's transaction: deletes or restores subscribers."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from audience import clock
from audience.access import site_keys
from audience.changes import log as change_log
from audience.changes.batches import SubscriberBatch
from audience.changes.changes import Acceptance, Change
from audience.subscribers import custom_fields
from audience.subscribers import writes as subscriber_writes
from audience.undo.decisions import REMOVED, SUPPRESSED, Decision
from storage.bulk import tag_renames
from storage.erasures import suppressions
from storage.erasures.suppressions import Suppression
from storage.subscribers import subscribers as stored
from storage.subscribers import tags as stored_tags
from storage.subscribers.subscribers import Subscriber


class _Target(NamedTuple):
    subscriber: Subscriber
    decision: Decision


def write(site_id: int, accepted: Acceptance, decisions: Sequence[Decision]) -> bool:
    """Carries out decisions. Returns whether the record of changes has values of removed subscribers.

    The caller then blanks them after the commit.
    """
    targets = [_Target(decision.subscriber, decision) for decision in decisions if decision.subscriber]
    removed = [target for target in targets if target.decision.outcome == REMOVED]
    changed = [target for target in targets if target.decision.values or target.decision.consent]
    if removed:
        _remove(site_id, accepted, removed)
    if changed:
        _restore(site_id, accepted, changed)
    former = {
        key: suppression for decision in decisions for key, suppression in decision.former_addresses.items()
    }
    _suppress_absent(site_id, former, accepted.number)
    return any(target.decision.has_traces for target in removed)


def _remove(site_id: int, accepted: Acceptance, removed: Sequence[_Target]) -> None:
    """Deletes subscribers. Suppresses their addresses where the decision says so, or as before the import."""
    suppressed = {
        subscriber.email_key: decision.lifted or _suppression(subscriber)
        for subscriber, decision in removed
        if decision.lifted or decision.by == SUPPRESSED
    }
    _suppress(site_id, suppressed, accepted.number)
    subscribers = [target.subscriber for target in removed]
    unsubscribed = {row.email_key for row in subscribers if row.unsubscribed_at is not None}
    change_log.log_freed(site_id, unsubscribed - suppressed.keys(), accepted.number)
    subscriber_writes.delete(site_id, subscribers)
    traced = {target.subscriber.id for target in removed if target.decision.has_traces}
    change_log.record_erased(site_id, accepted.source, subscribers, traced)


def _suppression(subscriber: Subscriber) -> Suppression:
    since = subscriber.consent_at or subscriber.unsubscribed_at or 0
    return Suppression(suppressions.UNSUBSCRIBED, since, subscriber.consent_number, subscriber.consent_kind)


def _suppress_absent(site_id: int, by_key: Mapping[str, Suppression], number: int) -> None:
    """Suppresses those of the addresses, by key, that have no subscriber."""
    existing = stored.get_by_keys(site_id, by_key) if by_key else {}
    absent = {key: suppression for key, suppression in by_key.items() if key not in existing}
    _suppress(site_id, absent, number)


def _suppress(site_id: int, by_key: Mapping[str, Suppression], number: int) -> None:
    """Suppresses addresses, by key, with the acceptance `number`."""
    hashes = site_keys.renew_hashes(site_id, by_key)
    change_log.suppress(site_id, {hashes[key]: suppression for key, suppression in by_key.items()}, number)


def _restore(site_id: int, accepted: Acceptance, changed: Sequence[_Target]) -> None:
    """Restores values and consent of subscribers, as a batch of changes."""
    at, tag_ids = clock.now_ms(), _current_tags(site_id, changed)
    changes = [_change(target, tag_ids) for target in changed]
    batch = SubscriberBatch(site_id, changes, accepted, at)
    batch.tag_ids = {str(tag_id): tag_id for tag_id in tag_ids.values()}
    fields = {key: None for change in changes for key in change.fields}
    removed = {key: None for change in changes for key in change.remove_fields}
    batch.field_ids, _ = custom_fields.ensure_ids(site_id, fields, removed, at)
    for change, (_, decision) in zip(changes, changed, strict=True):
        batch.apply(change)
        if decision.consent:
            batch.consents.put_back(batch.subscribers[change.key], decision.consent)
    subscriber_writes.save(batch)


def _current_tags(site_id: int, changed: Sequence[_Target]) -> dict[int, int]:
    """The ids of tags to add or remove, each with its own, or with that of the tag into which it was merged.
    Those that the site no longer has are left out.
    """
    tag_ids = {key for target in changed for kind, key in target.decision.values if kind == "tag"}
    current_ids = {tag_id: tag_id for tag_id in tag_ids} | tag_renames.replacements(site_id, tag_ids)
    existing = stored_tags.names(site_id, {*current_ids.values()})
    return {tag_id: current for tag_id, current in current_ids.items() if current in existing}


def _change(target: _Target, current_tags: Mapping[int, int]) -> Change:
    """The change that restores a decision's values, without tags that the site no longer has. Of a tag that
    was merged, the other is added, but not removed.
    """
    values: dict[str, dict[Any, Any]] = {"name": {}, "field": {}, "tag": {}}
    for (kind, key), value in target.decision.values.items():
        values[kind][key] = value
    names, fields = values["name"], values["field"]
    tags = {tag_id: had for tag_id, had in values["tag"].items() if tag_id in current_tags}
    added = dict.fromkeys(str(current_tags[tag_id]) for tag_id, had in tags.items() if had)
    removed = [str(tag_id) for tag_id, had in tags.items() if not had and current_tags[tag_id] == tag_id]
    blank = [name for name, value in names.items() if not value]
    return Change(
        target.subscriber.email_key,
        target.subscriber.email,
        **names,
        fields={key: value for key, value in fields.items() if value is not None},
        tags=[*added],
        remove_tags=[tag_id for tag_id in removed if tag_id not in added],
        remove_fields=[*blank, *(key for key, value in fields.items() if value is None)],
        creates=False,
    )
