"""Writing and deleting subscribers with all that is kept beside them, in a fixed number of statements."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import orjson

from audience import clock
from audience.access import site_keys
from audience.changes import log as change_log
from audience.changes.batches import ABSENT, SubscriberBatch
from audience.changes.changes import json_equal, values_text
from audience.subscribers import field_values
from storage.access import sites as stored_sites
from storage.changes import consent_changes
from storage.changes.consent_changes import ConsentChange
from storage.erasures import suppressions
from storage.links import former_links
from storage.sign_ups import sign_ups
from storage.subscribers import batches as stored
from storage.subscribers import custom_fields
from storage.subscribers import subscribers as stored_subscribers
from storage.subscribers import tags as stored_tags
from storage.subscribers.batches import FIELDS, ID, KEY, TAG_IDS, UNSUBSCRIBED_AT, SubscriberRow
from storage.subscribers.subscribers import Subscriber


def save(batch: SubscriberBatch) -> None:
    """Writes a batch, in the caller's transaction. New subscribers get their ids."""
    _write_texts(batch)
    created = [subscriber for key, subscriber in batch.subscribers.items() if key not in batch.existing]
    for subscriber_id, subscriber in zip(stored.new_ids(len(created)), created, strict=True):
        subscriber[ID] = subscriber_id
    stored.insert(created)
    changed = _changed_by_groups(batch)
    stored.update(batch.site_id, changed)
    _save_tags(batch)
    _save_values(batch, created)
    _save_consents(batch)
    noted = {
        batch.hashes[key]: suppression for key, suppression in batch.noted.items() if key not in batch.lifted
    }
    change_log.suppress(batch.site_id, noted, batch.accepted.number)
    _end_sign_ups(batch)
    suppressions.lift(batch.site_id, [batch.hashes[key] for key in batch.lifted])
    if created and former_links.has(site_id=batch.site_id):
        holders = {site_keys.address_hash(batch.site_id, row[KEY]): row[ID] for row in created}
        former_links.put_holders(batch.site_id, holders)
    unsubscribers = sum(subscriber[UNSUBSCRIBED_AT] is not None for subscriber in batch.subscribers.values())
    unsubscribers_before = sum(row[UNSUBSCRIBED_AT] is not None for row in batch.existing.values())
    stored_sites.add_to_counters(
        batch.site_id, users=len(created), unsubscribers=unsubscribers - unsubscribers_before
    )
    change_log.record(batch, created, changed)


def delete(site_id: int, subscribers: Sequence[Subscriber]) -> None:
    """Deletes subscribers and all about them, in the caller's transaction.

    Their links then unsubscribe whoever gets the address.
    """
    ids = custom_fields.ids(site_id, {key for subscriber in subscribers for key in subscriber.fields})
    holders = field_values.Holders(ids)
    for subscriber in subscribers:
        holders.add(subscriber.fields, subscriber.id)
        holders.add_domain(subscriber.email_key, subscriber.id)
    field_values.save(site_id, {}, holders.by_value)
    tagged = Counter(tag_id for subscriber in subscribers for tag_id in subscriber.tag_ids)
    stored_tags.add_to_counters(site_id, {tag_id: -bearers for tag_id, bearers in tagged.items()})
    hashes = site_keys.renew_hashes(site_id, {subscriber.email_key for subscriber in subscribers})
    former = {
        site_keys.address_hash(site_id, subscriber.uuid): hashes[subscriber.email_key]
        for subscriber in subscribers
    }
    former_links.add(site_id, former, clock.now_ms())
    users, unsubscribers = stored_subscribers.delete(site_id, [subscriber.id for subscriber in subscribers])
    stored_sites.add_to_counters(site_id, users=-users, unsubscribers=-unsubscribers)


def _write_texts(batch: SubscriberBatch) -> None:
    """Writes changed custom values and tags into the batch's text columns."""
    for key in batch.revalued:  # a later change may have put back what an earlier one replaced
        values, replaced = batch.values[key], batch.replaced[key]
        for name in [name for name, old in replaced.items() if json_equal(values.get(name, ABSENT), old)]:
            del replaced[name]
    for key, replaced in batch.replaced.items():
        if replaced:
            subscriber = batch.subscribers[key]
            subscriber[FIELDS] = values_text(batch.values[key], subscriber[FIELDS])
    for key, tagged in batch.tagged.items():
        tag_ids = list(tagged)
        if tag_ids != list(batch.tagged_before[key]):
            batch.subscribers[key][TAG_IDS] = orjson.dumps(tag_ids).decode()


def _changed_by_groups(batch: SubscriberBatch) -> dict[int, list[SubscriberRow]]:
    """The existing subscribers that the batch changed, by the bits of their changed column groups."""
    changed: dict[int, list[SubscriberRow]] = defaultdict(list)
    for key, before in batch.existing.items():
        subscriber = batch.subscribers[key]
        if groups := stored.changed_groups(subscriber, before):
            changed[groups].append(subscriber)
    return changed


def _save_tags(batch: SubscriberBatch) -> None:
    """Stores the tags that the batch added and removed, and counts each tag's subscribers."""
    added: dict[int, list[int]] = defaultdict(list)  # ids of subscribers by tag
    removed: dict[int, list[int]] = defaultdict(list)
    for key, tagged in batch.tagged.items():
        before, subscriber_id = batch.tagged_before[key], batch.subscribers[key][ID]
        for tag_id in tagged:
            if tag_id not in before:
                added[tag_id].append(subscriber_id)
        for tag_id in before:
            if tag_id not in tagged:
                removed[tag_id].append(subscriber_id)
    stored_tags.link(_links(batch.site_id, added))
    stored_tags.unlink(_links(batch.site_id, removed))
    more = Counter({tag_id: len(ids) for tag_id, ids in added.items()})
    more.subtract({tag_id: len(ids) for tag_id, ids in removed.items()})
    stored_tags.add_to_counters(batch.site_id, more)


def _links(site_id: int, ids_by_tag: Mapping[int, list[int]]) -> list[tuple[int, int, int]]:
    """The (site id, tag id, subscriber id) rows of tagged subscribers, sorted like their table for speed."""
    return [
        (site_id, tag_id, row_id) for tag_id in sorted(ids_by_tag) for row_id in sorted(ids_by_tag[tag_id])
    ]


def _save_values(batch: SubscriberBatch, created: Iterable[SubscriberRow]) -> None:
    """Stores the batch's added and removed custom values, and the domains of the subscribers `created`."""
    added, removed = (field_values.Holders(batch.field_ids) for _ in range(2))
    for subscriber in created:
        added.add_domain(subscriber[KEY], subscriber[ID])
    for key, replaced in batch.replaced.items():
        if not replaced:
            continue
        values, subscriber_id = batch.values[key], batch.subscribers[key][ID]
        if key in batch.existing:
            removed.add({name: old for name, old in replaced.items() if old is not ABSENT}, subscriber_id)
            values = {name: values[name] for name in replaced if name in values}
        added.add(values, subscriber_id)
    field_values.save(batch.site_id, added.by_value, removed.by_value)


def _end_sign_ups(batch: SubscriberBatch) -> None:
    """Ends the open sign-ups of addresses that this batch unsubscribes."""
    keys = batch.consents.unsubscribed_keys | batch.noted.keys()
    if keys and sign_ups.has(site_id=batch.site_id):
        sign_ups.end_open(batch.site_id, [site_keys.address_hash(batch.site_id, key) for key in keys])


def _save_consents(batch: SubscriberBatch) -> None:
    source = batch.accepted.source
    changes = (
        ConsentChange(subscriber[ID], at, subscribed, *source, reason)
        for subscriber, at, subscribed, reason in batch.consents.changes
    )
    consent_changes.add(changes, site_id=batch.site_id)
