"""Links of subscribers on the wire: with `links=1`, on their own, in files and in messages of webhooks."""

import csv
import io
import json
from dataclasses import replace

import pytest

from audience.access import audit_log, keys
from audience.links import links
from audience.links.links import PREFERENCES, UNSUBSCRIBE, Links
from audience.operations import site_lane
from audience.subscribers import subscribers
from audience.webhooks import deliveries as webhook_deliveries
from storage import database
from tests import response_assertions
from tests.receiver import status
from tests.webhook_steps import make, send_all

ANN, BOB = "ann@example.com", "bob@example.com"
BASE = "https://people.example"
NOTE = "Gmail and Yahoo ignore these links"


@pytest.fixture
def settings(settings):
    return replace(settings, public_url=BASE, webhook_private_addresses=True)


@pytest.fixture
def ann(client):
    return client.create(ANN, tags="vip", plan="pro")


def lead_to(made, person):
    """Whether both URLs are the person's."""
    assert set(made) == {UNSUBSCRIBE, PREFERENCES}
    for purpose, url in made.items():
        head, _, token = url.rpartition("/")
        assert head == f"{BASE}/{purpose}"
        read = links.read(purpose, token)
        assert read is not None
        assert read.uuid == person["attributes"]["uuid"]
    return True


def links_of(client, email):
    return client.get("/fetch/links", query={"email": email}).json


def test_find_has_them_where_they_are_asked_for(client, ann):
    for query in ({"email": ANN}, {"uuid": ann["attributes"]["uuid"]}):
        answer = client.get("/fetch/subscribers", query=query | {"links": "1"}).json
        made = answer["data"].pop("links")
        assert lead_to(made, ann)
        assert answer == {"data": ann}
        for no in ("0", "false", ""):
            assert client.get("/fetch/subscribers", query=query | {"links": no}).json == {"data": ann}
    assert client.get("/fetch/subscribers", query={"email": BOB, "links": "1"}).json == {"data": None}


@pytest.mark.parametrize("path", ["/fetch/subscribers", "/fetch/search", "/fetch/changes", "/fetch/export"])
def test_a_switch_that_is_none(client, path):
    answer = client.get(path, query={"email": ANN, "links": "maybe"})
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json["errors"]] == ["links"]


def test_search_has_them_of_each(client, ann):
    bob = client.create(BOB)
    plain = client.get("/fetch/search", query={"email": ""}).json
    answer = client.get("/fetch/search", query={"links": "1"}).json
    for row, person in zip(answer["data"], (bob, ann), strict=True):
        assert lead_to(row.pop("links"), person)
    assert answer == plain
    assert client.post("/fetch/search", {"tags": "vip", "links": True}).json["data"][0]["links"]


def test_changes_have_them_of_those_who_are_there(client, ann):
    client.create(BOB)
    client.delete("/fetch/subscribers", query={"email": BOB})
    plain = client.get("/fetch/changes", query={"after": "0"}).json
    answer = client.get("/fetch/changes", query={"after": "0", "links": "1"}).json
    with_links = [change for change in answer["data"] if "links" in change]
    assert [change["attributes"]["email"] for change in with_links] == [ANN]
    assert lead_to(with_links[0].pop("links"), ann)
    assert answer == plain


def test_on_their_own(client, ann):
    assert lead_to(links_of(client, ANN)["data"], ann)
    by_uuid = client.get("/fetch/links", query={"uuid": ann["attributes"]["uuid"]}).json
    assert by_uuid == links_of(client, ANN)
    assert links_of(client, BOB) == {"data": None}
    assert client.get("/fetch/links").json == {"data": None}


def test_an_export_has_them_and_its_import_drops_them(client, ann):
    client.create(BOB)
    text = client.get("/fetch/export", query={"links": "1"}).text
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        made = links_of(client, row["email"])["data"]
        assert {purpose: row.pop(f"{purpose}_url") for purpose in made} == made
    assert rows == list(csv.DictReader(io.StringIO(client.get("/fetch/export").text)))
    before = client.find(ANN)
    sent = {"content_type": "text/csv", "query": {"consent": "subscribed"}}
    assert client.call("POST", "/batch/imports", data=text.encode(), **sent).status_code == 200
    site_lane.drain(client.site.id, 30)
    assert client.find(ANN) == before
    assert [field["attributes"]["key"] for field in client.get("/fetch/fields").json["data"]] == ["plan"]


def test_lines_of_json_have_them_and_their_import_drops_them(client, ann):
    text = client.get("/fetch/export", query={"links": "1", "format": "jsonl"}).text
    [line] = map(json.loads, text.splitlines())
    assert lead_to(line["links"], ann)
    before = client.find(ANN)
    line |= {"unsubscribe_url": "x", "preferences_url": "y"}
    client.post("/batch/subscribers", {"subscribers": [line]})
    site_lane.drain(client.site.id, 30)
    assert client.find(ANN) == before


def test_an_export_with_links_is_in_the_audit_log_as_such(client, ann):
    assert client.get("/fetch/export", query={"links": "1"}).data
    assert client.get("/fetch/export").data
    acts = [entry.act for entry in audit_log.page(client.site)]
    assert acts[:2] == ["subscribers exported", "subscribers exported with links"]


def test_links_are_for_the_scopes_mailer_and_full(client, ann):
    asks = [
        ("/fetch/subscribers", {"email": ANN, "links": "1"}), ("/fetch/search", {"links": "1"}),
        ("/fetch/changes", {"links": "1"}), ("/fetch/export", {"links": "1"}),
        ("/fetch/links", {"email": ANN}),
    ]  # fmt: skip
    for scope, code in (("full", 200), ("mailer", 200), ("read", 403)):
        caller = replace(client, key=keys.create([client.site], scope))
        for path, query in asks:
            answer = caller.get(path, query=query)
            assert answer.status_code == code, (scope, path)
        if code == 403:
            assert answer.json["error"].startswith("Forbidden")
            assert "scope mailer or full" in caller.get(*asks[0][:1], query=asks[0][1]).json["error"]
            assert caller.get("/fetch/subscribers", query={"email": ANN}).status_code == 200
    mailer = replace(client, key=keys.create([client.site], "mailer"))
    response_assertions.error(mailer.post("/fetch/subscribers", {"subscriber": {"email": BOB}}), 403)
    response_assertions.error(mailer.get("/fetch/webhooks/1/rotate"), 405)


class TestWithoutHttps:
    @pytest.fixture
    def settings(self, settings):
        return replace(settings, public_url="http://people.example")

    def test_a_note_says_who_ignores_them(self, client, ann):
        assert NOTE in links_of(client, ANN)["links_note"]
        assert NOTE in client.get("/fetch/subscribers", query={"email": ANN, "links": "1"}).json["links_note"]
        for path in ("/fetch/search", "/fetch/changes"):
            assert NOTE in client.get(path, query={"links": "1"}).json["meta"]["links_note"]
            assert "links_note" not in client.get(path).json["meta"]
        assert "links_note" not in client.get("/fetch/subscribers", query={"email": ANN}).json


def test_webhooks_send_them_encrypted_only(client):
    def put(url, **values):
        return client.call("PUT", "/fetch/webhooks/1", {"webhook": {"url": url, **values}})

    for url in ("http://127.0.0.1:9/", "http://8.8.8.8/hook"):
        answer = client.post("/fetch/webhooks", {"webhook": {"url": url, "links": True}})
        assert [error["field"] for error in answer.json["errors"]] == ["webhook.links"]
    made = client.post("/fetch/webhooks", {"webhook": {"url": "https://8.8.8.8/hook", "links": True}}).json
    assert made["data"]["attributes"]["links"] is True
    assert put("https://8.8.8.8/other").json["data"]["attributes"]["links"] is True
    assert put("http://8.8.8.8/other").status_code == 422
    assert put("http://8.8.8.8/other", links=False).json["data"]["attributes"]["links"] is False


def test_messages_have_them_of_those_who_are_there_and_answers_are_kept_without(client, receiver):
    webhook = make(client.site, receiver)
    with database.write(client.site.id):
        database.execute(
            "UPDATE webhooks SET links = 1 WHERE site_id = ? AND id = ?", (client.site.id, webhook.id)
        )
    ann = client.create(ANN)

    def echo(request):
        status(400, receiver.received[-1].data[0]["links"][PREFERENCES])(request)

    receiver.always = echo
    send_all()
    [change] = receiver.received[0].data
    assert lead_to(change["links"], ann)
    [delivery], _ = webhook_deliveries.page(client.site, webhook.id, 1)
    assert delivery.answer == f"{BASE}/preferences/…"


def test_messages_have_none_unless_they_are_asked_for(client, receiver):
    make(client.site, receiver)
    client.create(ANN)
    send_all()
    assert "links" not in receiver.received[0].data[0]


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("key", ["first_name", "last_name", "tags", "note"])
@pytest.mark.parametrize("written", [str, lambda url: url.replace("/A", "/%41").replace("/u", "%2Fu")])
def test_a_link_is_refused_as_a_name_and_a_tag_and_percent_encoded(client, ann, batch, key, written):
    value = written(links_of(client, ANN)["data"]["unsubscribe"])
    for item in ({key: value}, {"fields": {key: value}}):
        sent = {"email": BOB} | item
        if batch:
            answer = client.post("/batch/subscribers", {"subscribers": [sent]})
            assert (answer.json["results"], answer.json["failed"]) == (0, 1), item
        else:
            answer = client.post("/fetch/subscribers", {"subscriber": sent})
            assert answer.status_code == 422
        assert "acts for a subscriber" in answer.text


@pytest.mark.parametrize("nested", [lambda url: url, lambda url: [url], lambda url: {"a": {"b": f"<{url}>"}}])
@pytest.mark.parametrize("purpose", ["unsubscribe", "preferences"])
def test_a_link_is_refused_as_a_custom_value(client, purpose, nested):
    client.create("ann@example.com")
    person = subscribers.find(client.site, "ann@example.com")
    assert person is not None
    value = nested(Links(client.site, "https://people.example").urls(person.uuid, person.email_key)[purpose])
    item = {"email": "bob@example.com", "mail": value}
    answer = client.post("/fetch/subscribers", {"subscriber": item})
    assert (answer.status_code, "acts for a subscriber" in answer.text) == (422, True)
    imported = client.post("/batch/subscribers", {"subscribers": [item, {"email": "cy@example.com"}]})
    assert (imported.json["results"], imported.json["failed"]) == (1, 1)
    command = {"command": "add_field", "email": "ann@example.com", "query": {"key": "mail", "value": value}}
    assert "acts for a subscriber" in client.post("/fetch/commands", {"command": [command]}).text
    words = "https://people.example/unsubscribe/ and /preferences/our-page"
    assert client.create("di@example.com", mail=words)["attributes"]["fields"]["mail"] == words
