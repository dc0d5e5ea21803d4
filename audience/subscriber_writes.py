"""Writing and deleting subscribers with all that is kept beside them, in a fixed number of statements."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import orjson

from audience import field_values
from audience.changes import json_equal
from audience.subscriber_batches import ABSENT, Person, SubscriberBatch
from schemas.values import compact_json
from storage import consent_changes, custom_fields, domains, suppressions
from storage import field_values as stored_values
from storage import sites as stored_sites
from storage import subscriber_batches as stored
from storage import subscribers as stored_subscribers
from storage import tags as stored_tags
from storage.subscriber_batches import FIELDS, ID, KEY, TAG_IDS, UNSUBSCRIBED_AT
from storage.subscribers import Subscriber


def save(batch: SubscriberBatch) -> None:
    """Writes a batch, in the caller's transaction; gives new subscribers their ids."""
    _write_texts(batch)
    created = [person for key, person in batch.people.items() if key not in batch.known]
    for subscriber_id, person in zip(stored.new_ids(len(created)), created, strict=True):
        person[ID] = subscriber_id
    stored.insert(created)
    stored.update(batch.site_id, _changed(batch))
    _save_tags(batch)
    _save_values(batch)
    _save_consents(batch)
    suppressions.lift(batch.site_id, batch.lifted)
    domains.count(batch.site_id, Counter(domains.of_keys(person[KEY] for person in created)))
    left = sum(person[UNSUBSCRIBED_AT] is not None for person in batch.people.values())
    had_left = sum(row[UNSUBSCRIBED_AT] is not None for row in batch.known.values())
    stored_sites.count(batch.site_id, users=len(created), unsubscribers=left - had_left)


def delete(site_id: int, people: Sequence[Subscriber]) -> None:
    """Deletes subscribers with all that is kept beside them, in the caller's transaction."""
    ids = custom_fields.ids(site_id, {key for person in people for key in person.fields})
    stored_values.remove(
        (site_id, ids[key], *row, person.id)
        for person in people
        for key, value in person.fields.items()
        for row in field_values.values(value)
    )
    tagged = Counter(tag_id for person in people for tag_id in person.tag_ids)
    stored_tags.count(site_id, {tag_id: -bearers for tag_id, bearers in tagged.items()})
    gone = Counter(domains.of_keys(person.email_key for person in people))
    domains.count(site_id, {domain: -people_of_it for domain, people_of_it in gone.items()})
    users, unsubscribers = stored_subscribers.delete(site_id, [person.id for person in people])
    stored_sites.count(site_id, users=-users, unsubscribers=-unsubscribers)


def _write_texts(batch: SubscriberBatch) -> None:
    """Puts changed custom values and tags into their columns."""
    for key in batch.revalued:  # a later change may have put back what an earlier one replaced
        values, replaced = batch.values[key], batch.replaced[key]
        for name in [name for name, old in replaced.items() if json_equal(values.get(name, ABSENT), old)]:
            del replaced[name]
    for key, replaced in batch.replaced.items():
        if replaced:
            dumps = (
                compact_json if key in batch.known else _dumps
            )  # the known may have integers beyond 64 bit
            batch.people[key][FIELDS] = dumps(batch.values[key])
    for key, tagged in batch.tagged.items():
        tag_ids = list(tagged)
        if tag_ids != list(batch.tagged_before[key]):
            batch.people[key][TAG_IDS] = _dumps(tag_ids)


def _dumps(value: Any) -> str:
    return orjson.dumps(value).decode()


def _changed(batch: SubscriberBatch) -> dict[int, list[Person]]:
    """Those of the known who differ from what they were, by the sum of their groups of columns."""
    changed: dict[int, list[Person]] = defaultdict(list)
    for key, before in batch.known.items():
        person = batch.people[key]
        if groups := stored.changed_groups(person, before):
            changed[groups].append(person)
    return changed


def _save_tags(batch: SubscriberBatch) -> None:
    site_id, added, removed = batch.site_id, [], []
    for key, tagged in batch.tagged.items():
        before, subscriber_id = batch.tagged_before[key], batch.people[key][ID]
        added += [(site_id, tag_id, subscriber_id) for tag_id in tagged if tag_id not in before]
        removed += [(site_id, tag_id, subscriber_id) for tag_id in before if tag_id not in tagged]
    stored_tags.link(sorted(added))
    stored_tags.unlink(removed)
    more = Counter(tag_id for _, tag_id, _ in added)
    more.subtract(tag_id for _, tag_id, _ in removed)
    stored_tags.count(site_id, more)


def _save_values(batch: SubscriberBatch) -> None:
    added: list[stored_values.Row] = []
    removed: list[stored_values.Row] = []
    fields = {name: (batch.site_id, field_id) for name, field_id in batch.field_ids.items()}
    for key, replaced in batch.replaced.items():
        values, person = batch.values[key], (batch.people[key][ID],)
        for name, old in replaced.items():
            if old is not ABSENT:
                removed += [fields[name] + row + person for row in field_values.values(old)]
            if name in values:
                added += [fields[name] + row + person for row in field_values.values(values[name])]
    stored_values.remove(removed)
    stored_values.add(sorted(added))


def _save_consents(batch: SubscriberBatch) -> None:
    source = batch.accepted.source
    consent_changes.add(
        (batch.site_id, person[ID], at, subscribed, *source, reason)
        for person, at, subscribed, reason in batch.said
    )
