"""Quotes and comments in an address: nobody who left or was erased comes back by another spelling."""

import csv
import io

import pytest

from audience import addresses
from tests import response_assertions
from tests.api.sent_files import import_file
from tests.api.test_erasing import erase
from tests.console.browser import signed_in

ANN = "ann@example.com"
QUOTED = ['"ann"@example.com', '"Ann"@example.com', r'"a\nn"@example.com', r"\ann@example.com"]
COMMENTED = ["ann(x)@example.com", "(x)ann@example.com", "ann@(x)example.com"]


def file_of(address):
    text = io.StringIO()
    csv.writer(text).writerows([["email"], [address]])
    return text.getvalue()


@pytest.fixture
def left(client):
    """The `uuid` of ann@example.com, who has unsubscribed."""
    client.create(ANN)
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": ANN}})
    return client.find(ANN)["attributes"]["uuid"]


def all_in(client):
    return [row["attributes"] for row in client.get("/fetch/search", {"page": 1}).json["data"]]


@pytest.mark.parametrize("address", [*QUOTED, *COMMENTED])
def test_nobody_is_moved_to_another_spelling(client, left, address):
    client.create("bob@example.com")
    command = {"command": "change_email", "email": "bob@example.com", "query": address}
    client.post("/fetch/commands", {"command": command})
    assert {row["email"] for row in all_in(client)} == {ANN, "bob@example.com"}


@pytest.mark.parametrize("address", [*QUOTED[:3], *COMMENTED[:2]])
def test_somebody_of_an_earlier_version_is_reached(client, monkeypatch, address):
    with monkeypatch.context() as earlier:
        earlier.setattr(addresses, "QUOTING", frozenset())
        uuid = client.create(address)["attributes"]["uuid"]
    assert client.find(address)["attributes"]["uuid"] == uuid
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": address}})
    assert client.find(address)["attributes"]["unsubscribed_at"]
    assert client.get("/fetch/changes", {"links": "true"}).status_code == 200
    erase(client, uuid=uuid)
    assert all_in(client) == []


@pytest.mark.parametrize("address", [*QUOTED, *COMMENTED])
def test_quotes_and_comments_are_refused_everywhere(client, address):
    created = client.post("/fetch/subscribers", {"subscriber": {"email": address}})
    assert response_assertions.error_fields(created) == ["subscriber.email"]
    answer = client.post("/batch/subscribers", {"subscribers": [{"email": address}]}).json
    assert (answer["result"], answer["failed"]) == (0, 1)
    assert import_file(client, file_of(address))["failed"] == 1


@pytest.mark.parametrize("address", [*QUOTED, *COMMENTED])
def test_nobody_is_added_again_by_hand(app, client, left, address):
    sue = signed_in(app, "sue@example.com", {client.site: "support"})
    page = sue.post(f"/sites/{client.site.uuid}/subscribers/new", email=address, consent="subscribed")
    assert page.status_code in (200, 303, 422)
    assert [(row["uuid"], row["unsubscribed_at"] is not None) for row in all_in(client)] == [(left, True)]


@pytest.mark.parametrize("address", [*QUOTED, *COMMENTED])
def test_no_sign_up_takes_another_spelling(client, left, address):
    answer = client.post("/fetch/sign_ups", {"email": address})
    assert answer.status_code in (201, 422)
    assert {row["uuid"] for row in all_in(client)} == {left}
