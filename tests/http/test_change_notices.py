"""A request that changes a site with webhooks wakes a worker; others wake none."""

import pytest

from audience import webhooks
from storage.errors import Unavailable
from tests.webhook_steps import WEBHOOK

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


def test_only_changes_of_a_site_with_a_webhook_that_is_not_paused_are_told(client, other_client, told):
    assert told("POST", "/fetch/subscribers", ANN) == []
    webhooks.create(other_client.site, WEBHOOK, private_addresses=True)
    webhooks.create(client.site, WEBHOOK | {"paused": True}, private_addresses=True)
    assert told("POST", "/fetch/subscribers", BOB) == []
    webhooks.create(client.site, WEBHOOK, private_addresses=True)
    assert told("POST", "/fetch/subscribers", EVE) == [client.site.id]
    assert told("POST", "/fetch/subscribers", EVE) == []
    assert told("GET", "/fetch/search") == []
    assert told("POST", "/fetch/webhooks/2/replay", {"after": 0}) == [client.site.id]


def test_a_request_that_was_done_is_answered_though_nobody_can_be_told(client, told, monkeypatch):
    def fails(_):
        raise Unavailable

    webhooks.create(client.site, WEBHOOK, private_addresses=True)
    monkeypatch.setattr("storage.webhooks.has_active", fails)
    assert told("POST", "/fetch/subscribers", ANN) == []
