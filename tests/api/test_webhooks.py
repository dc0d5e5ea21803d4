"""Webhooks over the API: made, read, changed, deleted, their secrets renewed, tested and replayed."""

from dataclasses import replace

import pytest

from audience import clock, jobs
from audience.changes import log as change_log
from audience.clock import DAY_MS
from audience.sources import RESTORE
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import finished_imports
from storage import database
from tests.receiver import status
from tests.webhook_steps import send_all

PUBLIC = "https://8.8.8.8/hook"


@pytest.fixture
def settings(settings):
    return replace(settings, webhook_private_addresses=True)


def make(client, url=PUBLIC, **values):
    answer = client.post("/fetch/webhooks", {"webhook": {"url": url, **values}})
    assert answer.status_code == 201, answer.text
    return answer.json["data"]


def attributes(answer):
    assert answer.status_code == 200, answer.text
    return answer.json["data"]["attributes"]


def refused_field(answer):
    assert answer.status_code == 422, answer.text
    return [error["field"] for error in answer.json["errors"]]


def test_a_webhook_begins_with_the_next_change_and_shows_its_secret_once(client):
    client.create("ann@example.com")
    made = make(client, kinds=["updated", "updated", "created"])
    assert made["attributes"].pop("secret").startswith("whsec_")
    assert made == client.get("/fetch/webhooks/1").json["data"]
    assert client.get("/fetch/webhooks").json["data"] == [made]
    shown = made["attributes"]
    assert (shown["kinds"], shown["delivered"], shown["failures"]) == (["updated", "created"], "1", 0)
    assert (shown["paused"], shown["paused_because"], shown["segment_id"]) == (False, None, None)


def test_it_is_told_of_imports_only_if_it_names_them(client, receiver):
    make(client, receiver.url, kinds=["import_finished"])
    accepted = client.post("/batch/subscribers", {"subscribers": [{"email": "ann@example.com"}]}).json
    import_id = accepted["import_id"]
    jobs.work([finished_imports.kind(True)], client.site.id, 60)
    [message] = receiver.received
    [told], shown = message.data, attributes(client.get(f"/batch/imports/{import_id}"))
    assert told.pop("id") == import_id
    assert told == {name: shown.get(name, 0) for name in told}
    [delivery] = client.get("/fetch/webhooks/1/deliveries").json["data"]
    assert (delivery["attributes"]["kind"], delivery["attributes"]["message_id"]) == (
        "import_finished",
        message.id,
    )
    changes = client.get("/fetch/changes", query={"after": 0}).json["data"]
    assert [change["attributes"]["kind"] for change in changes] == ["created"]
    assert refused_field(
        client.post("/fetch/webhooks", {"webhook": {"url": PUBLIC, "kinds": ["imports"]}})
    ) == ["webhook.kinds"]


def test_secrets_differ_and_are_stored_nowhere(client, other_client, settings):
    secrets = {make(each)["attributes"]["secret"] for each in (client, client, other_client)}
    secrets.add(client.post("/fetch/webhooks/1/rotate").json["data"]["attributes"]["secret"])
    assert len(secrets) == 4
    with database.session():
        stored = str(database.rows("SELECT * FROM webhooks"))
    assert not any(secret.removeprefix("whsec_") in stored for secret in secrets)


def test_both_secrets_sign_for_a_day_after_a_rotation(client, receiver, monkeypatch):
    old = make(client, receiver.url)["attributes"]["secret"]
    new = attributes(client.post("/fetch/webhooks/1/rotate"))["secret"]
    attributes(client.post("/fetch/webhooks/1/test"))
    later = clock.now_ms() + DAY_MS
    both = receiver.received[0].headers["webhook-signature"]
    assert len(both.split()) == 2
    assert all(receiver.received[0].is_signed_with(secret) for secret in (old, new))
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    attributes(client.post("/fetch/webhooks/1/test"))
    assert len(receiver.received[1].headers["webhook-signature"].split()) == 1


def test_a_put_replaces_all_but_the_pause(client):
    client.post("/fetch/segments", {"segment": {"name": "VIP", "rules": {"tag": "vip"}}})
    make(client, kinds=["created"], segment_id="1", paused=True)
    changed = attributes(client.call("PUT", "/fetch/webhooks/1", {"webhook": {"url": f"{PUBLIC}/2"}}))
    assert (changed["url"], changed["kinds"], changed["segment_id"]) == (f"{PUBLIC}/2", None, None)
    assert (changed["paused"], changed["paused_because"]) == (True, "operator")
    assert "secret" not in changed
    resumed = {"webhook": {"url": PUBLIC, "paused": False}}
    assert not attributes(client.call("PUT", "/fetch/webhooks/1", resumed))["paused"]


def test_what_is_asked_for_anew_comes_under_another_id(client, receiver):
    """A receiver may have taken the first, unheard, and drop whatever has its id."""
    client.post("/fetch/segments", {"segment": {"name": "VIP", "rules": {"tag": "vip"}}})
    make(client, receiver.url, kinds=["unsubscribed"])
    client.create("ann@example.com", tags="vip")
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "bob@example.com"}})
    receiver.always = status(500)
    for asked in ({"kinds": ["unsubscribed"]}, {}, {"segment_id": "1"}, {"kinds": ["created"]}, {}):
        changed = {"webhook": {"url": receiver.url, **asked}}
        attributes(client.call("PUT", "/fetch/webhooks/1", changed))
        send_all()
    sent = [request.numbers for request in receiver.received]
    ids = [request.id for request in receiver.received]
    assert sent == [[2], [1, 2], [1, 2], [1], [1, 2]]
    assert [ids.index(each) for each in ids] == [0, 1, 1, 3, 1]


def test_a_deleted_webhook_is_gone(client):
    made = make(client)
    assert client.delete("/fetch/webhooks/1").json["data"]["id"] == made["id"]
    for method, path in [("GET", ""), ("DELETE", ""), ("POST", "/rotate"), ("GET", "/deliveries")]:
        assert client.call(method, f"/fetch/webhooks/1{path}").status_code == 404
    assert client.post("/fetch/webhooks/1/replay", {"after": 0}).status_code == 404
    assert client.get("/fetch/webhooks/x").status_code == 404


def test_one_of_another_site_is_not_there(client, other_client):
    make(client)
    assert other_client.get("/fetch/webhooks/1").status_code == 404
    assert other_client.post("/fetch/webhooks/1/test").status_code == 404
    assert other_client.get("/fetch/webhooks").json["data"] == []


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"url": None}, "webhook.url"),
        ({"url": "ftp://8.8.8.8/"}, "webhook.url"),
        ({"url": "https://user:word@8.8.8.8/"}, "webhook.url"),
        ({"kinds": []}, "webhook.kinds"),
        ({"kinds": "created"}, "webhook.kinds"),
        ({"kinds": ["deleted"]}, "webhook.kinds"),
        ({"kinds": [{}]}, "webhook.kinds"),
        ({"segment_id": "7"}, "webhook.segment_id"),
        ({"paused": "later"}, "webhook.paused"),
    ],
)
def test_wrong_values_are_refused(client, values, field):
    made = make(client)
    for method, path in [("POST", "/fetch/webhooks"), ("PUT", "/fetch/webhooks/1")]:
        answer = client.call(method, path, {"webhook": {"url": PUBLIC} | values})
        assert refused_field(answer) == [field]
    made["attributes"].pop("secret")
    assert client.get("/fetch/webhooks").json["data"] == [made]


def test_a_segment_that_a_webhook_uses_stays(client):
    for _ in range(2):
        client.post("/fetch/segments", {"segment": {"name": "VIP", "rules": {"tag": "vip"}}})
    make(client, segment_id="1")
    assert client.delete("/fetch/segments/1").status_code == 422
    assert client.delete("/fetch/segments/2").status_code == 200
    client.delete("/fetch/webhooks/1")
    assert client.delete("/fetch/segments/1").status_code == 200


def test_a_replay_goes_back_as_far_as_the_record(client):
    for number in range(3):
        client.create(f"p{number}@example.com")
    make(client)
    assert attributes(client.post("/fetch/webhooks/1/replay", {"after": "1"}))["delivered"] == "1"
    assert refused_field(client.post("/fetch/webhooks/1/replay", {"after": 4})) == ["after"]
    assert refused_field(client.post("/fetch/webhooks/1/replay")) == ["after"]
    with database.write(client.site.id):
        change_log.record_reset(client.site.id, RESTORE, 100)
    assert refused_field(client.post("/fetch/webhooks/1/replay", {"after": 1})) == ["after"]
    assert attributes(client.post("/fetch/webhooks/1/replay", {"after": 99}))["delivered"] == "99"


def test_a_test_tells_what_came_of_it(client, receiver):
    secret = make(client, receiver.url, paused=True)["attributes"]["secret"]
    receiver.script = [status(200, "thanks"), status(500, "broken")]
    sent = attributes(client.post("/fetch/webhooks/1/test"))
    assert (sent["kind"], sent["status"], sent["answer"], sent["failure"]) == ("test", 200, "thanks", None)
    assert (sent["first"], sent["last"], sent["changes"]) == (None, None, 0)
    assert receiver.received[0].is_signed_with(secret)
    assert receiver.received[0].data == []
    failed = attributes(client.post("/fetch/webhooks/1/test"))
    assert (failed["status"], failed["answer"]) == (500, "broken")
    assert failed["failure"]
    assert failed["message_id"] != sent["message_id"]
    listed = client.get("/fetch/webhooks/1/deliveries").json
    assert [each["attributes"] for each in listed["data"]] == [failed, sent]
    assert listed["meta"]["has_more"] is False


def test_the_log_is_read_in_pages(client, monkeypatch, receiver):
    monkeypatch.setattr(webhook_deliveries, "PAGE_SIZE", 2)
    make(client, receiver.url)
    for _ in range(3):
        client.post("/fetch/webhooks/1/test")
    pages = [client.get("/fetch/webhooks/1/deliveries", query={"page": page}).json for page in (1, 2, 10**9)]
    assert [[each["id"] for each in page["data"]] for page in pages] == [["3", "2"], ["1"], []]
    assert [page["meta"]["has_more"] for page in pages] == [True, False, False]


def test_addresses_in_an_answer_are_not_logged(client, receiver):
    make(client, receiver.url)
    echo = '{"email":"ann@example.com", "tag":"vip"} ann%40example.com \\u0040 a\0b'
    receiver.always = status(200, echo)
    answer = attributes(client.post("/fetch/webhooks/1/test"))["answer"]
    assert "ann" not in answer
    assert '"tag":"vip"' in answer


def test_the_log_is_kept_for_30_days(client, receiver, monkeypatch):
    make(client, receiver.url)
    client.post("/fetch/webhooks/1/test")
    now = clock.now_ms()
    for days, kept in ((29, 1), (31, 0)):
        monkeypatch.setattr(clock, "now_ms", lambda days=days: now + days * DAY_MS)
        webhook_deliveries.sweep()
        assert len(client.get("/fetch/webhooks/1/deliveries").json["data"]) == kept
