"""What people did, recorded and acted on (contract section 3)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from audience import addresses, clock, subscribers
from audience.errors import FieldError
from audience.sites import Site
from audience.subscribers import Change, Consent, Outcome, Person
from storage import database
from storage import events as stored
from storage import subscribers as stored_subscribers
from storage.events import EventRow

Item = Mapping[str, Any]

CONSENTS = {"$subscribe": Consent.SUBSCRIBE, "$unsubscribe": Consent.UNSUBSCRIBE}


def record(
    site: Site, items: Sequence[tuple[int, Item]], refused: Sequence[FieldError]
) -> tuple[int, list[FieldError]]:
    """Writes events, given with their index in the request, beside the errors of those refused already.

    Returns how many were accepted, and why the others were not.

    An event whose `unique_key` the site has seen with that type is accepted, and not applied again.
    """
    at = clock.now()
    changes, errors = _changes(items, at)
    with database.write():
        fresh = _fresh(site.id, changes)
        outcomes = subscribers.write(site.id, [change for _, _, change in fresh])
        done = [
            each for each, outcome in zip(fresh, outcomes, strict=True) if outcome is not Outcome.SUPPRESSED
        ]
        add(site.id, [(change, item["type"], item) for _, item, change in done], at)
    suppressed = [
        FieldError(f"events[{index}].email", subscribers.SUPPRESSED)
        for (index, _, _), outcome in zip(fresh, outcomes, strict=True)
        if outcome is Outcome.SUPPRESSED
    ]
    return len(items) - len(errors) - len(suppressed), [*refused, *errors, *suppressed]


@database.session()
def of(site: Site, person: Person) -> list[EventRow]:
    """What one person did, oldest first."""
    return stored.of_subscriber(site.id, person.id)


def add(site_id: int, events: Sequence[tuple[Change, str, Item]], at: int) -> None:
    """Stores events of people who exist, as (change, type, item), in the caller's transaction."""
    ids = stored_subscribers.ids(site_id, list({change.key for change, _, _ in events}))
    stored.add(
        site_id,
        [
            EventRow(
                subscriber_id=ids[change.key],
                type=type_,
                details=json.dumps(item.get("details", {}), ensure_ascii=False, separators=(",", ":")),
                unique_key=item.get("unique_key"),
                occurred_at=at if change.event_at is None else change.event_at,
            )
            for change, type_, item in events
        ],
        at,
    )


def _changes(
    items: Sequence[tuple[int, Item]], at: int
) -> tuple[list[tuple[int, Item, Change]], list[FieldError]]:
    changes, errors = [], []
    for index, item in items:
        try:
            changes.append((index, item, _change(item, min(item.get("date", at), at))))
        except addresses.MalformedAddress as error:
            errors.append(FieldError(f"events[{index}].email", str(error)))
    return changes, errors


def _change(item: Item, at: int) -> Change:
    tag = (item["tag"],) if "tag" in item else ()
    return replace(
        subscribers.change(item, at),
        event_at=at,
        consent=CONSENTS.get(item["type"]),
        tags=tag if item["type"] == "$tag" else (),
        remove_tags=tag if item["type"] == "$remove_tag" else (),
    )


def _fresh(site_id: int, changes: list[tuple[int, Item, Change]]) -> list[tuple[int, Item, Change]]:
    """Without the events that the site has already, or takes from earlier in the batch."""
    named = {(item["type"], item["unique_key"]) for _, item, _ in changes if "unique_key" in item}
    if not named:
        return changes
    seen = stored.seen(site_id, named)
    admits = subscribers.admission(site_id, [change for _, _, change in changes])
    fresh = []
    for index, item, change in changes:
        name = (item["type"], item["unique_key"]) if "unique_key" in item else None
        if name not in seen:
            fresh.append((index, item, change))
            if admits(change) and name is not None:
                seen.add(name)
    return fresh
