"""The changes of consent: who subscribed or unsubscribed, when, and by what. Most subscribers have no row for
their first consent: its source is `subscribers.created_by`.
"""

from typing import Any, NamedTuple

from peewee import SQL, ForeignKeyField

from storage.base_models import SiteOwnedModel, add_partial_index
from storage.database import execute, value
from storage.records import Records
from storage.subscribers.subscribers import SubscriberModel


class ConsentChange(NamedTuple):
    """A change of consent at an instant in milliseconds. `source` is what changed it, such as api or import,
    `source_id` the id of that key, import and so on. `reason` is the client's, or a default such as
    `word` or `date`.
    """

    subscriber_id: int
    at: int
    subscribed: bool
    source: str
    source_id: int
    reason: str


class ConsentChangeModel(SiteOwnedModel, table="consent_changes", record=ConsentChange):
    """The index of `subscriber` serves the changes of one subscriber, and erasing. The index of `at` serves
    the report of unsubscribes.
    """

    subscriber = ForeignKeyField(SubscriberModel, on_delete="CASCADE")


_changes: Any = ConsentChangeModel
add_partial_index("consent_changes_unsubscribed", _changes.site, _changes.at, where=SQL("NOT subscribed"))
CHANGES = Records(ConsentChangeModel, ConsentChange)
add = CHANGES.add_many


def put_reason(site_id: int, subscriber_id: int, source: str, reason: str) -> None:
    """Sets the reason of a subscriber's newest consent change, if that is an unsubscribe by this source."""
    execute(
        "UPDATE consent_changes SET reason = ? WHERE site_id = ? AND id = (SELECT max(id) "
        "FROM consent_changes WHERE site_id = ? AND subscriber_id = ?) AND source = ? AND NOT subscribed",
        (reason, site_id, site_id, subscriber_id, source),
    )


def for_subscriber(site_id: int, subscriber_id: int) -> list[ConsentChange]:
    """The changes of consent of a subscriber, oldest first. The first consent is usually not among them."""
    return CHANGES.find("ORDER BY id", site_id=site_id, subscriber_id=subscriber_id)


def created_by(site_id: int, subscriber_id: int) -> str:
    """What created a subscriber, such as `import 12`; "" if unknown."""
    query = "SELECT created_by FROM subscribers WHERE site_id = ? AND id = ?"
    return value(query, (site_id, subscriber_id), "")
