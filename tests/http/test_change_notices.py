"""A request that gives a webhook something to send wakes a worker; others wake none."""

import pytest

from audience.webhooks import webhooks
from tests.webhook_steps import WEBHOOK, send_all

ANN, BOB, EVE = ({"subscriber": {"email": f"{name}@example.com"}} for name in ("ann", "bob", "eve"))


@pytest.fixture
def told(app, client):
    """The notices of one request."""
    queue = app.extensions["audience"].import_queue

    def of(method, path, body=None, **options):
        queue.sites.clear()
        answer = client.call(method, path, body, **options)
        assert answer.status_code in (200, 201), answer.text
        return list(queue.sites)

    return of


def test_only_changes_that_a_resting_webhook_is_sent_are_told(client, other_client, told):
    assert told("POST", "/fetch/subscribers", ANN) == []
    webhooks.create(other_client.site, WEBHOOK)
    webhooks.create(client.site, WEBHOOK | {"paused": True})
    assert told("POST", "/fetch/subscribers", BOB) == []
    webhooks.create(client.site, WEBHOOK)
    send_all()
    assert told("POST", "/fetch/subscribers", EVE) == [client.site.id]
    assert told("POST", "/fetch/subscribers", EVE) == []
    assert told("GET", "/fetch/search") == []
    assert told("POST", "/fetch/webhooks/3/replay", {"after": 0}) == [client.site.id]
