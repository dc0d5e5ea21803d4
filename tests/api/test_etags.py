"""ETags of segments, reports, webhooks and forms: what was changed meanwhile is not written over, and what
was not changed is not sent again. A PATCH changes a part of them.
"""

import random
import string

import pytest

from audience import clock
from audience.access.audit_log import COMMAND_LINE
from audience.forms import forms
from storage import database
from tests import response_assertions
from tests.api.endpoints import FORM, REPORT, SEGMENT, WEBHOOK
from tests.api.test_concurrency import at_once

MADE = {
    "segment": ("/fetch/segments", SEGMENT, {"name": "Best"}),
    "report": ("/fetch/reports", REPORT, {"name": "Best"}),
    "webhook": ("/fetch/webhooks", WEBHOOK, {"kinds": ["created"]}),
    "form": ("/fetch/forms", FORM, {"name": "Best"}),
}
EACH = pytest.mark.parametrize("noun", MADE)


@pytest.fixture
def record(client, noun):
    """The path of a new record."""
    path, body, _ = MADE[noun]
    made = client.post(path, body)
    assert made.status_code == 201, made.text
    return f"{path}/{made.json['data']['id']}"


@EACH
def test_what_was_not_changed_is_not_sent_again(client, record, noun):
    first = client.get(record)
    for sent in (first.headers["ETag"], f'"x", W/{first.headers["ETag"]}', "*"):
        again = client.get(record, headers={"If-None-Match": sent})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    client.call("PATCH", record, {noun: MADE[noun][2]})
    changed = client.get(record, headers={"If-None-Match": first.headers["ETag"]})
    assert (changed.status_code, changed.headers["ETag"] == first.headers["ETag"]) == (200, False)


@EACH
@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_what_was_changed_meanwhile_is_not_written_over(client, record, noun, method):
    _, body, part = MADE[noun]
    if (noun, method) == ("form", "DELETE"):  # a form is archived, never deleted
        method = "PUT"
    old = client.get(record).headers["ETag"]
    client.call("PATCH", record, {noun: part}, headers={"If-Match": old})
    now = client.get(record)
    assert now.headers["ETag"] != old
    sent = None if method == "DELETE" else body
    refused = client.call(method, record, sent, headers={"If-Match": old})
    assert refused.status_code == 412, refused.text
    assert refused.json["error"].endswith("; nothing was written.")
    assert client.get(record).json == now.json
    answer = client.call(method, record, sent, headers={"If-Match": f'"other", {now.headers["ETag"]}'})
    assert answer.status_code == 200, answer.text
    assert method == "DELETE" or answer.headers["ETag"] == client.get(record).headers["ETag"]


@EACH
@pytest.mark.parametrize("patch", [{}, {"nmae": "Best", "zzz": None}])
def test_a_patch_without_a_known_key_changes_nothing(client, record, noun, monkeypatch, patch):
    before, now = client.get(record), clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + 60_000)
    answer = client.call("PATCH", record, {noun: patch}, headers={"If-Match": before.headers["ETag"]})
    assert (answer.json, answer.headers["ETag"]) == (before.json, before.headers["ETag"])
    assert client.get(record).json == before.json
    assert client.call("PATCH", record, {noun: patch}, headers={"If-Match": '"x"'}).status_code == 412
    assert client.call("PATCH", f"{record}9", {noun: patch}).status_code == 404


@pytest.mark.parametrize("noun", ["segment", "report", "form"])  # a webhook is tried again by it
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_the_same_values_again_leave_the_record_as_it_is(client, record, noun, monkeypatch, method):
    body = MADE[noun][1]
    before = client.call("PUT", record, body)
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + 60_000)
    answer = client.call(method, record, body)
    assert (answer.json, answer.headers["ETag"]) == (before.json, before.headers["ETag"])
    assert client.get(record).json == before.json


@pytest.mark.parametrize("noun", ["segment", "report"])
def test_a_long_name_is_refused_and_one_that_is_stored_stays(client, record, noun):
    path, values = f"/fetch/{noun}s", (SEGMENT | REPORT)[noun]
    letters = random.Random(1).choices(string.ascii_letters, k=9_000)
    for length, status in ((255, 201), (256, 422), (9_000, 422)):
        name = "".join(letters[:length])
        made = client.post(path, {noun: {**values, "name": name}})
        assert made.status_code == status
        if status == 422:
            assert response_assertions.error_fields(made) == [f"{noun}.name"]
    with database.write(client.site.id):
        table = path.rpartition("/")[2]
        database.execute(f"UPDATE {table} SET name = ? WHERE site_id = ?", (name, client.site.id))  # noqa: S608 - a constant
    part = {"segment": {"description": "Those"}, "report": {"settings": {"unit": "week"}}}[noun]
    assert client.call("PATCH", record, {noun: part}).json["data"]["attributes"]["name"] == name
    refused = client.call("PATCH", record, {noun: {"name": f"{name}x"}})
    assert refused.status_code == 422
    assert client.call("PATCH", record, {noun: {"name": "Short"}}).status_code == 200
    assert client.delete(record).status_code == 200


@EACH
def test_any_record_matches_a_star_and_none_that_is_missing(client, record, noun):
    path, body, _ = MADE[noun]
    assert client.call("PUT", record, body, headers={"If-Match": "*"}).status_code == 200
    assert client.call("PUT", f"{path}/999", body, headers={"If-Match": "*"}).status_code == 404


@EACH
def test_without_the_header_a_put_writes_as_before(client, record, noun):
    assert client.call("PUT", record, MADE[noun][1]).status_code == 200


@pytest.mark.parametrize("noun", ["segment"])
def test_of_several_who_have_read_the_same_one_writes(client, record, noun):
    tag = client.get(record).headers["ETag"]

    def write(own, number):
        return own.call("PATCH", record, {noun: {"name": str(number)}}, headers={"If-Match": tag}).status_code

    assert sorted(at_once(client, write)) == [200] + [412] * 5


@pytest.mark.parametrize("noun", ["webhook"])
def test_a_delivery_changes_what_is_read_of_a_webhook_but_not_what_is_written_over(client, record, noun):
    tag = client.get(record).headers["ETag"]
    with database.write(client.site.id):
        database.execute("UPDATE webhooks SET place = 7 WHERE site_id = ?", (client.site.id,))
    assert client.get(record, headers={"If-None-Match": tag}).json["data"]["attributes"]["delivered"] == "7"
    assert client.call("PUT", record, WEBHOOK, headers={"If-Match": tag}).status_code == 200


def test_a_replayed_write_does_not_ask_again_whether_it_matches(client):
    client.post("/fetch/segments", SEGMENT)
    headers = {"If-Match": client.get("/fetch/segments/1").headers["ETag"], "Idempotency-Key": "k"}
    for _ in range(2):
        answer = client.call("PATCH", "/fetch/segments/1", {"segment": {"name": "Best"}}, headers=headers)
        assert answer.status_code == 200, answer.text


def attributes(answer):
    assert answer.status_code == 200, answer.text
    return answer.json["data"]["attributes"]


def patch(client, path, body):
    return attributes(client.call("PATCH", path, body))


def test_a_patch_of_a_segment_changes_a_part_and_null_removes(client):
    client.post("/fetch/segments", {"segment": SEGMENT["segment"] | {"description": "Those who buy"}})
    patched = patch(client, "/fetch/segments/1", {"segment": {"name": "Best"}})
    assert (patched["name"], patched["description"]) == ("Best", "Those who buy")
    assert patched["rules"] == SEGMENT["segment"]["rules"]
    rules = {"tag": None, "all": [{"tag": "vip"}, {"event": "visit"}]}
    patched = patch(client, "/fetch/segments/1", {"segment": {"description": None, "rules": rules}})
    assert (patched["name"], patched["description"], patched["rules"]) == ("Best", "", {"all": rules["all"]})


def test_a_patch_of_a_report_merges_its_settings(client):
    settings = {"unit": "week", "from": "2026-01-01"}
    report = REPORT["report"] | {"report_type": "Reporting::Reports::NewVisitorsReport", "settings": settings}
    made = client.post("/fetch/reports", {"report": report})
    assert made.status_code == 201, made.text
    path = f"/fetch/reports/{made.json['data']['id']}"
    patched = patch(client, path, {"report": {"settings": {"unit": None, "to": "2026-02-01"}}})
    assert patched["settings"] == {"from": "2026-01-01", "to": "2026-02-01"}


def test_a_patch_of_a_webhook_changes_a_part_and_null_removes(client):
    client.post("/fetch/segments", SEGMENT)
    webhook = WEBHOOK["webhook"] | {"kinds": ["created"], "segment_id": "1"}
    client.post("/fetch/webhooks", {"webhook": webhook})
    assert patch(client, "/fetch/webhooks/1", {"webhook": {"kinds": None}})["segment_id"] == "1"
    patched = patch(client, "/fetch/webhooks/1", {"webhook": {"segment_id": None}})
    assert (patched["kinds"], patched["segment_id"], patched["paused"]) == (None, None, True)
    assert not patch(client, "/fetch/webhooks/1", {"webhook": {"paused": False}})["paused"]


@pytest.mark.parametrize("key", ["name", "state", "language", "confirm", "delivery"])
def test_what_every_form_has_is_not_removed_by_null(client, key):
    client.post("/fetch/forms", FORM)
    refused = client.call("PATCH", "/fetch/forms/1", {"form": {key: None, "tags": ["news"]}})
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, f"form.{key}")
    assert client.get("/fetch/forms/1").json["data"]["attributes"]["tags"] == []


def test_a_patch_of_a_form_merges_texts_and_null_removes(client):
    form = FORM["form"] | {"tags": ["news"], "intro": {"en": "Hello", "de": "Hallo"}, "language": "en"}
    client.post("/fetch/forms", {"form": form})
    patched = patch(client, "/fetch/forms/1", {"form": {"intro": {"de": None, "fr": "Bonjour"}}})
    assert patched["intro"] == {"en": "Hello", "fr": "Bonjour"}
    assert (patched["tags"], patched["version"]) == (["news"], 1)
    patched = patch(client, "/fetch/forms/1", {"form": {"tags": None, "intro": None}})
    assert (patched["tags"], patched["intro"], patched["name"]) == ([], {}, "Front page")


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/fetch/segments/1", {"segment": {"name": None}}, "segment.name"),
        ("/fetch/segments/1", {"segment": {"rules": {"tag": 7, "near": 1}}}, "segment.rules"),
        ("/fetch/segments/1", {"segment": []}, None),
        ("/fetch/segments/1", {"segment": "VIP"}, "segment"),
        ("/fetch/segments/1", {}, "segment"),
        ("/fetch/webhooks/1", {"webhook": {"url": "http://127.0.0.1"}}, "webhook.url"),
        ("/fetch/webhooks/1", {"webhook": {"url": {"a": 1}}}, "webhook.url"),
    ],
)
def test_a_wrong_patch_is_refused_with_its_field(client, path, body, field):
    client.post("/fetch/segments", SEGMENT)
    client.post("/fetch/webhooks", WEBHOOK)
    refused = client.call("PATCH", path, body)
    assert refused.status_code == (422 if field else 200), refused.text
    assert [each["field"] for each in refused.json.get("errors", [])][:1] == ([field] if field else [])


@pytest.mark.parametrize("noun", ["form"])
def test_an_event_changes_a_form_and_a_patch_leaves_it_on(client, record, noun):
    tag = client.get(record).headers["ETag"]
    forms.set_event_mode(client.site, 1, True, COMMAND_LINE)
    answer = client.get(record, headers={"If-None-Match": tag})
    until = attributes(answer)["event_until"]
    assert until is not None
    assert patch(client, record, {noun: {"name": "Best"}})["event_until"] == until
    assert patch(client, record, {noun: {"event_until": None}})["event_until"] == until
