"""The tables of sign-ups."""

from typing import Any

from peewee import SQL, BigIntegerField, CompositeKey, ForeignKeyField, IntegerField, TextField

from storage.base_models import BaseModel, SiteModel, SiteOwnedModel, add_partial_index
from storage.subscribers.models import SubscriberModel


class SignUpModel(SiteOwnedModel):
    """A request to be subscribed. `nonce` is a uuid, `number` the acceptance number, and `tags` is JSON. No
    table of subscribers refers to it, and it has no foreign keys to a form or a subscriber.

    Once it is confirmed, declined or ended, only the keyed hash is left of the address.
    """

    form_id = IntegerField()
    nonce = TextField()
    number = BigIntegerField()
    status = TextField()
    reason = TextField()
    address_hash = TextField()
    email = TextField()
    tags = TextField()
    version = IntegerField()
    language = TextField()
    origin = TextField()
    network = TextField()
    country = TextField()
    agent = TextField()
    asked_by = TextField()
    base_url = TextField()
    requested_at = BigIntegerField()
    expires_at = BigIntegerField(index=True)
    tries = IntegerField(default=0)
    next_try_at = BigIntegerField(null=True)
    said = TextField(default="")
    sent_at = BigIntegerField(null=True)
    confirmed_at = BigIntegerField(null=True)
    subscriber_id = IntegerField(null=True)
    delivery = TextField(default="smtp")  # how it was sent: or webhook
    fields = TextField(default="{}")  # JSON: what was typed, by key

    class Meta:
        table_name = "sign_ups"
        indexes = (
            (("site", "nonce"), True),
            (("site", "address_hash"), False),
            (("site", "status", "id"), False),
        )


_sign_up: Any = SignUpModel
add_partial_index("sign_ups_sent", _sign_up.site, _sign_up.sent_at, where=SQL("sent_at IS NOT NULL"))


class LinkRequestModel(SiteOwnedModel):
    """A request to be mailed the links of an address. Its row and its job end together."""

    address_hash = TextField()
    email = TextField()
    language = TextField()
    base_url = TextField()
    requested_at = BigIntegerField()
    tries = IntegerField(default=0)

    class Meta:
        table_name = "link_requests"
        indexes = ((("site", "address_hash"), False),)


class SignUpCountModel(BaseModel):
    """How many sign-ups of a form had an outcome in an hour. `hour` is the number of hours since 1970."""

    site_id = IntegerField()
    hour = IntegerField()
    form_id = IntegerField()
    outcome = TextField()
    number = IntegerField()

    class Meta:
        table_name = "sign_up_counts"
        primary_key = CompositeKey("site_id", "hour", "form_id", "outcome")
        without_rowid = True


class MailboxCountModel(BaseModel):
    """When a mailbox was last sent mails: `times` is a JSON list of instants.

    The keyed hash is of a mailbox over all sites, or of a site's mailbox or domain.
    """

    hash = TextField(primary_key=True)
    times = TextField()
    last_at = BigIntegerField(index=True)

    class Meta:
        table_name = "mailbox_counts"
        without_rowid = True


class SignUpAlarmModel(BaseModel):
    """A site's alarm about its sign-ups: see `storage.sign_ups.alarms.Alarm`."""

    site = ForeignKeyField(SiteModel, primary_key=True, on_delete="CASCADE")
    held_at = BigIntegerField()
    judged_from = BigIntegerField()
    told_at = BigIntegerField()

    class Meta:
        table_name = "sign_up_alarms"


class ConsentProofModel(SiteOwnedModel):
    """The proof of a confirmation: who asked for what, when and from where, and who confirmed it."""

    subscriber = ForeignKeyField(SubscriberModel, on_delete="CASCADE")
    form_id = IntegerField()
    version = IntegerField()
    language = TextField()
    origin = TextField()
    asked_by = TextField()
    requested_at = BigIntegerField()
    requested_from = TextField()
    country = TextField()
    confirmed_at = BigIntegerField()
    confirmed_from = TextField()
    confirmed_by = TextField()
    seconds = IntegerField()
    agent = TextField()
    delivery = TextField(default="smtp")

    class Meta:
        table_name = "consent_proofs"
        indexes = ((("site", "form_id", "version"), False),)


SIGN_UP_MODELS: tuple[type[BaseModel], ...] = (
    SignUpModel,
    LinkRequestModel,
    SignUpCountModel,
    MailboxCountModel,
    SignUpAlarmModel,
    ConsentProofModel,
)
