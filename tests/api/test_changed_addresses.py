"""Commands that give subscribers another address (docs/contract.md, Commands)."""

import pytest

from tests import response_assertions
from tests.api.test_commands import ADA, command, fails, run
from tests.api.test_subscribers import erase


def test_change_email_keeps_the_subscriber(client):
    before = response_assertions.subscriber(client.create(ADA, tags="vip", plan="pro"))
    after = run(client, command("change_email", " New@Example.com "))
    assert after["email"] == "New@Example.com"
    assert {key: after[key] for key in ("uuid", "fields", "cached_tag_ids", "created_at")} == {
        key: before[key] for key in ("uuid", "fields", "cached_tag_ids", "created_at")
    }
    assert client.find(ADA) is None
    assert client.find("new@example.com")["attributes"] == after
    assert client.counts() == (1, 1, 0)


def test_change_email_to_another_spelling_of_the_same_address(client):
    client.create(ADA)
    assert run(client, command("change_email", "ADA@example.com"))["email"] == "ADA@example.com"
    assert client.counts() == (1, 1, 0)


@pytest.mark.parametrize("address", ["bob@example.com", "BOB@EXAMPLE.COM", "nonsense", "a b@example.com"])
def test_an_unavailable_address_fails_and_writes_nothing(client, address):
    before = client.create(ADA)
    client.create("bob@example.com")
    assert fails(client, command("change_email", address)) == ("command[0]", None)
    assert client.find(ADA) == before


def test_a_swap_of_addresses(client):
    ada, bob = client.create(ADA), client.create("bob@example.com")
    run(
        client,
        command("change_email", "x@example.com"),
        command("change_email", ADA, email="bob@example.com"),
        command("change_email", "bob@example.com", email="x@example.com"),
    )
    assert client.find(ADA)["id"] == bob["id"]
    assert client.find("bob@example.com")["id"] == ada["id"]


def test_no_subscriber_moves_to_a_suppressed_address(client):
    erase(client, "gone@example.com")
    client.create(ADA)
    assert fails(client, command("change_email", "gone@example.com")) == ("command[0]", None)


def test_the_old_address_of_an_unsubscribed_subscriber_stays_unsubscribed(client):
    left = run(client, command("unsubscribe"))["unsubscribed_at"]
    run(client, command("change_email", "new@example.com"))
    client.post("/batch/subscribers", {"subscribers": [{"email": ADA}]})
    assert response_assertions.subscriber(client.find(ADA))["unsubscribed_at"] == left
    assert client.counts() == (2, 0, 2)
    assert run(client, command("subscribe"))["unsubscribed_at"] is None
    assert client.counts() == (2, 1, 1)
