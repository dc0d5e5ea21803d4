"""The tables of subscribers and of what is kept beside them."""

from typing import Any

import peewee
from peewee import SQL, BigIntegerField, BlobField, CompositeKey, ForeignKeyField, IntegerField, TextField

from storage.base_models import BaseModel, SiteOwnedModel, add_partial_index


class SubscriberModel(SiteOwnedModel):
    uuid = TextField()
    email = TextField()
    email_key = TextField()
    first_name = TextField(default="")
    last_name = TextField(default="")
    fields = TextField(default="{}")
    tag_ids = TextField(default="[]")
    created_at = BigIntegerField()
    updated_at = BigIntegerField()
    last_event_at = BigIntegerField(null=True)
    unsubscribed_at = BigIntegerField(null=True)
    consent_at = BigIntegerField(null=True)
    consent_number = BigIntegerField(default=0)
    consent_kind = IntegerField(default=0)
    unsubscribe_number = BigIntegerField(null=True)
    created_by = TextField(default="")

    class Meta:
        table_name = "subscribers"
        indexes = (
            (("site", "email_key"), True),  # by address; addresses that begin with a text
            (("site", "uuid"), True),  # by uuid; the pages of an export
            # Newest first, and the four filters by date, all by the index alone: `updated_at` has no other,
            # since each index with it is a third of the cost of an update. PostgreSQL's index is without it.
            (("site", "created_at", "id", "updated_at", "last_event_at", "unsubscribed_at"), False),
        )


# For few subscribers within bounds, counts by date, lists in its order. NULL matches no filter.
_dated: Any = SubscriberModel
for _date in (_dated.last_event_at, _dated.unsubscribed_at):
    add_partial_index(f"subscribers_site_id_{_date.name}", _dated.site, _date, _dated.created_at, _dated.id,
        where=_date.is_null(False))  # fmt: skip

# Found by the beginning of a name, in parts of 8,192 ids: see `_in_parts` of `storage.searches.lists`.
for _name in (_dated.first_name, _dated.last_name):
    add_partial_index(
        f"subscribers_site_id_{_name.name}",
        _dated.site,
        SQL("id >> 13"),
        SQL(f"{_name.name} COLLATE NOCASE"),
        where=_name != "",
    )


class TagModel(SiteOwnedModel):
    """A tag; `bearers` is the number of its subscribers."""

    name = TextField()
    name_key = TextField()
    created_at = BigIntegerField()
    bearers = IntegerField(default=0)

    class Meta:
        table_name = "tags"
        indexes = ((("site", "name_key"), True), (("site", "id"), False))  # by name; the pages of a list


class SubscriberTagModel(BaseModel):
    """A tag of a subscriber. No foreign keys: each would need its own index, or a scan at each delete."""

    site_id = IntegerField()
    tag_id = IntegerField()
    subscriber_id = IntegerField()

    class Meta:
        table_name = "subscriber_tags"
        primary_key = CompositeKey("site_id", "tag_id", "subscriber_id")  # who has a tag; whether one has it
        without_rowid = True


class DiscardedTagModel(SiteOwnedModel):
    """A deleted tag that subscribers still have, and the source that deleted it."""

    tag_id = IntegerField()
    name = TextField(default="")
    source = TextField(default="operator")
    source_id = IntegerField(default=0)

    class Meta:
        table_name = "discarded_tags"
        indexes = ((("site", "tag_id"), True),)


class CustomFieldModel(SiteOwnedModel):
    key = TextField()
    name = TextField()
    whitelisted = peewee.BooleanField(null=True)
    created_at = BigIntegerField()

    class Meta:
        table_name = "custom_fields"
        indexes = ((("site", "key"), True), (("site", "id"), False))  # by key; the pages of a list


class NumericField(peewee.Field):
    """An integer or a real number."""

    field_type = "NUMERIC"


class DistinctValueModel(SiteOwnedModel):
    """A custom value of a field, or a scalar in an array or object, stored once for all who have it.

    The domain of an address is a value of the field 0. See `storage.subscribers.field_values`.
    """

    field_id = IntegerField()
    folded = TextField()
    label = TextField()
    kind = IntegerField()
    number = NumericField(null=True)
    instant = BigIntegerField(null=True)

    class Meta:
        table_name = "distinct_values"
        # A value; the values of a field in order
        indexes = ((("site", "field_id", "folded", "label", "kind"), True),)


class ValueHolderModel(BaseModel):
    """The subscribers with a value whose ids are in one block of 65,536: their number and ids."""

    site_id = IntegerField()
    value_id = IntegerField()
    block = IntegerField()
    people = IntegerField()
    members = BlobField()

    class Meta:
        table_name = "value_holders"
        primary_key = CompositeKey("site_id", "value_id", "block")
        without_rowid = True


class ValueChangeModel(SiteOwnedModel):
    """The subscribers that one transaction added to values and removed from values, packed."""

    added = BlobField()
    removed = BlobField()

    class Meta:
        table_name = "value_changes"
        indexes = ((("site", "id"), False),)


class EventModel(SiteOwnedModel):
    subscriber = ForeignKeyField(SubscriberModel, on_delete="CASCADE", index=False)
    type = TextField()
    details = TextField(default="{}")
    unique_key = TextField(null=True)
    occurred_at = BigIntegerField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "events"
        indexes = (
            (("subscriber", "occurred_at", "id"), False),  # those of a person, newest first; erasing
            # reports and segments by type, by the index alone
            (("site", "type", "occurred_at", "subscriber"), False),
            (("site", "id"), False),  # the newest of a site
        )


# Whether the site has seen an event.
add_partial_index("events_site_id_type_unique_key", EventModel.site, EventModel.type, EventModel.unique_key,
    where=EventModel.unique_key.is_null(False), unique=True)  # fmt: skip


# Referenced models before those that reference them.
SUBSCRIBER_MODELS: tuple[type[BaseModel], ...] = (
    SubscriberModel, TagModel, SubscriberTagModel, DiscardedTagModel, CustomFieldModel, DistinctValueModel,
    ValueHolderModel, ValueChangeModel,
)  # fmt: skip
