"""Checks the record of changes: replayed, it must give the present state. A sample of the subscribers changed
last is replayed.
"""

from collections.abc import Collection, Iterable

from audience.access.sites import Site
from audience.changes.changes import json_equal
from audience.changes.entries import Values, unpack
from storage import database
from storage.changes import changed_subscribers
from storage.changes import log as stored
from storage.changes.log import LogRow
from storage.subscribers import subscribers as stored_subscribers
from storage.subscribers import tags
from storage.subscribers.subscribers import Subscriber

SAMPLED = 100
ROWS = 1_000  # that are read for a sample at most


@database.session()
def size(only_site: int | None = None) -> tuple[int, int | None]:
    """The (bytes, instant of the oldest row in milliseconds or None) of the record of all sites, or one."""
    return stored.size(only_site)


@database.snapshot()
def differing(site: Site) -> tuple[int, int]:
    """The (number of subscribers that differ from the replayed change log, number examined) of a sample."""
    ids = changed_subscribers.newest(site.id, SAMPLED)
    numbers = list(changed_subscribers.rows_of(site.id, ids))[-ROWS:]
    recorded = _replay_all(stored.at_numbers(site.id, numbers), set(ids))
    _forget_deleted_tags(site.id, recorded.values())
    existing = stored_subscribers.get_by_ids(site.id, recorded)
    wrong = [id_ for id_, subscriber in existing.items() if not _agrees(subscriber, recorded[id_])]
    return len(wrong), len(existing)


def _replay_all(rows: Iterable[LogRow], ids: set[int]) -> dict[int, Values]:
    """The last values and tags of each subscriber in rows of the change log."""
    states: dict[int, Values] = {}
    for row in rows:
        for entry in unpack(row.entries).in_order():
            if entry.subscriber_id in ids and entry.new is not None:
                _replay(states.setdefault(entry.subscriber_id, {"fields": {}, "tags": {}}), entry.new)
    return states


def _replay(state: Values, new: Values) -> None:
    """Applies the new values of an entry to the state of its subscriber."""
    added, removed = new.get("tags", ((), ()))
    state["tags"] |= dict.fromkeys(added, True) | dict.fromkeys(removed, False)
    state["fields"] |= new.get("fields", {})
    state |= {name: value for name, value in new.items() if name not in ("fields", "tags", "updated_at")}


def _forget_deleted_tags(site_id: int, states: Collection[Values]) -> None:
    """Removes deleted tags from the states: subscribers may have new tags of the same name."""
    existing = tags.names(site_id, {tag_id for values in states for tag_id in values["tags"]})
    for values in states:
        values["tags"] = {tag_id: has for tag_id, has in values["tags"].items() if tag_id in existing}


def _agrees(subscriber: Subscriber, state: Values) -> bool:
    """Whether a subscriber is as the change log says."""
    plain = (name for name in state if name not in ("fields", "tags"))
    return (
        all(getattr(subscriber, name) == state[name] for name in plain)
        and all(json_equal(subscriber.fields.get(key), value) for key, value in state["fields"].items())
        and all((tag_id in subscriber.tag_ids) is has for tag_id, has in state["tags"].items())
    )
