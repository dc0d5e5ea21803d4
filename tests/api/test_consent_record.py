"""`GET /fetch/subscribers/{uuid}/consent`: each change of consent, with what made it and why."""

import pytest

from audience.access import keys, sites
from audience.links import undoing, unsubscribing
from audience.links.links import UNSUBSCRIBE, Links, read
from tests.api.test_consent import ADA, command, queue
from tests.api.test_consent_order import drain
from tests.client import ApiClient
from tests.stored_people import found


def shown(client, email=ADA):
    answer = client.get(f"/fetch/subscribers/{found(client.site, email).uuid}/consent")
    assert answer.status_code == 200, answer.text
    return answer.json["data"]


def events(client):
    attributes = shown(client)["attributes"]
    return [(event["subscribed"], event["source"]["type"], event["reason"]) for event in attributes["events"]]


def link(client):
    person = found(client.site, ADA)
    urls = Links(client.site, "https://people.example").urls(person.uuid, person.email_key)
    made = read(UNSUBSCRIBE, urls[UNSUBSCRIBE].rpartition("/")[2])
    assert made is not None
    return made


def test_whoever_came_in_subscribed_has_no_event(client):
    client.create(ADA)
    data = shown(client)
    person = found(client.site, ADA)
    assert (data["type"], data["id"]) == ("consents", str(person.id))
    attributes = data["attributes"]
    assert (attributes["uuid"], attributes["email"], attributes["events"]) == (person.uuid, ADA, [])
    assert attributes["created_by"]["type"] == "api"
    assert attributes["unsubscribed_at"] is None


def test_each_event_with_source_and_reason_oldest_first(client):
    client.create(ADA)
    unsubscribed = unsubscribing.unsubscribe(link(client), "too_many")
    assert unsubscribed.before is not None
    ticket, _ = undoing.new_ticket(link(client), unsubscribed.number, unsubscribed.before)
    undoing.undo(link(client), ticket)
    command(client, "unsubscribe")
    queue(client, command="subscribe")
    drain(client)
    assert events(client) == [
        (False, "link", "too_many"), (True, "link", "undone"), (False, "command", "word"),
        (True, "import", "word"),
    ]  # fmt: skip
    dates = [event["at"] for event in shown(client)["attributes"]["events"]]
    assert dates == sorted(dates)
    history = client.get(
        f"/fetch/subscribers/{found(client.site, ADA).uuid}/events", query={"history": "1"}
    ).json["history"]
    assert history["consents"] == shown(client)["attributes"]["events"]


def test_who_leaves_by_a_link_without_a_reason_has_none(client):
    client.create(ADA)
    unsubscribing.unsubscribe(link(client))
    assert events(client) == [(False, "link", "")]


@pytest.mark.parametrize("wrong", ["x", "00000000-0000-7000-8000-000000000000"])
def test_of_nobody_it_is_404(client, wrong):
    assert client.get(f"/fetch/subscribers/{wrong}/consent").status_code == 404


def test_of_another_site_it_is_404(client):
    client.create(ADA)
    uuid = found(client.site, ADA).uuid
    other = sites.create("Another")
    elsewhere = ApiClient(client.http, other, keys.create([other], "read"))
    assert elsewhere.get(f"/fetch/subscribers/{uuid}/consent").status_code == 404
