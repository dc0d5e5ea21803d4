"""Events of subscribers: recording them, and applying the changes that they imply."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from audience import addresses, clock
from audience.access.sites import Site
from audience.changes import log as change_log
from audience.changes.changes import (
    Acceptance,
    Change,
    Consent,
    Item,
    Outcome,
    change_from_item,
    consent_instant,
)
from audience.changes.targets import NOBODY, TWO, conflicting_indexes
from audience.errors import NotFound
from audience.sources import OPERATOR, Source
from audience.subscribers import subscribers
from audience.subscribers.subscribers import Subscriber
from schemas.values import MAX_PAGE, FieldError, compact_json, index_of
from storage import database
from storage.subscribers import events as stored
from storage.subscribers import subscribers as stored_subscribers
from storage.subscribers.events import Event

PAGE_SIZE = 100
MESSAGES = {Outcome.SUPPRESSED: subscribers.SUPPRESSED, Outcome.MISSING: subscribers.MISSING}
UNSUBSCRIBE = "$unsubscribe"
CONSENTS = {"$subscribe": Consent.SUBSCRIBE, UNSUBSCRIBE: Consent.UNSUBSCRIBE}


class EventsResult(NamedTuple):
    """The result of recording events: how many were accepted, and the errors of the others in order.

    `unsubscribes_ignored` and `subscribes_ignored` count events that a later consent event outweighed.
    """

    accepted: int
    errors: list[FieldError]
    unsubscribes_ignored: int
    subscribes_ignored: int


def record(
    site: Site, items: Sequence[tuple[int, Item]], refused: Sequence[FieldError], source: Source = OPERATOR
) -> EventsResult:
    """Records events, as (index in the request, event), and applies the changes that they imply.

    `refused` are errors of other events of the request, which the result repeats. An event with the type and
    `unique_key` of an existing event is accepted, but not applied.
    """
    at = clock.now_ms()
    changes, errors = _changes(items, at, site.time_zone)
    with database.write(site.id):
        accepted = subscribers.accept_now(site.id, source)
        apart = conflicting_indexes(
            site.id, [(index, item.get("uuid", ""), change.key) for index, item, change in changes]
        )
        changes = [change for change in changes if change[0] not in apart]
        errors += [FieldError(f"events[{index}].uuid", TWO) for index in apart]
        new = _new(site.id, changes, accepted)
        applied = {index for index, _, _ in new}
        again = [(item["type"], change.key) for index, item, change in changes if index not in applied]
        unsubscribes_ignored = _record_mentions(site.id, again, accepted) if again else 0
        result = subscribers.write(site.id, [change for _, _, change in new], accepted)
        applied_now = [
            event for event, outcome in zip(new, result.outcomes, strict=True) if outcome not in MESSAGES
        ]
        add(site.id, result.ids, [(change, item["type"], item) for _, item, change in applied_now], at)
    failed = [
        FieldError(f"events[{index}].email", MESSAGES[outcome])
        for (index, _, _), outcome in zip(new, result.outcomes, strict=True)
        if outcome in MESSAGES
    ]
    done = len(items) - len(errors) - len(failed)
    unsubscribes_ignored += result.unsubscribes_ignored
    problems = sorted([*refused, *errors, *failed], key=index_of)
    return EventsResult(done, problems, unsubscribes_ignored, result.subscribes_ignored)


def _record_mentions(site_id: int, again: Sequence[tuple[str, str]], accepted: Acceptance) -> int:
    """Records in the change log that repeated events mention their subscribers, without changing these.

    `again` has the repeated events, as (type, address key). Returns how many of them are unsubscribes of
    subscribers who are subscribed now: these are ignored.
    """
    existing = stored_subscribers.get_by_keys(site_id, {key for _, key in again})
    change_log.record_mentioned(
        site_id, accepted.source, [subscriber.id for subscriber in existing.values()], accepted.at
    )
    subscribed = {key for key, subscriber in existing.items() if subscriber.unsubscribed_at is None}
    return sum(type_ == UNSUBSCRIBE and key in subscribed for type_, key in again)


@database.session()
def for_subscriber(site: Site, subscriber: Subscriber) -> list[Event]:
    """The events of a subscriber, oldest first."""
    return stored.for_subscriber(site.id, subscriber.id)


@database.session()
def page(site: Site, uuid: str, number: int) -> tuple[list[Event], bool]:
    """(A page of a subscriber's events, newest first; whether there are more). Pages are numbered from 1.

    Raises `NotFound`.
    """
    subscriber = stored_subscribers.get_by_uuid(site.id, uuid)
    if subscriber is None:
        raise NotFound(NOBODY)
    if number > MAX_PAGE:
        return [], False
    events = stored.page(site.id, subscriber.id, PAGE_SIZE + 1, (number - 1) * PAGE_SIZE)
    return events[:PAGE_SIZE], len(events) > PAGE_SIZE


@database.session()
def newest(site: Site, limit: int) -> list[tuple[Event, str]]:
    """The newest (event, address of its subscriber) of a site, newest first."""
    return stored.newest(site.id, limit)


def add(site_id: int, ids: Mapping[str, int], events: Sequence[tuple[Change, str, Item]], at: int) -> None:
    """Stores events, as (change, type, item), in the caller's transaction. `ids` are those
    of the subscribers, by address key.
    """
    stored.add(
        [
            Event(
                subscriber_id=ids[change.key],
                type=type_,
                details=compact_json(item.get("details", {})),
                unique_key=item.get("unique_key"),
                occurred_at=at if change.event_at is None else change.event_at,
            )
            for change, type_, item in events
        ],
        site_id=site_id,
        created_at=at,
    )


def _changes(
    items: Sequence[tuple[int, Item]], at: int, time_zone: str
) -> tuple[list[tuple[int, Item, Change]], list[FieldError]]:
    changes, errors = [], []
    for index, item in items:
        try:
            changes.append((index, item, _change(item, min(item.get("date", at), at), time_zone)))
        except addresses.MalformedAddress as error:
            errors.append(FieldError(f"events[{index}].email", str(error)))
    return changes, errors


def _change(item: Item, at: int, time_zone: str) -> Change:
    tag = (item["tag"],) if "tag" in item else ()
    consent = CONSENTS.get(item["type"], "")
    return change_from_item(item, at if "date" in item else None)._replace(
        event_at=at,
        consent=consent,
        consent_at=consent_instant(item["date"], consent, time_zone) if "date" in item else None,
        tags=tag if item["type"] == "$tag" else (),
        remove_tags=tag if item["type"] == "$remove_tag" else (),
        creates=item["type"] != "$remove_tag",
        if_unset=item.get("details", {}).get("if_unset") is True,
    )


def _new(
    site_id: int, changes: list[tuple[int, Item, Change]], accepted: Acceptance
) -> list[tuple[int, Item, Change]]:
    """The events to apply: those whose unique key no stored event and no earlier event of `changes` has.

    An unsubscribe whose unique key another subscriber's event has is applied, too, without that key.
    """
    unique = {(item["type"], item["unique_key"]) for _, item, _ in changes if "unique_key" in item}
    if not unique:
        return changes
    keys_by_name = stored.stored_unique_keys(site_id, unique)
    admits = subscribers.admission_check(site_id, [change for _, _, change in changes], accepted)
    new = []
    for index, item, change in changes:
        name = (item["type"], item["unique_key"]) if "unique_key" in item else None
        if name is None or name not in keys_by_name:
            new.append((index, item, change))
            if admits(change) and name is not None:
                keys_by_name[name] = change.key
        elif item["type"] == UNSUBSCRIBE and keys_by_name[name] != change.key:
            new.append((index, {key: item[key] for key in item if key != "unique_key"}, change))
    return new
