"""Secrets and signatures of webhooks, as Standard Webhooks says."""

import base64
from collections.abc import Sequence
from datetime import UTC, datetime


def secret(mac: bytes) -> str:
    """The text (`whsec_…`) of the secret with the bytes `mac`."""
    return f"whsec_{base64.b64encode(mac).decode()}"


def headers(secrets: Sequence[str], message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The headers of a message signed with each of `secrets` at the instant `at`. `body` is UTF-8."""
    from standardwebhooks import Webhook  # only a delivery needs it: commands start sooner

    instant, text = at.astimezone(UTC), body.decode()
    signatures = (Webhook(secret).sign(message_id, instant, text) for secret in secrets)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(instant.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
