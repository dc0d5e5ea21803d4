"""The tables of webhooks."""

from typing import Any

from peewee import SQL, BigIntegerField, ForeignKeyField, IntegerField, TextField

from storage.base_models import BaseModel, SiteOwnedModel, add_partial_index
from storage.segments.models import SegmentModel


class WebhookModel(SiteOwnedModel):
    """A webhook. Changes up to the number `place` are delivered. `kinds` is JSON.

    `range_end` is the last number of the next delivery, 0 before its first try. `paused` is the reason for a
    pause, or "".
    """

    url = TextField()
    kinds = TextField()
    segment = ForeignKeyField(SegmentModel, null=True)
    paused = TextField()
    nonce = TextField()
    old_nonce = TextField()
    old_nonce_until = BigIntegerField()
    place = BigIntegerField()
    run = IntegerField()
    range_end = BigIntegerField()
    resets = IntegerField()  # 1 or 0
    failures = IntegerField()
    links = IntegerField(default=0)  # 1 or 0: whether messages have the links of subscribers
    created_at = BigIntegerField()
    updated_at = BigIntegerField()
    sign_ups = IntegerField(default=0)  # 1 or 0: whether forms may hand sign-ups over to it

    class Meta:
        table_name = "webhooks"
        indexes = ((("site", "id"), False),)


class WebhookDeliveryModel(SiteOwnedModel):
    """One attempt to deliver. The row outlives its webhook, so it has no foreign key to the webhook."""

    webhook_id = IntegerField()
    message_id = TextField()
    kind = TextField()
    first = BigIntegerField()
    last = BigIntegerField()
    changes = IntegerField()
    at = BigIntegerField(index=True)
    status = IntegerField(null=True)
    milliseconds = IntegerField()
    answer = TextField()
    failure = TextField()

    class Meta:
        table_name = "webhook_deliveries"
        indexes = ((("site", "webhook_id", "id"), False),)


_delivery: Any = WebhookDeliveryModel
add_partial_index("webhook_deliveries_answered", _delivery.site, where=SQL("answer <> ''"))

WEBHOOK_MODELS: tuple[type[BaseModel], ...] = (WebhookModel, WebhookDeliveryModel)
