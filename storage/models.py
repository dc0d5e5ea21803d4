"""The tables: columns and indexes. Instants are in milliseconds since 1970 (UTC); ids increase over time.

Unique indexes begin with the site, except those of a site's uuid and of a publishable key.
"""

from peewee import BigIntegerField, IntegerField, TextField

from storage.access.models import OPERATOR_MODELS, AddressListModel, KeyModel, KeySiteModel, SiteCounterModel
from storage.base_models import BaseModel, SiteModel
from storage.bulk.models import BULK_ACTION_MODELS, TagRenameModel
from storage.changes.models import CHANGE_LOG_MODELS
from storage.erasures.models import LoggedErasureModel, SuppressionModel
from storage.forms.models import FORM_MODELS
from storage.imports.models import (
    FILE_UPLOAD_MODELS,
    ImportBatchModel,
    ImportModel,
    MovedAddressModel,
    RefusedRowModel,
)
from storage.job_models import JOB_MODELS
from storage.links.models import LINK_MODELS
from storage.looks.models import LOOK_MODELS
from storage.repeats.models import IdempotencyKeyModel
from storage.reports.models import ReportModel
from storage.segments.models import SegmentCountModel, SegmentModel
from storage.sign_ups.models import SIGN_UP_MODELS
from storage.subscribers.models import SUBSCRIBER_MODELS, EventModel
from storage.undo.models import UNDO_MODELS
from storage.webhooks.models import WEBHOOK_MODELS


class PepperModel(BaseModel):
    """One row: the check value of this database's pepper, a digest of a constant."""

    id = IntegerField(primary_key=True)
    check_value = TextField()

    class Meta:
        table_name = "pepper"


class InstanceStateModel(BaseModel):
    """One row. Code older than `lowest_writer` must not write. `home` is the identity of the database from
    which webhooks were sent.

    `move`, `phase`, `other` and `at` are those of a move, see `storage.instance.state.Phase`.
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
    RefusedRowModel, AddressListModel, PepperModel, *OPERATOR_MODELS, *BULK_ACTION_MODELS,
    *FILE_UPLOAD_MODELS, InstanceStateModel, *CHANGE_LOG_MODELS, LoggedErasureModel, *UNDO_MODELS,
    *WEBHOOK_MODELS, *JOB_MODELS, *LINK_MODELS, *LOOK_MODELS, *FORM_MODELS, *SIGN_UP_MODELS,
    IdempotencyKeyModel, TagRenameModel,
)  # fmt: skip
