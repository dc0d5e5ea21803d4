"""The tables of the record of changes, and of the consent events."""

from typing import Any

from peewee import (
    SQL,
    BigIntegerField,
    BlobField,
    BooleanField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from storage.base_models import BaseModel, SiteOwnedModel, add_partial_index
from storage.subscribers.models import SubscriberModel


class ChangeLogModel(SiteOwnedModel):
    """A row of the change log: the packed entries of one write transaction, `length` of them from `number`
    on.

    A row without entries has the number of the next row.
    """

    number = BigIntegerField()
    length = IntegerField(column_name="count")
    at = BigIntegerField()
    source = TextField()
    source_id = IntegerField()
    entries = BlobField()

    class Meta:
        table_name = "change_log"
        indexes = ((("site", "id"), False),)


_log: Any = ChangeLogModel
add_partial_index("change_log_site_id_number", _log.site, _log.number, where=SQL("count > 0"))
add_partial_index(
    "change_log_site_id_source",
    _log.site,
    _log.source,
    _log.source_id,
    _log.id,
    where=_log.source.in_(("import", "bulk_act")),
)


class ChangedSubscriberModel(BaseModel):
    """The rows of the change log with an entry about a subscriber, except that of its creation. No foreign
    keys.

    `number` is the row's number or, for a row that repeats a consent, its negative id. `part` is always that
    of the row's number, see `storage.changes.changed_subscribers`.
    """

    site_id = IntegerField()
    part = BigIntegerField()
    subscriber_id = IntegerField()
    number = BigIntegerField()

    class Meta:
        table_name = "changed_subscribers"
        primary_key = CompositeKey("site_id", "part", "subscriber_id", "number")
        without_rowid = True


class ErasedSubscriberModel(BaseModel):
    """An erased subscriber with entries in the change log. `waiting` is 1 until their values are removed."""

    site_id = IntegerField()
    subscriber_id = IntegerField()
    uuid = TextField()
    number = BigIntegerField()
    waiting = IntegerField()

    class Meta:
        table_name = "erased_subscribers"
        primary_key = CompositeKey("site_id", "subscriber_id")
        without_rowid = True


_erased: Any = ErasedSubscriberModel
add_partial_index("erased_subscribers_waiting", _erased.site_id, where=SQL("waiting = 1"))


class ConsentChangeModel(SiteOwnedModel):
    """A change of consent, and its source. The source of the first consent is in
    `subscribers.created_by`, such as `import 12`.

    The index of `subscriber` serves the changes of one subscriber, and erasing. The index of `at` serves the
    report of unsubscribes.
    """

    subscriber = ForeignKeyField(SubscriberModel, on_delete="CASCADE")
    at = BigIntegerField()
    subscribed = BooleanField()
    source = TextField()
    source_id = IntegerField()
    reason = TextField()

    class Meta:
        table_name = "consent_changes"


_consent = ConsentChangeModel
add_partial_index("consent_changes_unsubscribed", _consent.site, _consent.at, where=SQL("NOT subscribed"))


CHANGE_LOG_MODELS: tuple[type[BaseModel], ...] = (
    ChangeLogModel,
    ChangedSubscriberModel,
    ErasedSubscriberModel,
    ConsentChangeModel,
)
