"""The table of requests that were sent with an Idempotency-Key."""

from peewee import BigIntegerField, CompositeKey, ForeignKeyField, IntegerField, TextField

from storage.base_models import BaseModel, SiteModel


class IdempotencyKeyModel(BaseModel):
    """A request that was sent with an Idempotency-Key. `key_hash` is a keyed hash of the key, the API key and
    the path; `request_hash` is one of the rest of the request.

    `ids` is JSON: the ids and counts from which the answer is made anew. An upload that is under way has a
    `claim`, until `lease`, on the clock of leases. Instants are in milliseconds.
    """

    site = ForeignKeyField(SiteModel, on_delete="CASCADE", index=False)
    key_hash = TextField()
    request_hash = TextField()
    status = IntegerField()
    ids = TextField()
    claim = TextField()
    lease = BigIntegerField()
    created_at = BigIntegerField(index=True)

    class Meta:
        table_name = "idempotency_keys"
        primary_key = CompositeKey("site", "key_hash")
        without_rowid = True
