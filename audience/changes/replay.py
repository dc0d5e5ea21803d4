"""Whether the record of changes gives the state: replayed for a sample of those who were changed last."""

from collections.abc import Collection, Iterable

from audience.access.sites import Site
from audience.changes.changes import json_equal
from audience.changes.entries import Values, unpack
from storage import change_log as stored
from storage import changed_subscribers, database, tags
from storage import subscribers as stored_subscribers
from storage.change_log import LogRow
from storage.subscribers import Subscriber

SAMPLED = 100
ROWS = 1_000  # that are read for a sample at most


@database.session()
def size() -> tuple[int, int | None]:
    """(bytes of the record of all sites, when its oldest row was written)."""
    return stored.size()


@database.snapshot()
def differing(site: Site) -> tuple[int, int]:
    """How many of a sample are not as the record says, and how many the sample has."""
    ids = changed_subscribers.newest(site.id, SAMPLED)
    numbers = list(changed_subscribers.rows_of(site.id, ids))[-ROWS:]
    said = _replayed(stored.at_numbers(site.id, numbers), set(ids))
    _forget_deleted_tags(site.id, said.values())
    people = stored_subscribers.get_by_ids(site.id, said)
    wrong = [id_ for id_, person in people.items() if not _agrees(person, said[id_])]
    return len(wrong), len(people)


def _replayed(rows: Iterable[LogRow], ids: set[int]) -> dict[int, Values]:
    """By subscriber, the last word of the record on each value and tag that it names."""
    said: dict[int, Values] = {}
    for row in rows:
        for entry in unpack(row.entries).each():
            if entry.subscriber_id in ids and entry.new is not None:
                _replay(said.setdefault(entry.subscriber_id, {"fields": {}, "tags": {}}), entry.new)
    return said


def _replay(said: Values, new: Values) -> None:
    added, removed = new.get("tags", ((), ()))
    said["tags"] |= dict.fromkeys(added, True) | dict.fromkeys(removed, False)
    said["fields"] |= new.get("fields", {})
    said |= {name: value for name, value in new.items() if name not in ("fields", "tags", "updated_at")}


def _forget_deleted_tags(site_id: int, said: Collection[Values]) -> None:
    """Whoever has another one of the same name since is not said to have lost it."""
    known = tags.names(site_id, {tag_id for values in said for tag_id in values["tags"]})
    for values in said:
        values["tags"] = {tag_id: has for tag_id, has in values["tags"].items() if tag_id in known}


def _agrees(person: Subscriber, said: Values) -> bool:
    plain = (name for name in said if name not in ("fields", "tags"))
    return (
        all(getattr(person, name) == said[name] for name in plain)
        and all(json_equal(person.fields.get(key), value) for key, value in said["fields"].items())
        and all((tag_id in person.tag_ids) is has for tag_id, has in said["tags"].items())
    )
