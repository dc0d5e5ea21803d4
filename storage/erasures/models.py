"""The tables of the log of erasures, and of addresses without a subscriber."""

from peewee import BigIntegerField, IntegerField, TextField

from storage.base_models import IdModel, SiteOwnedModel


class LoggedErasureModel(IdModel):
    """A line of the log of erasures, see `storage.erasures.log.LogLine`. It outlives its site, for restores.

    The table is empty if the log is a file.
    """

    site_uuid = TextField()
    address_hash = TextField()
    at = BigIntegerField()
    number = BigIntegerField(null=True)
    pepper_check = TextField(null=True)
    kind = TextField(default="erased")
    person_hash = TextField(null=True)
    shown_at = BigIntegerField(null=True)
    logged_at = BigIntegerField(null=True)

    class Meta:
        table_name = "logged_erasures"
        indexes = ((("site_uuid", "address_hash"), False), (("site_uuid", "person_hash"), False))


class SuppressionModel(SiteOwnedModel):
    """An address whose subscriber was `erased`, or got another address while `unsubscribed`."""

    address_hash = TextField()
    reason = TextField()
    since = BigIntegerField()
    number = BigIntegerField(default=0)
    kind = IntegerField(default=3)

    class Meta:
        table_name = "suppressions"
        indexes = ((("site", "address_hash"), True),)
