"""A copy of a server's database calls nobody until somebody resumes its webhooks."""

import pytest

from audience.webhooks import webhooks
from storage import database
from tests import postgresql
from tests.webhook_steps import due, make, send_all, write


@pytest.fixture
def database_url(server, migrated_on_server):
    url = server.create(migrated_on_server)
    yield url
    server.drop(url)


@pytest.fixture
def copy(client, receiver, server, database_url):
    """The URL of a copy of a database whose webhook has been sent a change."""
    webhook = make(client.site, receiver)
    write(client.site, "ann@example.com")
    assert due() == 1
    assert send_all() == 1
    assert webhooks.get(client.site, webhook.id).paused == ""
    database.close()
    url = server.create(postgresql.name_of(database_url))
    yield url
    database.close()
    server.drop(url)


def test_a_copy_pauses_its_webhooks_once(client, receiver, copy):
    database.open(copy)
    write(client.site, "bob@example.com")
    send_all()
    assert len(receiver.received) == 1
    [webhook] = webhooks.list_all(client.site)
    assert webhook.paused == "restored"
    webhooks.pause(client.site, webhook.id, False)
    assert due() == 1
    assert send_all() == 1
    assert len(receiver.received) == 2


def test_the_first_goes_on(client, receiver, copy, database_url):
    database.open(database_url)
    write(client.site, "bob@example.com")
    assert due() == 1
    assert send_all() == 1
    assert len(receiver.received) == 2
