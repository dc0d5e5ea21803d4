"""Secrets and signatures of webhooks, as Standard Webhooks says."""

import base64
from collections.abc import Sequence
from datetime import UTC, datetime

from audience import pepper

NONCE_BYTES = 32


def secret(site_id: int, webhook_id: int, nonce: bytes, key: bytes | None = None) -> str:
    """`whsec_…`: the HMAC-SHA256 of site, webhook and nonce, by default under the open pepper. Only the nonce
    is kept, of `NONCE_BYTES` random bytes."""
    mac = bytes.fromhex(pepper.digest("webhook", f"{site_id} {webhook_id} {nonce.hex()}", key))
    return f"whsec_{base64.b64encode(mac).decode()}"


def headers(secrets: Sequence[str], message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The headers that sign a body, text of UTF-8, at an instant: a signature for each secret."""
    from standardwebhooks import Webhook  # only a delivery needs it: commands start sooner

    instant, text = at.astimezone(UTC), body.decode()
    signatures = (Webhook(each).sign(message_id, instant, text) for each in secrets)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(instant.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
