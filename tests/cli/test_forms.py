"""`audience form`: forms by which visitors sign up."""

import pytest

from audience.access import audit_log
from audience.forms import forms


@pytest.fixture
def ask(run, client):
    """Runs `audience form` on the site of `client`; returns its output, or its JSON."""
    return lambda *words, **options: run("form", *words, "--site", client.site.uuid, **options)


def test_a_form_is_added_listed_changed_and_archived(ask, client):
    assert ask("list") == ""
    added = ask(
        "add", "Front page", "--need", "first_name", "--ask", "last_name", "--tag", "web",
        "--confirm", "click", "--origin", "https://a.example/x", "--next-url", "https://a.example/y",
        "--test", "--intro", "en=News", "--json",
    )["attributes"]  # fmt: skip
    assert added["fields"] == [
        {"key": "first_name", "required": True, "labels": {}},
        {"key": "last_name", "required": False, "labels": {}},
    ]  # fmt: skip
    assert (added["tags"], added["origins"], added["is_test"]) == (["web"], ["https://a.example"], True)
    assert added["wording"] == {}
    ask("change", "1", "--wording", "en=Sure")
    assert "Front page  paused" in ask("list")
    ask("change", "1", "--wording", "de=Ja", "--wording", "en=Yes", "--no-fields", "--no-test", "--tag", "")
    shown = ask("show", "1")
    assert "asks for   email\n" in shown
    assert "de, version 2: Ja" in shown
    assert "tags       none" in shown
    ask("change", "1", "--wording", "de=")
    assert forms.get(client.site, 1).wording == {"en": "Yes"}
    ask("pause", "1")
    assert "archived" in ask("archive", "1")
    acts = [entry.act for entry in audit_log.page(client.site)[:4]]
    assert acts == ["form archived", "form changed", "form changed", "form changed"]


def test_it_asks_for_custom_fields_by_their_labels(ask, client):
    client.post("/fetch/fields", {"field": {"key": "home.town"}})
    client.post("/fetch/fields", {"field": {"key": "plan"}})
    ask("add", "Blog", "--ask", "plan", "--need", "home.town", "--need", "last_name",
        "--label", "home.town.en=Where = what?", "--label", "home.town.de=Ort")  # fmt: skip
    assert "asks for   email, last_name (needed), plan, home.town (needed)\n" in ask("show", "1")
    ask("change", "1", "--label", "home.town.de=", "--label", "plan.en=Plan B")
    fields = {field.key: field for field in forms.get(client.site, 1).fields}
    assert (fields["home.town"].labels, fields["home.town"].required) == ({"en": "Where = what?"}, True)
    assert fields["plan"].labels == {"en": "Plan B"}
    ask("change", "1", "--ask", "plan")
    [plan] = forms.get(client.site, 1).fields
    assert (plan.required, plan.labels) == (False, {"en": "Plan B"})
    assert "KEY.LANGUAGE=TEXT" in ask("change", "1", "--label", "town.en=x", exit_code=2)
    assert "KEY.LANGUAGE=TEXT" in ask("change", "1", "--label", "plan=x", exit_code=2)
    said = ask("change", "1", "--ask", "paln", exit_code=1)
    assert "form.fields[0].key: Give first_name, last_name or the key of a custom field" in said
    assert "Did you mean `plan`?" in said


def test_it_delivers_by_a_webhook(ask, run, client):
    ask("add", "Blog")
    assert "form.delivery: Give smtp" in ask("change", "1", "--delivery", "1", exit_code=1)
    site = ("--site", client.site.uuid)
    run("webhook", "add", "https://8.8.8.8/", "--sign-ups", *site)
    assert "delivery   webhook 1\n" in ask("change", "1", "--delivery", "1")
    assert "sign-ups  taken" in run("webhook", "show", "1", *site)
    assert "for the form Blog" in run("webhook", "change", "1", "--no-sign-ups", *site, exit_code=1)
    assert "for the form Blog" in run("webhook", "remove", "1", *site, exit_code=1)
    said = ask("open", "1", exit_code=1)
    assert "AUDIENCE_SMTP_URL" not in said
    assert "privacy page" in said


def test_what_is_wrong_is_said_by_its_place(ask):
    ask("add", "Blog")
    assert "LANGUAGE=TEXT" in ask("change", "1", "--wording", "Yes", exit_code=2)
    assert "form.intro: Give texts by language" in ask("change", "1", "--intro", "xx=Yes", exit_code=1)
    assert "name at least one change" in ask("change", "1", exit_code=2)
    assert "form.origins[0]: Give a website" in ask("add", "Blog", "--origin", "x", exit_code=1)


def test_one_opens_only_with_what_it_needs(ask):
    ask("add", "Blog")
    said = ask("open", "1", exit_code=1)
    first, wording, second = said.removeprefix("Error: ").splitlines()
    assert wording.startswith("audience: form.state: A form opens only with a wording")
    assert first.startswith("form.state: A form needs") or "AUDIENCE_SMTP_URL" in first
    assert second.startswith("audience: form.state: A form opens only with a privacy page")


def test_the_limits_of_networks_are_lifted_for_a_day_and_put_back(ask, client):
    ask("add", "Blog")
    assert ask("show", "1").count("event") == 0
    assert ask("event", "1").startswith("The limits per network are lifted until ")
    assert "event      until" in ask("show", "1")
    assert ask("show", "1", "--json")["attributes"]["event_until"] is not None
    assert ask("event", "1", "--end") == "The limits per network apply again.\n"
    assert ask("event", "1", "--end", "--json")["attributes"]["event_until"] is None
    acts = [entry.act for entry in audit_log.page(client.site)]
    assert acts[:2] == [
        "event ended, limits per network apply again",
        "event started, no limits per network for a day",
    ]


def test_its_html_is_printed(ask, client):
    ask("add", "Blog", "--wording", "en=Yes")
    printed = ask("embed", "1")
    assert f"/forms/{client.site.uuid}/1" in printed
    assert ask("embed", "1", "--json") == {"html": printed}
    assert "no wording in this language" in ask("embed", "1", "--language", "de", exit_code=1)
