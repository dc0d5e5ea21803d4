"""Several clients at once: one subscriber per address, and exact counters."""

import threading

import pytest

from audience.operations import site_lane
from audience.subscribers import stats
from tests.client import ApiClient

CLIENTS = 6
EMAILS = [f"p{number}@example.com" for number in range(5)]


def at_once(client, act):
    """Runs `act(client, number)` in one thread per client; returns the results."""
    application, answers, ready = client.http.application, [], threading.Barrier(CLIENTS)

    def act_as_client(number):
        own = ApiClient(application.test_client(), client.site, client.key)
        ready.wait(30)
        answers.append(act(own, number))

    threads = [threading.Thread(target=act_as_client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(answers) == CLIENTS
    return answers


def create(client, number):
    return [
        client.create(email, **{f"key{number}": number, "tags": f"tag{number}"})["id"] for email in EMAILS
    ]


def import_one(client, number):
    rows = [{"email": email, f"key{number}": number, "tags": f"tag{number}"} for email in EMAILS]
    return [client.post("/batch/subscribers", {"subscribers": [row]}).status_code for row in rows]


def command(client, number):
    commands = [
        each
        for email in EMAILS
        for each in (
            {"command": "unsubscribe" if number % 2 else "subscribe", "email": email},
            {"command": "add_field", "query": f"key{number}={number}", "email": email},
            {"command": "add_tag", "query": f"tag{number}", "email": email},
        )
    ]
    return client.post("/fetch/commands", {"command": commands}).status_code


def event(client, number):
    events = [
        {"email": email, "type": "$tag", "fields": {f"key{number}": number},
         "details": {"tag": f"tag{number}", "unique": {"key": f"{number} {email}"}}}
        for email in EMAILS
    ]  # fmt: skip
    return client.post("/batch/events", {"events": events}).status_code


@pytest.mark.parametrize("act", [create, import_one, command, event])
def test_nothing_is_lost_or_duplicated(client, act):
    at_once(client, act)
    site_lane.drain(client.site.id, 30)
    assert stats.for_site(client.site) == stats.recount(client.site)
    assert client.counts()[0] == len(EMAILS)
    for email in EMAILS:
        subscriber = client.find(email)["attributes"]
        assert set(subscriber["fields"]) == {f"key{number}" for number in range(CLIENTS)}
        assert len(subscriber["cached_tag_ids"]) == CLIENTS
    assert len(client.get("/fetch/tags").json["data"]) == CLIENTS
    assert len(client.get("/fetch/fields").json["data"]) == CLIENTS


def test_concurrent_unique_events_are_stored_once(client):
    item = {"email": EMAILS[0], "type": "buy", "details": {"unique": {"key": "order-1"}}}
    answers = at_once(client, lambda own, _: send_event(own, item))
    assert answers == [(200, 1)] * CLIENTS


def send_event(own, item):
    response = own.post("/batch/events", {"events": [item]})
    return response.status_code, response.json["results"]


def test_only_one_subscriber_moves_to_an_address(client):
    for number in range(CLIENTS):
        client.create(f"old{number}@example.com")

    def move(own, number):
        item = {"command": "change_email", "email": f"old{number}@example.com", "query": "new@example.com"}
        return own.post("/fetch/commands", {"command": item}).json["results"]

    assert sum(at_once(client, move)) == 1
    assert client.counts()[0] == CLIENTS
