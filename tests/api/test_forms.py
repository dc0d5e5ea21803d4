"""Forms over the API: made, read, changed, their HTML."""

from dataclasses import replace

import pytest

from audience.access.audit_log import COMMAND_LINE
from audience.looks import looks, senders
from tests import response_assertions

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
    assert attributes["fields"] == [{"key": "first_name", "required": False}]
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
