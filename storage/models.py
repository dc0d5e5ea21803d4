"""The tables: columns and indexes. Instants are in milliseconds since 1970 (UTC); ids increase over time.

Unique indexes begin with the site, except those of a site's uuid and of a publishable key.
"""

from peewee import BigIntegerField, CompositeKey, ForeignKeyField, IntegerField, TextField

from storage.access.models import OPERATOR_MODELS
from storage.base_models import BaseModel, IdModel, SiteModel, SiteOwnedModel, add_partial_index
from storage.bulk.models import BULK_ACT_MODELS
from storage.changes.models import CHANGE_LOG_MODELS
from storage.erasures.models import LoggedErasureModel
from storage.imports.models import FILE_UPLOAD_MODELS
from storage.job_models import JOB_MODELS
from storage.segments.models import SegmentCountModel, SegmentModel
from storage.subscribers.models import SUBSCRIBER_MODELS, SubscriberModel
from storage.undo.models import UNDO_MODELS
from storage.webhooks.models import WEBHOOK_MODELS


class SiteCounterModel(BaseModel):
    """`accepted` is the number of the newest accepting transaction, `accepted_at` its instant, which never
    goes back; two count subscribers.

    `changes` is the number of the newest change, `oldest_change` that of the oldest which the record has;
    `dropped_change_at` is the newest instant of the rows that it has dropped.
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

    class Meta:
        table_name = "site_counters"


class KeyModel(IdModel):
    publishable_key = TextField(unique=True)
    secret_hash = TextField()
    scope = TextField()
    created_at = BigIntegerField()
    revoked_at = BigIntegerField(null=True)
    expires_at = BigIntegerField(null=True)
    name = TextField(default="")
    last_used_at = BigIntegerField(null=True)

    class Meta:
        table_name = "keys"


class KeySiteModel(BaseModel):
    key = ForeignKeyField(KeyModel, on_delete="CASCADE")
    site = ForeignKeyField(SiteModel, on_delete="CASCADE", index=False)

    class Meta:
        table_name = "key_sites"
        primary_key = CompositeKey("site", "key")


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
            (("site", "type", "occurred_at"), False),  # reports and segments by type
            (("site", "id"), False),  # the newest of a site
        )


# Whether the site has seen an event.
add_partial_index("events_site_id_type_unique_key", EventModel.site, EventModel.type, EventModel.unique_key,
    where=EventModel.unique_key.is_null(False), unique=True)  # fmt: skip


class MovedAddressModel(SiteOwnedModel):
    """Who left an address, or `came` to it, in the transaction `number`, while older imports wait."""

    address_hash = TextField()
    subscriber_id = BigIntegerField()
    number = BigIntegerField()
    came = IntegerField()  # 1 or 0

    class Meta:
        table_name = "moved_addresses"
        indexes = ((("site", "number"), False),)


class SuppressionModel(SiteOwnedModel):
    """An address without a subscriber: `erased`, or changed while `unsubscribed`."""

    address_hash = TextField()
    reason = TextField()
    since = BigIntegerField()
    number = BigIntegerField(default=0)
    kind = IntegerField(default=3)

    class Meta:
        table_name = "suppressions"
        indexes = ((("site", "address_hash"), True),)


class ImportModel(SiteOwnedModel):
    """`applied` of the `rows` are written; `turn`, the number of its acceptance, is its place in the queue.
    Only imports of files have `columns` (JSON) and, if resumable, a `source` that identifies the file.
    """

    status = TextField()
    rows = IntegerField()
    applied = IntegerField(default=0)
    refused = IntegerField(default=0)
    created = IntegerField(default=0)
    updated = IntegerField(default=0)
    unchanged = IntegerField(default=0)
    suppressed = IntegerField(default=0)
    unsubscribed = IntegerField(default=0)
    stay_unsubscribed = IntegerField(default=0)
    unsubscribes_ignored = IntegerField(default=0)
    subscribes_ignored = IntegerField(default=0)
    receiving_until = BigIntegerField(default=0)
    created_at = BigIntegerField()
    started_at = BigIntegerField(null=True)
    finished_at = BigIntegerField(null=True)
    turn = BigIntegerField(null=True)
    accepted_at = BigIntegerField(null=True)
    source = TextField(null=True)
    columns = TextField(null=True)

    class Meta:
        table_name = "imports"
        indexes = (
            (("site", "id"), False),  # the newest of a site
            (("site", "created_at"), False),  # the report on imports
        )


# The next in the queue; unfinished files.
add_partial_index("imports_waiting", ImportModel.site, ImportModel.turn,
    where=ImportModel.status.in_(("queued", "running")))  # fmt: skip
add_partial_index("imports_receiving", ImportModel.receiving_until, where=ImportModel.status == "receiving")


class ImportBatchModel(SiteOwnedModel):
    """Rows of an import to apply, from `first_row` on: a JSON array."""

    parent = ForeignKeyField(ImportModel, column_name="import_id", on_delete="CASCADE")
    first_row = IntegerField()
    payload = TextField()

    class Meta:
        table_name = "import_batches"
        indexes = ((("site", "parent", "first_row"), True),)  # the batch of a row


class RefusedRowModel(SiteOwnedModel):
    """A refused row of a file: `cells` is JSON, with addresses hashed."""

    parent = ForeignKeyField(ImportModel, column_name="import_id", on_delete="CASCADE")
    row_number = IntegerField()
    address_hash = TextField()
    code = TextField()
    message = TextField()
    cells = TextField()
    refused_at = BigIntegerField(index=True)

    class Meta:
        table_name = "refused_rows"
        indexes = ((("site", "address_hash"), False),)  # erasing


class ReportModel(SiteOwnedModel):
    name = TextField()
    report_type = TextField()
    chart_style = TextField()
    segment = ForeignKeyField(SegmentModel, null=True)
    settings = TextField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        table_name = "reports"
        indexes = ((("site", "id"), False),)


class AddressListModel(SiteOwnedModel):
    """An address or a domain that the operator allows or denies."""

    kind = TextField()
    entry = TextField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "address_lists"
        indexes = ((("site", "entry"), True),)


class PepperModel(BaseModel):
    """One row: what the pepper of this database makes of a constant."""

    id = IntegerField(primary_key=True)
    check_value = TextField()

    class Meta:
        table_name = "pepper"


class InstanceStateModel(BaseModel):
    """One row: the lowest version of code that may write, the phase of a move, `other` its other end, and the
    identity of the database that webhooks were sent from.
    """

    id = IntegerField(primary_key=True)
    lowest_writer = IntegerField()
    move = TextField()
    phase = TextField()
    other = TextField()
    at = BigIntegerField()
    home = TextField(default="")

    class Meta:
        table_name = "instance_state"


# Referenced models before those that reference them.
MODELS: tuple[type[BaseModel], ...] = (
    SiteModel, SiteCounterModel, KeyModel, KeySiteModel, *SUBSCRIBER_MODELS, EventModel, SuppressionModel,
    MovedAddressModel, ImportModel, SegmentModel, SegmentCountModel, ReportModel, ImportBatchModel,
    RefusedRowModel, AddressListModel, PepperModel, *OPERATOR_MODELS, *BULK_ACT_MODELS,
    *FILE_UPLOAD_MODELS, InstanceStateModel, *CHANGE_LOG_MODELS, LoggedErasureModel, *UNDO_MODELS,
    *WEBHOOK_MODELS, *JOB_MODELS,
)  # fmt: skip
