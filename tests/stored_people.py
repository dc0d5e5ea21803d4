"""People of a site as a test wants them, dates included."""

import json

from audience import addresses
from audience.changes.changes import Change
from audience.subscribers import subscribers
from storage import database
from storage.subscribers import batches as subscriber_batches

LATEST = 2**62


def person(email, first_name="", last_name="", fields=None, tags=(), **dates):
    """A change that creates a subscriber. Dates are in milliseconds; None leaves a date out."""
    known = {name: at for name, at in dates.items() if at is not None}
    key, names = addresses.identity(email), {"first_name": first_name, "last_name": last_name}
    return Change(key, email, **names, fields=fields or {}, tags=tags, dates=known)


def found(site, email):
    """An existing subscriber, by address."""
    subscriber = subscribers.find(site, email)
    assert subscriber is not None
    return subscriber


def store(site_id, people):
    """Creates subscribers from changes. Returns their ids by address key."""
    with database.write():
        accepted = subscribers.accept_now(site_id)._replace(at=LATEST)
        return subscribers.write(site_id, people, accepted).ids


def store_rows(site_id, people):
    """Writes rows of subscribers as they are, in the caller's transaction. Returns ids by address key."""
    new = subscriber_batches.new_ids(len(people))
    ids = {each.email_key: id_ for each, id_ in zip(people, new, strict=True)}
    subscriber_batches.insert([_row(site_id, ids[each.email_key], each) for each in people])
    return ids


def _row(site_id, id_, each):
    other = {
        "id": id_, "site_id": site_id, "created_by": "",
        "fields": json.dumps(each.fields), "tag_ids": json.dumps(each.tag_ids),
    }  # fmt: skip
    return [other[name] if name in other else getattr(each, name) for name in subscriber_batches.INSERTED]
