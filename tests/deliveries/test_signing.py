"""Secrets and signatures of webhooks."""

import base64
import json
import secrets
from datetime import UTC, datetime, timedelta, timezone

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from audience.deliveries import signing

SECRET = signing.secret(b"k" * 32)
BODY = json.dumps({"type": "changes", "data": [{"first_name": "Zoë"}]}, ensure_ascii=False).encode()


def test_a_secret_is_of_the_standards_form_and_size():
    assert SECRET.startswith("whsec_")
    assert len(base64.b64decode(SECRET.removeprefix("whsec_"), validate=True)) == 32


def test_a_receiver_accepts_the_signature_by_either_secret():
    old, new = (signing.secret(secrets.token_bytes(32)) for _ in range(2))
    headers = signing.headers([new, old], "1.1.2", datetime.now(UTC), BODY)
    assert Webhook(old).verify(BODY, headers) == Webhook(new).verify(BODY, headers) == json.loads(BODY)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(BODY, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(new).verify(BODY + b" ", headers)


def test_the_instant_is_that_of_the_try_in_any_zone():
    at = datetime(2026, 1, 2, 3, 4, 5, 999_999, tzinfo=UTC)
    elsewhere = at.astimezone(timezone(timedelta(hours=9)))
    here, there = (signing.headers([SECRET], "a", each, BODY) for each in (at, elsewhere))
    assert here == there
    assert here["webhook-timestamp"] == "1767323045"


def test_the_standards_own_example():
    """https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md"""
    at = datetime.fromtimestamp(1614265330, UTC)
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    headers = signing.headers([secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}')
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
