"""People of a site as a test wants them, dates included."""

from audience import addresses, subscribers
from audience.changes import Change
from storage import database

LATEST = 2**62


def person(email, first_name="", last_name="", fields=None, tags=(), **dates):
    """A change that creates somebody; dates are in milliseconds, None for none."""
    known = {name: at for name, at in dates.items() if at is not None}
    return Change(addresses.identity(email), email, first_name, last_name, fields or {}, tags, dates=known)


def store(site_id, people):
    """Creates people; their ids, by the keys of their addresses."""
    with database.write():
        accepted = subscribers.accept_now(site_id)._replace(at=LATEST)
        return subscribers.write(site_id, people, accepted).ids
