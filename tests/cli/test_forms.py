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
        {"key": "first_name", "required": True}, {"key": "last_name", "required": False},
    ]  # fmt: skip
    assert (added["tags"], added["origins"], added["is_test"]) == (["web"], ["https://a.example"], True)
    assert "By signing up" in added["wording"]["en"]
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
    assert acts == ["form archived", "form changed", "form changed", "form made"]


def test_what_is_wrong_is_said_by_its_place(ask):
    ask("add", "Blog")
    assert "LANGUAGE=TEXT" in ask("change", "1", "--wording", "Yes", exit_code=2)
    assert "form.intro: Give texts by language" in ask("change", "1", "--intro", "xx=Yes", exit_code=1)
    assert "give what to change" in ask("change", "1", exit_code=2)
    assert "form.origins[0]: Give a website" in ask("add", "Blog", "--origin", "x", exit_code=1)


def test_one_opens_only_with_what_it_needs(ask):
    ask("add", "Blog")
    said = ask("open", "1", exit_code=1)
    assert "AUDIENCE_SMTP_URL" in said
    assert "privacy page" in said


def test_its_html_is_printed(ask, client):
    ask("add", "Blog")
    printed = ask("embed", "1")
    assert f"/forms/{client.site.uuid}/1" in printed
    assert ask("embed", "1", "--json") == {"html": printed}
    assert "no wording in this language" in ask("embed", "1", "--language", "de", exit_code=1)
