"""The tables of the log of erasures, and of addresses without a subscriber."""

from peewee import BigIntegerField, IntegerField, TextField

from storage.base_models import IdModel, SiteOwnedModel


class LoggedErasureModel(IdModel):
    """An erasure, for a restore of an older state; it outlives its site. Empty where the log is a file."""

    site_uuid = TextField()
    address_hash = TextField()
    at = BigIntegerField()
    number = BigIntegerField(null=True)
    pepper_check = TextField(null=True)

    class Meta:
        table_name = "logged_erasures"


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
