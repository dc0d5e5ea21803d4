"""Changes to a subscriber, and applying them in memory.

The cost depends on the size of the change, not of the subscriber.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from audience import addresses, tags
from schemas.values import DATES, NAMES, trim
from storage.subscribers import Subscriber

Item = Mapping[str, Any]  # one item of a request: a subscriber to import, an event


class Consent(StrEnum):
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"


class Outcome(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SUPPRESSED = "suppressed"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change to one subscriber, requested at `at`; times are in milliseconds.

    Of `dates`, an existing subscriber takes `unsubscribed_at` only. `unconfirmed` creates the subscriber
    unsubscribed, and changes nothing for an existing one. If `dated`, `at` was given by the client, and
    consent counts only where that is later than the last.
    """

    email: str
    key: str
    at: int
    first_name: str = ""
    last_name: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    remove_fields: Sequence[str] = ()
    tags: Sequence[str] = ()
    remove_tags: Sequence[str] = ()
    consent: Consent | None = None
    unconfirmed: bool = False
    event_at: int | None = None
    dates: Mapping[str, int] = field(default_factory=dict)
    creates: bool = True
    rewrites_email: bool = False
    dated: bool = False


def change_from_item(item: Item, at: int) -> Change:
    """The change that a validated item requests. Raises `addresses.MalformedAddress`."""
    command = item.get("command")
    return Change(
        email=trim(item["email"]),
        key=addresses.identity(item["email"]),
        at=at,
        **{name: item.get(name, "") for name in NAMES},
        fields=item.get("fields", {}),
        tags=item.get("tags", ()),
        remove_tags=item.get("remove_tags", ()),
        consent=Consent(command) if command else None,
        unconfirmed=item.get("unconfirmed", False),
        dates={name: min(item[name], at) for name in DATES if name in item},
    )


def changes_from_items(items: Iterable[Item | None], at: int) -> list[Change]:
    """Leaves out items that were erased, and those whose address is accepted no more."""
    changes = []
    for item in items:
        with suppress(addresses.MalformedAddress):
            if item is not None:
                changes.append(change_from_item(item, at))
    return changes


def apply_change(subscriber: Subscriber, change: Change, number: int) -> bool:
    """Applies a change, except its tags; whether that changed the subscriber.

    `number` is that of the transaction that accepted the change.
    """
    columns, fields = _apply_columns(subscriber, change, number), _apply_fields(subscriber, change)
    return columns or fields


def _apply_columns(subscriber: Subscriber, change: Change, number: int) -> bool:
    before = _columns(subscriber)
    if change.rewrites_email:
        subscriber.email = change.email
    for name in NAMES:
        value = "" if name in change.remove_fields else getattr(change, name) or getattr(subscriber, name)
        setattr(subscriber, name, value)
    if change.event_at is not None:
        last = change.event_at if subscriber.last_event_at is None else subscriber.last_event_at
        subscriber.last_event_at = max(change.event_at, last)
    if "unsubscribed_at" in change.dates:
        word = AcceptedConsent(change.dates["unsubscribed_at"], number, dated=True)
        _apply_consent(subscriber, Consent.UNSUBSCRIBE, word)
    if change.consent is not None:
        _apply_consent(subscriber, change.consent, AcceptedConsent(change.at, number, change.dated))
    return _columns(subscriber) != before


def _columns(subscriber: Subscriber) -> tuple[Any, ...]:
    return (
        subscriber.email,
        *(getattr(subscriber, name) for name in NAMES),
        subscriber.last_event_at,
        subscriber.unsubscribed_at,
    )


def _apply_fields(subscriber: Subscriber, change: Change) -> bool:
    changed = {
        key: value
        for key, value in change.fields.items()
        if key not in subscriber.fields or not json_equal(value, subscriber.fields[key])
    }
    subscriber.fields.update(changed)
    removed = [key for key in change.remove_fields if subscriber.fields.pop(key, None) is not None]
    return bool(changed or removed)


class AcceptedConsent(NamedTuple):
    """When consent was given or withdrawn, and the number of the transaction that accepted it."""

    at: int
    number: int
    dated: bool

    def counts_after(self, at: int | None, number: int) -> bool:
        """Whether it counts where the last consent was that of `at` and `number`; None: there was none."""
        return self.number >= number and not (self.dated and at is not None and self.at <= at)


def _apply_consent(subscriber: Subscriber, consent: Consent, word: AcceptedConsent) -> None:
    """The consent accepted last counts. Repeating it keeps the first date, and still counts as the last.

    The date of the last consent never goes back, though the clock may.
    """
    if not word.counts_after(subscriber.consent_at, subscriber.consent_number):
        return
    last = word.at if subscriber.consent_at is None else subscriber.consent_at
    subscriber.consent_at = max(word.at, last)
    subscriber.consent_number = word.number
    if consent is Consent.SUBSCRIBE:
        subscriber.unsubscribed_at = None
    elif subscriber.unsubscribed_at is None:
        subscriber.unsubscribed_at = word.at


def apply_tags(tagged: dict[int, None], change: Change, tag_ids: Mapping[str, int]) -> bool:
    """Adds and removes the change's tags in `tagged`, an ordered set of ids; whether that changed it.

    `tag_ids` are by name key.
    """
    removed = {tag_ids.get(tags.name_key(name)) for name in change.remove_tags}
    added = {tag_ids[tags.name_key(name)]: None for name in change.tags}
    new = {tag_id: None for tag_id in added if tag_id not in tagged and tag_id not in removed}
    old = [tag_id for tag_id in removed if tag_id in tagged]
    tagged.update(new)
    for tag_id in old:
        del tagged[tag_id]
    return bool(new or old)


def json_equal(value: Any, before: Any) -> bool:
    """Whether two values are the same JSON: unlike in Python, 1, 1.0 and true differ."""
    if value != before or isinstance(value, str):
        return bool(value == before)
    return json.dumps(value, sort_keys=True) == json.dumps(before, sort_keys=True)
