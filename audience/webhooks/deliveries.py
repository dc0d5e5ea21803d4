"""One message to the receiver of a webhook: its signature, and its line in the log of deliveries."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from audience import clock, telemetry
from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.deliveries import signing
from audience.deliveries.client import DeliveryResult, post
from audience.links import tokens
from audience.privacy import redaction
from audience.webhooks import webhooks
from audience.webhooks.webhooks import Webhook
from schemas.values import MAX_PAGE, compact_json, write_date
from storage import database
from storage.subscribers import subscribers as stored_subscribers
from storage.webhooks import deliveries as stored
from storage.webhooks.deliveries import ALARM, CHANGES, IMPORT_FINISHED, SIGN_UPS, TEST, Delivery

__all__ = ["ALARM", "CHANGES", "IMPORT_FINISHED", "SIGN_UPS", "Delivery"]

LOG_MS = 30 * DAY_MS
LOG_ROWS = 1_000  # deleted per transaction
PAGE_SIZE = 100
SECONDS = 10.0  # for a message
TEST_SECONDS = 7.0  # a client may wait for 10
GONE = 410  # the receiver asks for no more
GATEWAYS = (502, 504)  # errors of a gateway: the receiver behind it may not have answered
FAILED_STATUS = "The receiver answered {}: change it so that it answers 2xx."
HIDDEN = "…"


def send(
    webhook: Webhook,
    message_id: str,
    keys: list[str],
    body: str,
    seconds: float,
    private_addresses: bool,
    is_secret: bool = False,
) -> DeliveryResult:
    """Sends a message signed with `keys`. Returns the result. Holds no connection to the database.

    A message that `is_secret` is not sent unencrypted to public addresses. Network errors are in the result.
    """
    at = datetime.fromtimestamp(clock.now_ms() / 1000, UTC)
    encoded = body.encode()
    headers = signing.headers(keys, message_id, at, encoded)
    return post(
        webhook.url,
        encoded,
        headers,
        private_addresses=private_addresses,
        is_secret=is_secret,
        seconds=seconds,
    )


def is_success(delivered: DeliveryResult) -> bool:
    """Whether the receiver took the message: it answered 2xx."""
    return delivered.failure is None and delivered.status is not None and 200 <= delivered.status < 300


def send_test(site: Site, webhook_id: int, *, private_addresses: bool) -> Delivery:
    """Sends a message of the type `test`, even if the webhook is paused. Raises `NotFound`."""
    webhook, at = webhooks.get(site, webhook_id), clock.now_ms()
    message_id = f"webhook-{webhook.id}-test-{secrets.token_hex(8)}"
    body = compact_json({"type": TEST, "timestamp": write_date(at), "data": []})
    keys = webhooks.current_secrets(site.id, webhook)
    delivered = send(webhook, message_id, keys, body, TEST_SECONDS, private_addresses)
    with database.write(site.id):
        return log(site.id, Delivery(0, webhook.id, message_id, TEST, at), delivered)


def send_own(
    site: Site,
    webhook: Webhook,
    draft: Delivery,
    at: int,
    data: Sequence[Mapping[str, Any]],
    private_addresses: bool,
) -> DeliveryResult:
    """Sends the message `draft` with `data`, outside the order of changes. Logs and returns its result."""
    body = compact_json({"type": draft.kind, "timestamp": write_date(at), "data": data})
    keys = webhooks.current_secrets(site.id, webhook)
    delivered = send(
        webhook, draft.message_id, keys, body, SECONDS, private_addresses, draft.kind == SIGN_UPS
    )
    with database.write(site.id):
        log(site.id, draft, delivered)
    return delivered


@database.session()
def was_taken(site: Site, webhook: Webhook, message_id: str) -> bool:
    """Whether the receiver has taken the message with this id."""
    return stored.has(site_id=site.id, webhook_id=webhook.id, message_id=message_id, failure="")


def log(site_id: int, draft: Delivery, delivered: DeliveryResult, uuids: Collection[str] = ()) -> Delivery:
    """Logs the result of a message, in the caller's transaction. `uuids` are those of its
    subscribers.

    The receiver's answer is kept for a test, and for a failed delivery of changes unless one of these
    subscribers was erased meanwhile.
    """
    failure = "" if is_success(delivered) else delivered.failure or FAILED_STATUS.format(delivered.status)
    keeps = draft.kind == TEST or (draft.kind == CHANGES and failure and _has_all(site_id, uuids))
    delivery = draft._replace(
        status=delivered.status,
        milliseconds=delivered.milliseconds,
        answer=without_addresses(delivered.beginning) if keeps else "",
        failure=failure,
    )
    outcome = "failed" if failure else "succeeded"
    telemetry.record_delivery(outcome, delivered.milliseconds / 1000)
    return delivery._replace(id=stored.add(delivery, site_id=site_id))


def _has_all(site_id: int, uuids: Collection[str]) -> bool:
    return not uuids or len(stored_subscribers.keys_of(site_id, uuids)) == len(uuids)


def without_addresses(text: str) -> str:
    """The text with all addresses and links hidden: a receiver may repeat what it was sent."""
    hidden = tokens.PATTERN.sub(HIDDEN, text.replace("\0", HIDDEN))
    return redaction.without_addresses(hidden, lambda _: HIDDEN)


def was_refused(site_id: int, draft: Delivery) -> bool:
    """Whether the receiver refused the last message of this range of changes. Gateways' errors do not count.

    Also true if that message had another id, because its result says nothing about the message `draft`.
    """
    tries = stored.page(site_id, draft.webhook_id, PAGE_SIZE, 0, kind=CHANGES)
    last = next(
        (attempt for attempt in tries if (attempt.first, attempt.last) == (draft.first, draft.last)), None
    )
    if last is None or last.message_id != draft.message_id:
        return last is not None
    return last.status is not None and last.status >= 300 and last.status not in GATEWAYS


@database.session()
def page(site: Site, webhook_id: int, number: int) -> tuple[list[Delivery], bool]:
    """A (page of a webhook's log, newest first; whether there is another). Raises `NotFound`."""
    webhook = webhooks.require(site.id, webhook_id)
    if number > MAX_PAGE:
        return [], False
    rows = stored.page(site.id, webhook.id, PAGE_SIZE + 1, (number - 1) * PAGE_SIZE)
    return rows[:PAGE_SIZE], len(rows) > PAGE_SIZE


@database.session()
def newest(site: Site) -> dict[int, Delivery]:
    """The newest delivery of each webhook that has one, by webhook id."""
    return {delivery.webhook_id: delivery for delivery in stored.newest(site.id)}


def sweep(only_site: int | None = None) -> bool:
    """Deletes some log entries of one site that are older than 30 days. Returns False if there were none."""
    before = clock.now_ms() - LOG_MS
    if only_site is None:
        with database.session():
            only_site = stored.site_before(before)
    if only_site is None:
        return False
    with database.write(only_site):
        return stored.delete_old(only_site, before, LOG_ROWS) > 0
