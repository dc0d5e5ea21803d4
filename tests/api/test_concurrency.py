"""Several clients at once: one person per address, and exact counters."""

import threading

import pytest

from audience import imports, stats
from tests.door import Door

CLIENTS = 6
EMAILS = [f"p{number}@example.com" for number in range(5)]


def at_once(door, act):
    """Runs `act(door, number)` in as many threads as there are clients; what each answered."""
    application, answers, ready = door.client.application, [], threading.Barrier(CLIENTS)

    def client(number):
        own = Door(application.test_client(), door.site, door.key)
        ready.wait(30)
        answers.append(act(own, number))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(answers) == CLIENTS
    return answers


def create(door, number):
    return [door.create(email, **{f"key{number}": number, "tags": f"tag{number}"})["id"] for email in EMAILS]


def import_one(door, number):
    rows = [{"email": email, f"key{number}": number, "tags": f"tag{number}"} for email in EMAILS]
    return [door.post("/batch/subscribers", {"subscribers": [row]}).status_code for row in rows]


def command(door, number):
    commands = [
        each
        for email in EMAILS
        for each in (
            {"command": "unsubscribe" if number % 2 else "subscribe", "email": email},
            {"command": "add_field", "query": f"key{number}={number}", "email": email},
            {"command": "add_tag", "query": f"tag{number}", "email": email},
        )
    ]
    return door.post("/fetch/commands", {"command": commands}).status_code


def event(door, number):
    events = [
        {"email": email, "type": "$tag", "fields": {f"key{number}": number},
         "details": {"tag": f"tag{number}", "unique": {"key": f"{number} {email}"}}}
        for email in EMAILS
    ]  # fmt: skip
    return door.post("/batch/events", {"events": events}).status_code


@pytest.mark.parametrize("act", [create, import_one, command, event])
def test_nothing_is_lost_or_doubled(door, act):
    at_once(door, act)
    imports.drain(door.site.id, 30)
    assert stats.site(door.site) == stats.recount(door.site)
    assert door.counts()[0] == len(EMAILS)
    for email in EMAILS:
        person = door.find(email)["attributes"]
        assert set(person["fields"]) == {f"key{number}" for number in range(CLIENTS)}
        assert len(person["cached_tag_ids"]) == CLIENTS
    assert len(door.get("/fetch/tags").json["data"]) == CLIENTS
    assert len(door.get("/fetch/fields").json["data"]) == CLIENTS


def test_a_unique_event_that_comes_at_once_is_stored_once(door):
    given = {"email": EMAILS[0], "type": "buy", "details": {"unique": {"key": "order-1"}}}
    answers = at_once(door, lambda own, _: door_answer(own, given))
    assert answers == [(200, 1)] * CLIENTS


def door_answer(own, given):
    response = own.post("/batch/events", {"events": [given]})
    return response.status_code, response.json["results"]


def test_one_address_is_moved_to_by_one(door):
    for number in range(CLIENTS):
        door.create(f"old{number}@example.com")

    def move(own, number):
        given = {"command": "change_email", "email": f"old{number}@example.com", "query": "new@example.com"}
        return own.post("/fetch/commands", {"command": given}).json["results"]

    assert sum(at_once(door, move)) == 1
    assert door.counts()[0] == CLIENTS
