"""Hands sign-ups over to a webhook of the site, whose receiver sends the links in place of our email, and
tells such webhooks that the alarm is on.

The receiver's answers are not kept: they may repeat what the visitor typed.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

from audience import clock
from audience.access.sites import Site
from audience.forms import forms
from audience.forms.forms import SignUpForm
from audience.mail.results import LATER, PAUSED, SENT, MailResult
from audience.sign_ups.confirming import ConfirmLinks
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks.deliveries import ALARM, FAILED_STATUS, SIGN_UPS, Delivery
from audience.webhooks.webhooks import Webhook
from schemas.values import write_date
from storage.sign_ups.sign_ups import SignUp

NONE_TAKES = "The form's webhook is paused, or takes no sign-ups: resume it, or choose another delivery."
TAKEN = "The receiver answered {}."


def hand_over(
    site: Site,
    form: SignUpForm,
    sign_up: SignUp,
    emails: Sequence[str],
    base_url: str,
    private_addresses: bool,
) -> MailResult:
    """Sends a sign-up to the webhook of its form, in one signed message with a row for each address.

    With `private_addresses`, the receiver may be in the operator's own network. All tries have the same
    `webhook-id`, until an operator sends the sign-up again.
    """
    webhook = forms.webhook(site, form)
    if webhook is None or webhook.paused:
        return MailResult(PAUSED, NONE_TAKES)
    message_id = f"webhook-{webhook.id}-sign-up-{sending_id(sign_up)}"
    data = _data(sign_up, emails, ConfirmLinks(site, base_url))
    draft = Delivery(0, webhook.id, message_id, SIGN_UPS, clock.now_ms())
    delivered = webhook_deliveries.send_own(
        site, webhook, draft, sign_up.requested_at, data, private_addresses
    )
    if webhook_deliveries.is_success(delivered):
        return MailResult(SENT, TAKEN.format(delivered.status))
    return MailResult(LATER, delivered.failure or FAILED_STATUS.format(delivered.status))


def sending_id(sign_up: SignUp) -> str:
    """The message id of all tries, until an operator sends the sign-up again."""
    asked = f"{sign_up.nonce} {sign_up.expires_at}"
    return hashlib.sha256(asked.encode()).hexdigest()[:32]


def _data(sign_up: SignUp, emails: Sequence[str], links: ConfirmLinks) -> list[dict[str, Any]]:
    shared = {
        "id": str(sign_up.id),
        "confirm_url": links.url(sign_up),
        "decline_url": links.decline_url(sign_up),
        "expires_at": write_date(sign_up.expires_at),
        "form": str(sign_up.form_id),
        "language": sign_up.language,
        "page": sign_up.origin or None,
        "requested_at": write_date(sign_up.requested_at),
        "is_test": sign_up.is_test,
    }
    return [shared | {"email": email} for email in emails]


def tell_alarm(site: Site, webhook: Webhook, held_at: int, private_addresses: bool) -> bool:
    """Tells a webhook, once, that the alarm went on at `held_at`. Returns False if that failed.

    Returns True, too, if the webhook is paused.
    """
    message_id = f"webhook-{webhook.id}-alarm-{held_at}"
    if webhook.paused or webhook_deliveries.was_taken(site, webhook, message_id):
        return True
    draft = Delivery(0, webhook.id, message_id, ALARM, clock.now_ms())
    delivered = webhook_deliveries.send_own(site, webhook, draft, held_at, [], private_addresses)
    return webhook_deliveries.is_success(delivered)
