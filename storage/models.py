"""All tables. Instants are in milliseconds since 1970 (UTC); ids increase over time.

Unique indexes begin with the site, except those of a site's uuid and of a publishable key.
"""

from peewee import BigIntegerField, IntegerField, TextField

from storage.access.address_lists import AddressListModel
from storage.access.audit_log import AuditLogModel
from storage.access.keys import KeyModel, KeySiteModel
from storage.access.operators import OperatorModel, OperatorRoleModel
from storage.access.sent_forms import SentFormModel
from storage.access.sessions import OneTimeLinkModel, SessionModel
from storage.access.site_counters import SiteCounterModel
from storage.base_models import BaseModel, SiteModel
from storage.bulk.actions import BulkActionChunkModel, BulkActionModel
from storage.bulk.tag_renames import TagRenameModel
from storage.changes.changed_subscribers import ChangedSubscriberModel
from storage.changes.consent_changes import ConsentChangeModel
from storage.changes.log import ChangeLogModel, ErasedSubscriberModel
from storage.erasures.log import LoggedErasureModel
from storage.erasures.suppressions import SuppressionModel
from storage.forms.forms import FormModel, FormWordingModel
from storage.imports.file_chunks import FilePieceModel
from storage.imports.file_imports import RefusedRowModel
from storage.imports.file_uploads import FileUploadModel, ImportedFileModel
from storage.imports.imports import ImportBatchModel, ImportModel
from storage.imports.moved_addresses import MovedAddressModel
from storage.jobs import JobModel
from storage.links.former_links import FormerLinkModel
from storage.links.generations import LinkGenerationModel
from storage.looks.looks import SitePagesModel
from storage.repeats.idempotency_keys import IdempotencyKeyModel
from storage.reports.reports import ReportModel
from storage.segments.counts import SegmentCountModel
from storage.segments.segments import SegmentModel
from storage.sign_ups.alarms import SignUpAlarmModel
from storage.sign_ups.counts import SignUpCountModel
from storage.sign_ups.link_requests import LinkRequestModel
from storage.sign_ups.mailboxes import MailboxCountModel
from storage.sign_ups.proofs import ConsentProofModel
from storage.sign_ups.sign_ups import SignUpModel
from storage.subscribers.custom_fields import CustomFieldModel
from storage.subscribers.events import EventModel
from storage.subscribers.field_values import DistinctValueModel, ValueChangeModel, ValueHolderModel
from storage.subscribers.subscribers import SubscriberModel
from storage.subscribers.tags import DiscardedTagModel, SubscriberTagModel, TagModel
from storage.undo.undos import UndoModel, UndoOutcomeModel
from storage.webhooks.deliveries import WebhookDeliveryModel
from storage.webhooks.webhooks import WebhookModel


class PepperModel(BaseModel, table="pepper"):
    """One row: the check value of this database's pepper, a digest of a constant."""

    id = IntegerField(primary_key=True)
    check_value = TextField()


class InstanceStateModel(BaseModel, table="instance_state"):
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


# Referenced models before those that reference them.
MODELS: tuple[type[BaseModel], ...] = (
    SiteModel, SiteCounterModel, KeyModel, KeySiteModel, SubscriberModel, TagModel, SubscriberTagModel,
    DiscardedTagModel, CustomFieldModel, DistinctValueModel, ValueHolderModel, ValueChangeModel, EventModel,
    SuppressionModel, MovedAddressModel, ImportModel, SegmentModel, SegmentCountModel, ReportModel,
    ImportBatchModel, RefusedRowModel, AddressListModel, PepperModel, OperatorModel, OperatorRoleModel,
    SessionModel, OneTimeLinkModel, SentFormModel, AuditLogModel, BulkActionModel, BulkActionChunkModel,
    FileUploadModel, ImportedFileModel, FilePieceModel, InstanceStateModel, ChangeLogModel,
    ChangedSubscriberModel, ErasedSubscriberModel, ConsentChangeModel, LoggedErasureModel, UndoModel,
    UndoOutcomeModel, WebhookModel, WebhookDeliveryModel, JobModel, LinkGenerationModel, FormerLinkModel,
    SitePagesModel, FormModel, FormWordingModel, SignUpModel, LinkRequestModel, SignUpCountModel,
    MailboxCountModel, SignUpAlarmModel, ConsentProofModel, IdempotencyKeyModel, TagRenameModel,
)  # fmt: skip
