"""The numbers of a site's accepting transactions: those that make or queue a change that was asked for.

The numbers grow in the order of commit, and depend on no clock.
"""

from typing import NamedTuple

from peewee import BigIntegerField, ForeignKeyField, IntegerField

from storage.base_models import BaseModel, SiteModel
from storage.database import execute, row, value

TAKE = (
    "INSERT INTO site_counters (site_id, accepted, accepted_at, users, unsubscribers) VALUES (?, 1, ?, 0, 0) "
    "ON CONFLICT (site_id) DO UPDATE SET accepted = site_counters.accepted + 1, accepted_at = "
    "CASE WHEN site_counters.accepted_at < excluded.accepted_at THEN excluded.accepted_at "
    "ELSE site_counters.accepted_at END RETURNING accepted, accepted_at"
)


class SiteCounterModel(BaseModel, table="site_counters"):
    """The counters of a site. `accepted` is the number of the newest accepting transaction, and `accepted_at`
    its instant, which never goes back. `users` and `unsubscribers` count subscribers.

    `changes` is the number of the site's newest change, `oldest_change` that of the oldest one still in the
    change log. `change_bytes` is the size of the log's entries. `dropped_change_at` is the newest instant of
    rows deleted from the log. Instants are in milliseconds.
    """

    site = ForeignKeyField(SiteModel, primary_key=True, on_delete="CASCADE")
    accepted = BigIntegerField()
    accepted_at = BigIntegerField(default=0)
    users = IntegerField(default=0)
    unsubscribers = IntegerField(default=0)
    changes = BigIntegerField(default=0)
    oldest_change = BigIntegerField(default=1)
    change_bytes = BigIntegerField(default=0)
    dropped_change_at = BigIntegerField(default=0)


class AcceptanceNumber(NamedTuple):
    """The number and time (ms) that a site gives to a transaction that makes or queues a requested change.

    Within a site, neither ever decreases.
    """

    number: int
    at: int


def take_acceptance_number(site_id: int, now: int) -> AcceptanceNumber:
    """Increments a site's counter, in the caller's accepting transaction. Returns the number and its instant.

    The instant, in milliseconds, is the later of `now` and that of the last number.
    """
    return AcceptanceNumber(*row(TAKE, (site_id, now)))


def newest_accepted_number(site_id: int) -> int:
    """The number of the site's newest accepting transaction; 0 without one."""
    return value("SELECT accepted FROM site_counters WHERE site_id = ?", (site_id,), 0)


def newest_accepted_at(site_id: int) -> int:
    """The instant of the site's newest accepting transaction, in milliseconds; 0 without one."""
    return value("SELECT accepted_at FROM site_counters WHERE site_id = ?", (site_id,), 0)


def raise_to(site_id: int, number: int) -> None:
    """Makes the site's next number higher than `number`, unless it is higher already."""
    execute(
        "INSERT INTO site_counters (site_id, accepted, users, unsubscribers) VALUES (?, ?, 0, 0) "
        "ON CONFLICT (site_id) "
        "DO UPDATE SET accepted = excluded.accepted WHERE site_counters.accepted < excluded.accepted",
        (site_id, number),
    )
