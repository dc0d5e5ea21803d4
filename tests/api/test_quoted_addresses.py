"""Quotes and comments in an address: nobody who left or was erased comes back by another spelling."""

import csv
import io

import pytest

from tests import response_assertions
from tests.api.sent_files import import_file
from tests.api.test_erasing import erase
from tests.api.test_imports import accepted, imported
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


@pytest.mark.parametrize("address", QUOTED)
def test_an_unsubscribed_person_is_found_by_every_spelling(client, left, address):
    client.create(address)
    imported(client, {"email": address})
    assert import_file(client, file_of(address))["created"] == 0
    assert [(row["uuid"], row["unsubscribed_at"] is not None) for row in all_in(client)] == [(left, True)]
    assert client.find(address)["attributes"]["uuid"] == left


@pytest.mark.parametrize("address", QUOTED)
def test_an_erased_person_stays_erased_in_every_spelling(client, address):
    client.create(ANN)
    erase(client, email=ANN)
    refused = client.post("/fetch/subscribers", {"subscriber": {"email": address}})
    assert response_assertions.error_fields(refused) == ["subscriber.email"]
    assert accepted(client, {"email": address})[1] == ["subscribers[0].email"]
    assert import_file(client, file_of(address))["failed"] == 1
    assert all_in(client) == []


@pytest.mark.parametrize("address", QUOTED)
def test_erasing_by_another_spelling_erases(client, address):
    client.create(ANN)
    erase(client, email=address)
    assert client.find(ANN) is None


@pytest.mark.parametrize("address", COMMENTED)
def test_comments_are_refused_everywhere(client, address):
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
