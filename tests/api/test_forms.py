"""Forms over the API: made, read, changed, their HTML."""

from dataclasses import replace

import pytest

from audience.access.audit_log import COMMAND_LINE
from audience.forms import choices
from audience.looks import looks, senders
from storage import database
from tests import response_assertions
from tests.sign_up_steps import send

BASE = "http://127.0.0.1:8000"
LOOK = dict.fromkeys(("name", "home", "imprint", "privacy", "language", "accent", "base_url"), "") | {
    "name": "Harbour Letters", "privacy": "https://a.example/privacy", "imprint": "https://a.example/imprint"
}  # fmt: skip

FORM = {
    "name": "Front page", "fields": [{"key": "first_name"}], "tags": "web, new", "origins": ["https://a.example"],
    "wording": {"en": " Yes.\r\nPlease. ", "de": "Ja", "fr": ""}, "next_url": "https://a.example/thanks",
}  # fmt: skip


def make(client, **values):
    answer = client.post("/fetch/forms", {"form": FORM | values})
    return response_assertions.answer(answer, 201)["data"]


def put(client, **values):
    return client.call("PUT", "/fetch/forms/1", {"form": values})


def refused(answer):
    assert answer.status_code == 422, answer.text
    return [error["field"] for error in answer.json["errors"]]


def test_a_form_is_made_listed_and_changed(client):
    made = make(client)
    attributes = made["attributes"]
    assert attributes["fields"] == [{"key": "first_name", "required": False, "labels": {}}]
    assert attributes["wording"] == {"en": "Yes.\nPlease.", "de": "Ja"}
    assert (attributes["tags"], attributes["state"], attributes["version"]) == (["web", "new"], "paused", 1)
    assert client.get("/fetch/forms").json["data"] == [made]
    assert client.get("/fetch/forms/1").json["data"] == made
    changed = put(client, wording={"en": "Other"}, intro={"en": "News"}).json["data"]["attributes"]
    assert (changed["version"], changed["wording"], changed["intro"]) == (2, {"en": "Other"}, {"en": "News"})
    assert changed["origins"] == ["https://a.example"]
    emptied = put(client, next_url="", origins=[], intro={}, fields=[]).json["data"]["attributes"]
    assert (emptied["next_url"], emptied["origins"], emptied["intro"], emptied["fields"]) == ("", [], {}, [])


def test_one_of_another_site_is_not_there(client, other_client):
    make(client)
    for path in ("/fetch/forms/1", "/fetch/forms/1/embed"):
        assert other_client.get(path).status_code == 404
    assert put(other_client, name="Mine").status_code == 404
    assert other_client.get("/fetch/forms").json["data"] == []
    assert client.get("/fetch/forms/x").status_code == 404


def test_without_mail_none_opens_and_what_is_missing_is_said(client):
    assert refused(client.post("/fetch/forms", {"form": FORM | {"state": "open"}})) == ["form.state"] * 3
    make(client)
    answer = put(client, state="open")
    assert [error["message"].split(":")[0] for error in answer.json["errors"]] == [
        "No mail server is set", "A form opens only with a privacy page",
        "A form in German opens only with an imprint",
    ]  # fmt: skip
    assert put(client, state="archived").json["data"]["attributes"]["state"] == "archived"


class TestWithMail:
    @pytest.fixture
    def settings(self, settings):
        return replace(settings, smtp_url="smtp+plain://127.0.0.1:9")

    def test_one_opens_with_a_sender_and_a_privacy_page(self, client):
        make(client, wording={"en": "Yes."})
        look = dict.fromkeys(("home", "imprint", "language", "accent", "base_url"), "")
        look |= {"name": "Harbour Letters", "privacy": "https://a.example/privacy"}
        looks.change(client.site, look, b"", False, COMMAND_LINE)
        assert refused(put(client, state="open")) == ["form.state"]
        sender = {"mail_from": "letters@a.example", "mail_name": "", "reply_to": ""}
        senders.change(client.site, sender, True, COMMAND_LINE)
        assert put(client, state="open").json["data"]["attributes"]["state"] == "open"
        assert make(client, wording={"en": "Yes."}, state="open")["attributes"]["state"] == "open"


@pytest.mark.parametrize(
    ("values", "field", "meant"),
    [
        ({"name": None}, "form.name", None),
        ({"fields": "first_name"}, "form.fields", None),
        ({"fields": [{"key": "first_name"}, {"key": "firstname"}]}, "form.fields[1].key", ["first_name"]),
        ({"fields": [{"required": True}]}, "form.fields[0].key", None),
        ({"fields": [{"key": "twon"}]}, "form.fields[0].key", ["town"]),
        ({"fields": [{"key": "unsubscribe_url"}]}, "form.fields[0].key", None),
        ({"fields": [{"key": "email"}]}, "form.fields[0].key", None),
        ({"fields": [{"key": f"f{number}"} for number in range(11)]}, "form.fields", None),
        ({"fields": [{"key": "town", "labels": {"en": "x" * 101}}]}, "form.fields[0].labels.en", None),
        ({"fields": [{"key": "town", "labels": {"enn": "x"}}]}, "form.fields[0].labels", ["en"]),
        ({"delivery": "1"}, "form.delivery", None),
        ({"delivery": ""}, "form.delivery", None),
        ({"fields": [{"key": "last_name"}] * 2}, "form.fields", None),
        ({"fields": [{"key": "last_name", "required": "if you like"}]}, "form.fields[0].required", None),
        ({"fields": [None]}, "form.fields[0]", None),
        ({"language": "german"}, "form.language", None),
        ({"language": "enn"}, "form.language", ["en"]),
        ({"confirm": "clic"}, "form.confirm", ["click"]),
        ({"state": "opened"}, "form.state", ["open"]),
        ({"wording": {"en": "x" * 1001}}, "form.wording.en", None),
        ({"thanks": {"de": "a\u202eb"}}, "form.thanks.de", None),
        ({"thanks": {"de": 7, "pt": ["x"]}}, "form.thanks", None),
        ({"intro": {"fr-CA": "Bonjour"}}, "form.intro", None),
        ({"intro": "Hello"}, "form.intro", None),
        ({"tags": [f"t{number}" for number in range(21)]}, "form.tags", None),
        ({"origins": "https://a.example"}, "form.origins", None),
        ({"origins": ["https://a.example", "b.example"]}, "form.origins[1]", None),
        ({"origins": [f"https://a{number}.example" for number in range(21)]}, "form.origins", None),
        ({"next_url": "https://b.example/"}, "form.next_url", None),
        ({"is_test": "sometimes"}, "form.is_test", None),
    ],
)  # fmt: skip
def test_wrong_values_are_refused_by_their_place(client, values, field, meant):
    client.post("/fetch/fields", {"field": {"key": "town"}})
    made = make(client)
    answer = client.post("/fetch/forms", {"form": FORM | values})
    assert refused(answer) == [field]
    assert answer.json.get("did_you_mean") == meant
    if values != {"name": None}:
        assert refused(put(client, **values)) == [field]
    assert client.get("/fetch/forms").json["data"] == [made]


def test_its_html_is_answered_in_a_language(client):
    make(client)
    german = client.get("/fetch/forms/1/embed", query={"language": "de"}).json["html"]
    assert "Ja</p>" in german
    assert "Yes.<br>Please." in client.get("/fetch/forms/1/embed").json["html"]
    assert refused(client.get("/fetch/forms/1/embed", query={"language": "fr"})) == ["language"]
    assert refused(client.get("/fetch/forms/1/embed", query={"language": "xx"})) == ["language"]


def test_it_asks_for_custom_fields_by_the_owners_labels(client):
    for key in ("town", "größe", "links"):
        client.post("/fetch/fields", {"field": {"key": key}})
    labels = {"en": " Where  do you\nlive? ", "de": "<Ort>", "fr": ""}
    fields = [{"key": "town", "required": True, "labels": labels}, {"key": "größe"}, {"key": "first_name"}]
    shown = make(client, fields=fields)["attributes"]["fields"]
    assert [field["key"] for field in shown] == ["town", "größe", "first_name"]
    assert shown[0]["labels"] == {"en": "Where do you live?", "de": "<Ort>"}
    html = client.get("/fetch/forms/1/embed").json["html"]
    assert '<label>Where do you live? <input name="fields[town]" required></label>' in html
    assert '<label>Größe <input name="fields[größe]"></label>' in html
    assert '<label>First name <input name="first_name" autocomplete="given-name"></label>' in html
    assert "&lt;Ort&gt;" in client.get("/fetch/forms/1/embed", query={"language": "de"}).json["html"]
    assert refused(put(client, fields=[{"key": "links"}])) == ["form.fields[0].key"]


def test_a_field_that_is_gone_since_does_not_break_the_form(client):
    client.post("/fetch/fields", {"field": {"key": "town"}})
    make(client, fields=[{"key": "town"}])
    with database.write(client.site.id):
        database.execute("DELETE FROM custom_fields WHERE site_id = ?", (client.site.id,))
    kept = put(client, name="Footer", fields=[{"key": "town", "required": True}])
    assert kept.json["data"]["attributes"]["fields"] == [{"key": "town", "required": True, "labels": {}}]
    assert put(client, fields=[{"key": "town"}, {"key": "tow"}]).json["did_you_mean"] == ["town"]


class TestWithAWebhook:
    """A form opens by a webhook that takes sign-ups, without a mail server."""

    @pytest.fixture
    def settings(self, settings):
        return replace(settings, webhook_private_addresses=True)

    def test_without_both_it_says_what_is_missing(self, client):
        make(client)
        message = put(client, state="open").json["errors"][0]["message"]
        assert message.startswith("No mail server is set: set AUDIENCE_SMTP_URL")
        assert message.endswith("Or choose a webhook that takes sign-ups to send the email.")

    def test_it_opens_and_hands_over(self, client, receiver):
        looks.change(client.site, LOOK, b"", False, COMMAND_LINE)
        webhook = {"url": receiver.url, "sign_ups": True}
        secret = client.post("/fetch/webhooks", {"webhook": webhook}).json["data"]["attributes"]["secret"]
        assert client.get("/fetch/webhooks/1").json["data"]["attributes"]["sign_ups"] is True
        assert make(client, delivery=1, state="open")["attributes"]["delivery"] == "1"
        sign_up = {"email": "zoe@example.com", "form_id": "1", "page": "https://a.example/x"}
        client.post("/fetch/sign_ups", {"sign_up": sign_up})
        send(client.site, base_url=BASE)
        [message] = receiver.received
        assert message.is_signed_with(secret)
        [shown] = client.get("/fetch/sign_ups").json["data"]
        attributes = shown["attributes"]
        assert (attributes["status"], attributes["delivery"]) == ("sent", "webhook")
        assert attributes["said"] == "The receiver answered 200."
        [data] = message.data
        assert (data["confirm_url"], data["page"]) == (attributes["confirm_url"], "https://a.example")
        assert data["expires_at"] <= attributes["expires_at"]
        assert client.http.post(data["confirm_url"].removeprefix(BASE)).status_code == 200
        uuid = client.find("zoe@example.com")["attributes"]["uuid"]
        consent = client.get(f"/fetch/subscribers/{uuid}/consent").json["data"]["attributes"]
        assert consent["proofs"][0]["delivery"] == "webhook"
        [delivery] = client.get("/fetch/webhooks/1/deliveries").json["data"]
        assert (delivery["attributes"]["kind"], delivery["attributes"]["message_id"]) == (
            "sign_ups",
            message.id,
        )

    def test_a_webhook_that_is_paused_opens_none_and_one_in_use_stays(self, client, receiver):
        looks.change(client.site, LOOK, b"", False, COMMAND_LINE)
        webhook = {"url": receiver.url, "sign_ups": True, "paused": True}
        client.post("/fetch/webhooks", {"webhook": webhook})
        make(client, delivery="1")
        refusal = put(client, state="open").json["errors"]
        assert [(error["field"], error["message"]) for error in refusal] == [("form.state", choices.PAUSED)]
        assert refusal[0]["code"] == "form_not_ready"
        assert client.delete("/fetch/webhooks/1").status_code == 422
        unsent = {"webhook": {"url": receiver.url, "paused": False}}
        assert client.call("PUT", "/fetch/webhooks/1", unsent).json["data"]["attributes"]["sign_ups"] is True
        taken = {"webhook": {"url": receiver.url, "sign_ups": False}}
        assert refused(client.call("PUT", "/fetch/webhooks/1", taken)) == ["webhook.sign_ups"]
        assert put(client, state="open").status_code == 200
        assert refused(put(client, delivery="smtp")) == ["form.state"]
        assert put(client, delivery="smtp", state="paused").status_code == 200
        assert client.delete("/fetch/webhooks/1").status_code == 200
