"""The log of deliveries of webhooks. Instants are in milliseconds."""

from typing import Any, NamedTuple

from peewee import SQL, BigIntegerField

from storage.base_models import SiteOwnedModel, add_partial_index
from storage.database import execute, rows, value
from storage.engines.chosen import engine
from storage.records import Records

CHANGES, TEST, SIGN_UPS, ALARM = "changes", "test", "sign_ups", "alarm"  # kinds
IMPORT_FINISHED = "import_finished"  # a kind, and that of its job


class Delivery(NamedTuple):
    """A try to deliver `changes` changes, numbered from `first` to `last`.

    `status` is None if the receiver did not answer. `answer` is the beginning of its answer, "" if not kept.
    `failure` is a sentence, or "".
    """

    id: int
    webhook_id: int
    message_id: str
    kind: str
    at: int
    first: int = 0
    last: int = 0
    changes: int = 0
    status: int | None = None
    milliseconds: int = 0
    answer: str = ""
    failure: str = ""


class WebhookDeliveryModel(SiteOwnedModel, table="webhook_deliveries", record=Delivery):
    """The row outlives its webhook, so it has no foreign key to the webhook."""

    at = BigIntegerField(index=True)

    class Meta:
        indexes = ((("site", "webhook_id", "id"), False),)


_delivery: Any = WebhookDeliveryModel
add_partial_index("webhook_deliveries_answered", _delivery.site, where=SQL("answer <> ''"))
DELIVERIES = Records(WebhookDeliveryModel, Delivery)
add, has = DELIVERIES.add_new, DELIVERIES.has


def page(site_id: int, webhook_id: int, limit: int, offset: int, **equal: str) -> list[Delivery]:
    """A page of a webhook's deliveries with the values `equal` in these columns, newest first."""
    newest = "ORDER BY id DESC LIMIT ? OFFSET ?"
    return DELIVERIES.find(newest, limit, offset, site_id=site_id, webhook_id=webhook_id, **equal)


def newest(site_id: int) -> list[Delivery]:
    """The newest delivery of each webhook."""
    records = rows(
        f"SELECT {DELIVERIES.columns_of('d')} FROM webhooks w JOIN webhook_deliveries d "
        "ON d.site_id = w.site_id AND d.webhook_id = w.id AND d.id = (SELECT max(id) FROM webhook_deliveries "
        "WHERE site_id = ? AND webhook_id = w.id) WHERE w.site_id = ?",
        (site_id, site_id),
    )
    return DELIVERIES.read(records)


def forget_answers(site_id: int) -> None:
    """Removes the answers of receivers from all deliveries of a site."""
    # `answer <> ''` is the condition of a partial index: few deliveries have an answer.
    execute("UPDATE webhook_deliveries SET answer = '' WHERE site_id = ? AND answer <> ''", (site_id,))


def site_before(instant: int) -> int | None:
    """The id of the site with the oldest delivery, if that was before an instant; else None."""
    return value("SELECT site_id FROM webhook_deliveries WHERE at < ? ORDER BY at LIMIT 1", (instant,), None)


def delete_old(site_id: int, before: int, limit: int) -> int:
    """Deletes up to `limit` of a site's deliveries from before an instant, the oldest first. Returns how
    many.
    """
    return execute(
        "DELETE FROM webhook_deliveries WHERE site_id = ? AND id IN (SELECT id FROM webhook_deliveries "
        f"WHERE {engine.OF_SITE} AND at < ? ORDER BY at LIMIT ?)",
        (site_id, site_id, before, limit),
    )
