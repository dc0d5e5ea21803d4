"""The table of the log of erasures."""

from peewee import BigIntegerField, TextField

from storage.base_models import IdModel


class LoggedErasureModel(IdModel):
    """An erasure, for a restore of an older state; it outlives its site. Empty where the log is a file."""

    site_uuid = TextField()
    address_hash = TextField()
    at = BigIntegerField()
    number = BigIntegerField(null=True)
    pepper_check = TextField(null=True)

    class Meta:
        table_name = "logged_erasures"
