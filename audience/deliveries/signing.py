"""Secrets and signatures of webhooks, as Standard Webhooks says."""

import base64
from collections.abc import Sequence
from datetime import UTC, datetime


def secret(mac: bytes) -> str:
    """The secret as text (`whsec_…`), from its bytes `mac`."""
    return f"whsec_{base64.b64encode(mac).decode()}"


def headers(secrets: Sequence[str], message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The headers that sign a message, with a signature by each of the `secrets`. `body` is UTF-8 text, `at`
    the instant of signing.
    """
    from standardwebhooks import Webhook  # only a delivery needs it: commands start sooner

    instant, text = at.astimezone(UTC), body.decode()
    signatures = (Webhook(secret).sign(message_id, instant, text) for secret in secrets)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(instant.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
