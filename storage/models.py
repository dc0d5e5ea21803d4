"""The tables: columns and indexes only. Instants are milliseconds since 1970 (UTC), ids grow with time.

Every unique index begins with the site, but for the primary keys and the two public names (a site's uuid, a
publishable key).
"""

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

from storage.database import database


class Table(Model):
    class Meta:
        database = database
        legacy_table_names = False


class Row(Table):
    id = AutoField(constraints=[SQL("AUTOINCREMENT")])


class Site(Row):
    uuid = TextField(unique=True)
    name = TextField()
    user_count = IntegerField(default=0)
    unsubscriber_count = IntegerField(default=0)
    created_at = BigIntegerField()
    time_zone = TextField(default="UTC")

    class Meta:
        table_name = "sites"


class Key(Row):
    publishable_key = TextField(unique=True)
    secret_hash = TextField()
    scope = TextField()
    created_at = BigIntegerField()
    revoked_at = BigIntegerField(null=True)
    expires_at = BigIntegerField(null=True)

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


# NULL dates match no filter, so that they need no place in an index.
for date in ("last_event_at", "unsubscribed_at"):
    column: Any = getattr(Subscriber, date)
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
    """No foreign keys: each would want an index of its own, or a scan of the table at every delete."""

    site_id = IntegerField()
    tag_id = IntegerField()
    subscriber_id = IntegerField()

    class Meta:
        table_name = "subscriber_tags"
        primary_key = CompositeKey("site_id", "tag_id", "subscriber_id")
        without_rowid = True


class DiscardedTag(SiteRow):
    """A tag that has ended, while people still have it."""

    tag_id = IntegerField()

    class Meta:
        table_name = "discarded_tags"
        indexes = ((("site", "tag_id"), True),)


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
    """What is known of an address that nobody has: `erased`, or `unsubscribed` before it was given up."""

    address_hash = TextField()
    reason = TextField()
    since = BigIntegerField()

    class Meta:
        table_name = "suppressions"
        indexes = ((("site", "address_hash"), True),)


class Import(SiteRow):
    """One accepted import. `applied` of its rows are written; `turn` is its place among those that wait.

    A file's import has `columns` (JSON) and, where it can be resumed, the `source` that it is known by.
    """

    status = TextField()
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
    turn = IntegerField(null=True)
    accepted_at = BigIntegerField(null=True)
    source = TextField(null=True)
    columns = TextField(null=True)

    class Meta:
        table_name = "imports"
        indexes = (
            (("site", "id"), False),
            (("site", "created_at"), False),
        )


Import.add_index(
    Import.index(
        Import.site,
        Import.turn,
        where=Import.status.in_(("queued", "running")),
        name="imports_waiting",
    )
)
Import.add_index(
    Import.index(Import.lease_until, where=Import.status == "receiving", name="imports_receiving")
)


class ImportBatch(SiteRow):
    """Rows of an import that are not written yet: a JSON array, from `first_row` on."""

    parent = ForeignKeyField(Import, column_name="import_id", on_delete="CASCADE")
    first_row = IntegerField()
    payload = TextField()

    class Meta:
        table_name = "import_batches"
        indexes = ((("site", "parent", "first_row"), True),)


class RefusedRow(SiteRow):
    """A row of a file that was refused: its cells (JSON), addresses in them hashed."""

    parent = ForeignKeyField(Import, column_name="import_id", on_delete="CASCADE")
    row_number = IntegerField()
    address_hash = TextField()
    code = TextField()
    message = TextField()
    cells = TextField()
    refused_at = BigIntegerField(index=True)

    class Meta:
        table_name = "refused_rows"
        indexes = ((("site", "address_hash"), False),)


class Segment(SiteRow):
    """`rules` is the JSON tree as it was given."""

    name = TextField()
    description = TextField()
    rules = TextField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        table_name = "segments"
        indexes = ((("site", "id"), False),)


class Report(SiteRow):
    name = TextField()
    report_type = TextField()
    chart_style = TextField()
    segment = ForeignKeyField(Segment, null=True)
    settings = TextField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        table_name = "reports"
        indexes = ((("site", "id"), False),)


class AddressList(SiteRow):
    """An address or a domain that the operator always, or never, lets through."""

    kind = TextField()
    entry = TextField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "address_lists"
        indexes = ((("site", "entry"), True),)


TABLES: tuple[type[Table], ...] = (
    Site,
    Key,
    KeySite,
    Subscriber,
    Tag,
    SubscriberTag,
    DiscardedTag,
    CustomField,
    Event,
    Suppression,
    Import,
    Segment,
    Report,
    ImportBatch,
    RefusedRow,
    AddressList,
)
