"""Which subscriber a request means that mentions both an address and a uuid (docs/contract.md, Every
request).
"""

from collections.abc import Sequence

from audience import addresses
from audience.access.sites import Site
from audience.changes.changes import Change, Item, change_from_item
from schemas.codes import Code, Sentence
from schemas.values import FieldError
from storage import database
from storage.subscribers import subscribers as stored

NOBODY = Sentence(Code.SUBSCRIBER_NOT_FOUND, "Subscriber not found: check the address or uuid, and the site.")
TWO = Sentence(
    Code.TWO_SUBSCRIBERS,
    "The email and the uuid belong to two subscribers: correct one of them, or leave it out.",
)


def changes_of(
    site: Site, items: Sequence[tuple[int, Item]]
) -> tuple[list[tuple[int, Change]], list[FieldError]]:
    """The (index, change) of the items of a batch, and the errors of refused items.

    An item is refused if its address is malformed, or if its address and uuid are of different subscribers.
    """
    changes, errors, named = list[tuple[int, Change]](), [], []
    for index, item in items:
        try:
            change = change_from_item(item, time_zone=site.time_zone)
        except addresses.MalformedAddress as error:
            errors.append(FieldError(f"subscribers[{index}].email", str(error)))
            continue
        changes.append((index, change))
        named.append((index, item.get("uuid", ""), change.key))
    apart = conflicting_indexes(site.id, named)
    errors += [FieldError(f"subscribers[{index}].uuid", TWO) for index in apart]
    return [change for change in changes if change[0] not in apart], errors


def conflicting_indexes(site_id: int, named: Sequence[tuple[int, str, str]]) -> set[int]:
    """The indexes of the items whose uuid and address are of different subscribers.

    `named` has (index, uuid or "", key of the address) of each item, in order. An earlier item may have
    created the subscriber.
    """
    uuids = {uuid for _, uuid, _ in named if uuid}
    return _find_conflicts(site_id, uuids, named) if uuids else set()


@database.session()
def _find_conflicts(site_id: int, uuids: set[str], named: Sequence[tuple[int, str, str]]) -> set[int]:
    """The indexes of the items in `named` whose uuid is of a subscriber with another address. An item counts
    only if its own address is taken, by a subscriber or an earlier item.
    """
    keys = stored.keys_of(site_id, uuids)
    apart = {index for index, uuid, key in named if keys.get(uuid, key) != key}
    if not apart:
        return apart
    existing = set(stored.get_by_keys(site_id, {key for index, _, key in named if index in apart}))
    conflicts = set()
    for index, _, key in named:
        if index in apart and key in existing:
            conflicts.add(index)
        existing.add(key)
    return conflicts
