"""The first tables. Frozen: it never imports today's models."""

from typing import Any

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BooleanField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class Table(Model):
    class Meta:
        legacy_table_names = False


class Row(Table):
    id = AutoField(constraints=[SQL("AUTOINCREMENT")])


class Site(Row):
    uuid = TextField(unique=True)
    name = TextField()
    user_count = IntegerField(default=0)
    unsubscriber_count = IntegerField(default=0)
    created_at = BigIntegerField()

    class Meta:
        table_name = "sites"


class Key(Row):
    publishable_key = TextField(unique=True)
    secret_hash = TextField()
    scope = TextField()
    created_at = BigIntegerField()
    revoked_at = BigIntegerField(null=True)

    class Meta:
        table_name = "keys"


class KeySite(Table):
    key = ForeignKeyField(Key, on_delete="CASCADE")
    site = ForeignKeyField(Site, on_delete="CASCADE", index=False)

    class Meta:
        table_name = "key_sites"
        primary_key = CompositeKey("site", "key")


class SiteRow(Row):
    site = ForeignKeyField(Site, on_delete="CASCADE", index=False)


class Subscriber(SiteRow):
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

    class Meta:
        table_name = "subscribers"
        indexes = (
            (("site", "email_key"), True),
            (("site", "uuid"), True),
            (("site", "created_at", "id", "updated_at", "last_event_at", "unsubscribed_at"), False),
            (("site", "updated_at", "created_at", "id"), False),
        )


for date in ("last_event_at", "unsubscribed_at"):
    column = getattr(Subscriber, date)
    Subscriber.add_index(
        Subscriber.index(
            Subscriber.site,
            column,
            Subscriber.created_at,
            Subscriber.id,
            where=column.is_null(False),
            name=f"subscribers_site_id_{date}",
        )
    )


class Tag(SiteRow):
    name = TextField()
    name_key = TextField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "tags"
        indexes = ((("site", "name_key"), True),)


class SubscriberTag(Table):
    site_id = IntegerField()
    tag_id = IntegerField()
    subscriber_id = IntegerField()

    class Meta:
        table_name = "subscriber_tags"
        primary_key = CompositeKey("site_id", "tag_id", "subscriber_id")
        without_rowid = True


class CustomField(SiteRow):
    key = TextField()
    name = TextField()
    whitelisted = BooleanField(null=True)
    created_at = BigIntegerField()

    class Meta:
        table_name = "custom_fields"
        indexes = ((("site", "key"), True),)


class Event(SiteRow):
    subscriber = ForeignKeyField(Subscriber, on_delete="CASCADE")
    type = TextField()
    details = TextField(default="{}")
    unique_key = TextField(null=True)
    occurred_at = BigIntegerField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "events"
        indexes = ((("site", "type", "occurred_at"), False),)


Event.add_index(
    Event.index(
        Event.site,
        Event.type,
        Event.unique_key,
        unique=True,
        where=Event.unique_key.is_null(False),
        name="events_site_id_type_unique_key",
    )
)


class Suppression(SiteRow):
    address_hash = TextField()
    reason = TextField()
    since = BigIntegerField()

    class Meta:
        table_name = "suppressions"
        indexes = ((("site", "address_hash"), True),)


class Import(SiteRow):
    status = TextField()
    payload = TextField(null=True)
    rows = IntegerField()
    applied = IntegerField(default=0)
    refused = IntegerField(default=0)
    created = IntegerField(default=0)
    updated = IntegerField(default=0)
    unchanged = IntegerField(default=0)
    suppressed = IntegerField(default=0)
    claim = TextField(null=True)
    lease_until = BigIntegerField(default=0)
    attempts = IntegerField(default=0)
    created_at = BigIntegerField()
    started_at = BigIntegerField(null=True)
    finished_at = BigIntegerField(null=True)

    class Meta:
        table_name = "imports"
        indexes = ((("site", "id"), False),)


Import.add_index(
    Import.index(
        Import.site,
        Import.id,
        where=Import.status.in_(("queued", "running")),
        name="imports_waiting",
    )
)

TABLES = (
    Site,
    Key,
    KeySite,
    Subscriber,
    Tag,
    SubscriberTag,
    CustomField,
    Event,
    Suppression,
    Import,
)


def up(_migrator: Any, db: Any) -> None:
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES)
